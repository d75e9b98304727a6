// Asks a remote plugin as weir does, one operation after the other: for tests of the plugins alone.
//
//   RemoteProbe probe(server.url("/"));
//   EXPECT_EQ(probe.put("hello").outcome, RemoteOutcome::done);
//   EXPECT_EQ(probe.get(name_of("hello")).bytes, "hello");
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

#include "core/base/fd.h"
#include "core/model/remote.h"
#include "core/store/digest.h"
#include "plugins/host/kinds.h"

namespace weir {

inline RemoteName remote_name(const store::Sha256& hash, std::uint64_t size) {
  RemoteName name;
  const auto hex = store::to_hex(hash);
  std::copy(hex.begin(), hex.end(), name.hash.begin());
  name.size = size;
  return name;
}
inline RemoteName name_of(std::string_view content) {
  return remote_name(store::digest_of(content).hash, content.size());
}

class RemoteProbe final : public RemoteListener {
 public:
  struct Answer : RemoteEnd {
    std::string bytes;        // of a get
    std::uint64_t moved = 0;  // the last that was told
  };

  explicit RemoteProbe(RemoteAddress address, const RemoteKind* kind = nullptr) {
    if (auto opened = open(address, kind); !opened) error_ = opened.error();
  }
  explicit RemoteProbe(const std::string& url)
      : RemoteProbe(RemoteAddress{url, {}, {}, std::chrono::seconds(60)}) {}
  ~RemoteProbe() override { connection_.reset(); }

  bool is_open() const { return connection_ != nullptr; }
  const Error& error() const { return error_; }
  const RemoteKind& kind() const { return *kind_; }

  Answer has(const std::vector<RemoteName>& names) { return wait(start(RemoteAction::has, names, -1, 0)); }
  Answer has_record(const std::vector<RemoteName>& names) {
    return wait(start(RemoteAction::has_record, names, -1, 0));
  }
  Answer get(const RemoteName& name) { return with_file(RemoteAction::get, name, {}, 0); }
  Answer get_record(const RemoteName& key, std::uint64_t longest = 1 << 20) {
    return with_file(RemoteAction::get_record, key, {}, longest);
  }
  Answer put(std::string_view content) { return put(name_of(content), content); }
  Answer put(const RemoteName& name, std::string_view content, const RemoteChecksum* checksum = nullptr) {
    return with_file(RemoteAction::put, name, content, 0, checksum);
  }
  Answer put_record(const RemoteName& key, std::string_view content) {
    return with_file(RemoteAction::put_record, key, content, content.size());
  }

  // For tests with several at once: start, then wait.
  std::uint64_t start(RemoteAction action, const std::vector<RemoteName>& names, int fd, std::uint64_t length,
                      const RemoteChecksum* checksum = nullptr) {
    std::uint64_t operation;
    {
      const std::lock_guard lock(mutex_);
      operation = next_++;
    }
    connection_->submit({action, operation, names, fd, length, checksum});
    return operation;
  }
  void cancel(std::uint64_t operation) { connection_->cancel(operation); }
  Answer wait(std::uint64_t operation) {
    std::unique_lock lock(mutex_);
    if (!news_.wait_for(lock, std::chrono::seconds(60), [&] { return ends_.count(operation) > 0; }))
      return {{RemoteOutcome::trouble, "the probe waited for a minute", {}, {}, true}, {}, moved_[operation]};
    return {ends_[operation], {}, moved_[operation]};
  }

  void ended(std::uint64_t operation, RemoteEnd end) override {
    const std::lock_guard lock(mutex_);
    ends_[operation] = std::move(end);
    news_.notify_all();
  }
  void moved(std::uint64_t operation, std::uint64_t bytes) override {
    const std::lock_guard lock(mutex_);
    moved_[operation] = bytes;
  }

 private:
  Status open(const RemoteAddress& address, const RemoteKind* kind) {
    auto found = kind ? Result<const RemoteKind*>(kind) : kinds_.remote(scheme_of(address.url));
    if (!found) return tl::unexpected(found.error());
    kind_ = *found;
    auto opened = kind_->open(address, *this);
    if (!opened) return tl::unexpected(opened.error());
    connection_ = std::move(*opened);
    return {};
  }

  Answer with_file(RemoteAction action, const RemoteName& name, std::string_view content,
                   std::uint64_t length, const RemoteChecksum* checksum = nullptr) {
    const UniqueFd file(::memfd_create("probe", MFD_CLOEXEC));
    if (!write_all(file.get(), content))
      return {{RemoteOutcome::trouble, "the probe cannot write", {}, {}, true}, {}, 0};
    auto answer = wait(start(action, {name}, file.get(), length, checksum));
    if (action != RemoteAction::get && action != RemoteAction::get_record) return answer;
    answer.bytes.resize(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)));
    if (::pread(file.get(), answer.bytes.data(), answer.bytes.size(), 0) < 0) answer.bytes.clear();
    return answer;
  }

  Kinds kinds_;
  const RemoteKind* kind_ = nullptr;
  Error error_{Reason::bug, {}, {}};
  std::mutex mutex_;
  std::condition_variable news_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, RemoteEnd> ends_;
  std::map<std::uint64_t, std::uint64_t> moved_;
  std::unique_ptr<RemoteConnection> connection_;
};

}  // namespace weir
