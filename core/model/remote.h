// Remotes as weir knows them: where blobs and artifact records are kept for others. What a remote says and
// sends is believed only after it was checked (core/remote); this is the way there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace weir {

// A blob by its digest, or a record by its key.
struct RemoteName {
  std::array<char, 64> hash{};  // hexadecimal
  std::uint64_t size = 0;       // of a key: of the document whose hash it is
};

enum class RemoteAction : std::uint8_t { has, get, put, has_record, get_record, put_record };
enum class RemoteOutcome : std::uint8_t {
  done,
  missing,
  trouble,  // may work if it is tried again
  refused,  // will not work in this run
  cancelled,
  mismatch,  // put: the file does not have the checksum, and was not stored
};
// XXH3 with 128 bits, in canonical form.
using RemoteChecksum = std::array<unsigned char, 16>;

struct RemoteRequest {
  RemoteAction action = RemoteAction::has;
  std::uint64_t operation = 0;  // never used twice
  std::span<const RemoteName> names;
  int fd = -1;               // open until the operation has ended
  std::uint64_t length = 0;  // of a record: how long it is, or may be
  // Of a put to a kind that verifies: of the file, which was not read before.
  const RemoteChecksum* checksum = nullptr;
};

struct RemoteEnd {
  RemoteOutcome outcome = RemoteOutcome::done;
  std::string message;      // for people
  std::vector<bool> there;  // of has and has_record, for each name
  Duration retry_after{};   // of trouble; zero: the server did not say
  bool fault = false;       // the plugin broke its own rules
};

// Hears of operations, on any thread. Must not call the connection from within.
class RemoteListener {
 public:
  virtual ~RemoteListener() = default;
  virtual void ended(std::uint64_t operation, RemoteEnd end) = 0;  // once
  virtual void moved(std::uint64_t operation, std::uint64_t bytes) = 0;
};

// Any thread, several at once; no call waits for the network. To be destroyed when all operations have ended.
class RemoteConnection {
 public:
  virtual ~RemoteConnection() = default;
  virtual void submit(const RemoteRequest& request) = 0;
  virtual void cancel(std::uint64_t operation) = 0;
};

struct RemoteAddress {
  std::string url;
  std::string token;  // or the password of `user`
  std::string ca;
  Duration connect_timeout = std::chrono::seconds(2);
  std::string user = {};
};

class RemoteKind {
 public:
  virtual ~RemoteKind() = default;
  virtual std::string_view name() const = 0;
  virtual std::uint32_t version() const = 0;
  virtual std::string_view plugin() const = 0;  // who made it; empty for those of weir
  virtual const std::vector<std::string>& schemes() const = 0;
  virtual std::size_t at_once() const = 0;  // operations that are of use to it
  virtual bool verifies_puts() const = 0;   // by a checksum, while it copies the file
  // No network is used yet. Reason::project if the address is wrong. The listener outlives the connection.
  virtual Result<std::unique_ptr<RemoteConnection>> open(const RemoteAddress& address,
                                                         RemoteListener& listener) const = 0;
};

// "https" of "https://cache.example/weir"; empty if there is none.
std::string_view scheme_of(std::string_view url);
// Without a password: what people and files may see of a URL.
std::string shown_url(std::string_view url);

}  // namespace weir
