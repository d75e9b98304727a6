// A remote. Its class is opened once per URL; weir may call it on any thread, several at once:
//
//   class Shelf {
//    public:
//     static constexpr std::string_view kind = "shelf";
//     static constexpr std::uint32_t version = 1;
//     static constexpr std::string_view schemes = R"(["shelf"])";
//     static constexpr std::uint32_t at_once = 4;
//     Shelf(const RemoteSettings& settings, RemoteSink sink);   // throws Refused
//     void submit(Operation operation);                         // returns at once; the sink hears of the end
//     void cancel(std::uint64_t operation);
//   };
//   WEIR_PLUGIN("example-shelf", "1.0", remote<Shelf>())
//
// It may also have: example (JSON text), flags.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/entry.hpp>

namespace weir::sdk {

struct RemoteSettings {
  std::string url;
  std::string token;  // empty: none
  std::string ca;     // a file; empty: those of the system
  std::uint64_t connect_timeout_ms = 2000;
};

enum class Action : std::uint32_t {
  has = WEIR_REMOTE_HAS,
  get = WEIR_REMOTE_GET,
  put = WEIR_REMOTE_PUT,
  has_record = WEIR_REMOTE_HAS_RECORD,
  get_record = WEIR_REMOTE_GET_RECORD,
  put_record = WEIR_REMOTE_PUT_RECORD,
};

struct BlobName {
  std::string hash;  // 64 hexadecimal digits
  std::uint64_t size = 0;
};

// A copy of what was asked for, to be kept as long as it takes.
struct Operation {
  Action action = Action::has;
  std::uint64_t number = 0;
  std::vector<BlobName> blobs;  // one, unless it is has or has_record
  int fd = -1;                  // weir's; until the operation has ended
  std::uint64_t length = 0;     // of a record
  // Of a put, if the kind has the flag WEIR_REMOTE_VERIFIES and weir knows it.
  std::optional<std::array<std::uint8_t, 16>> checksum = {};

  bool is_put() const { return action == Action::put || action == Action::put_record; }
  bool is_record() const { return action >= Action::has_record; }
  const BlobName& blob() const { return blobs.front(); }
  // How many bytes the file has (put), or may get at most (get).
  std::uint64_t bytes() const { return is_record() ? length : blob().size; }
};

// How an operation ended. `message` is for people, and holds no secrets.
struct Ended {
  std::uint32_t outcome = WEIR_REMOTE_DONE;
  std::string message = {};
  std::string there = {};  // of has and has_record: '1' or '0' for each
  std::uint64_t retry_after_ms = 0;

  static Ended done() { return {}; }
  static Ended found(std::string there) { return {WEIR_REMOTE_DONE, {}, std::move(there)}; }
  static Ended missing() { return {WEIR_REMOTE_MISSING}; }
  // Of a get: what is there under its name cannot be it. It is told, and put again.
  static Ended something_else(std::string message) { return {WEIR_REMOTE_MISSING, std::move(message)}; }
  static Ended trouble(std::string message, std::uint64_t retry_after_ms = 0) {
    return {WEIR_REMOTE_TROUBLE, std::move(message), {}, retry_after_ms};
  }
  static Ended refused(std::string message) { return {WEIR_REMOTE_REFUSED, std::move(message)}; }
  // Of a put: the file does not have the checksum, and nothing was stored.
  static Ended mismatch(std::string message) { return {WEIR_REMOTE_MISMATCH, std::move(message)}; }
  static Ended cancelled() { return {WEIR_REMOTE_CANCELLED, "cancelled"}; }
};

// Callable from any thread.
class RemoteSink {
 public:
  explicit RemoteSink(const weir_remote_sink* sink) : sink_(sink) {}
  void ended(std::uint64_t operation, const Ended& how) const {
    const weir_remote_end end = {sizeof end, how.outcome, view(how.message), view(how.there),
                                 how.retry_after_ms};
    sink_->ended(sink_, operation, &end);
  }
  void moved(std::uint64_t operation, std::uint64_t bytes) const { sink_->moved(sink_, operation, bytes); }

 private:
  const weir_remote_sink* sink_;
};

namespace sdk_detail {
RemoteSettings remote_settings(weir_view document);
Operation copy_of(const weir_remote_request& request);
// In a handler: the operation ends with what was thrown.
void end_with_exception(const RemoteSink& sink, std::uint64_t operation) noexcept;
}  // namespace sdk_detail

template <class Kind>
struct RemoteTable {
  struct Opened {
    RemoteSink sink;
    Kind kind;
  };
  static Opened& opened(weir_remote* remote) { return *reinterpret_cast<Opened*>(remote); }

  static weir_status open(weir_view document, const weir_remote_sink* sink, weir_remote** remote,
                          const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&] {
      auto settings = sdk_detail::remote_settings(document);
      // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): the barrier catches it
      auto* made = new Opened{RemoteSink(sink), Kind(settings, RemoteSink(sink))};
      *remote = reinterpret_cast<weir_remote*>(made);
    });
  }
  static void close(weir_remote* remote) noexcept { delete &opened(remote); }

  // Whoever throws has not started the operation.
  static void submit(weir_remote* remote, const weir_remote_request* request) noexcept {
    auto& own = opened(remote);
    try {
      own.kind.submit(sdk_detail::copy_of(*request));
    } catch (...) {
      sdk_detail::end_with_exception(own.sink, request->operation);
    }
  }
  static void cancel(weir_remote* remote, std::uint64_t operation) noexcept {
    opened(remote).kind.cancel(operation);
  }

  static constexpr weir_remote_v1 table = {head_of<Kind>(sizeof(weir_remote_v1)),
                                           view(Kind::schemes),
                                           Kind::at_once,
                                           0,
                                           open,
                                           close,
                                           submit,
                                           cancel};
};

template <class Kind>
constexpr weir_offer remote() {
  return {view(WEIR_REMOTE), &RemoteTable<Kind>::table};
}

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/remote.ipp>
#endif
