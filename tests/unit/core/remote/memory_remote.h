// A remote in memory that can lie: for tests of pulling and pushing. Operations end from within submit.
#pragma once

#include <unistd.h>

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "core/base/fd.h"
#include "core/model/remote.h"
#include "core/store/checksums.h"

namespace weir {

class MemoryRemote final : public RemoteKind {
 public:
  struct State {
    std::mutex mutex;
    std::map<std::string, std::string> blobs, records;  // by hash
    std::map<std::string, int> counts;                  // "put", "get", "has"..: names in all
    std::set<std::string> refused;                      // actions that are
    int fail_next = 0;                                  // so many operations end in trouble
    bool verifies = false;                              // files that come with a checksum
    bool finds_mismatches = false;                      // where there are none
    int with_checksum = 0, mismatches = 0;
  };

  std::string_view name() const override { return "memory"; }
  std::uint32_t version() const override { return 1; }
  std::string_view plugin() const override { return {}; }
  const std::vector<std::string>& schemes() const override { return schemes_; }
  std::size_t at_once() const override { return 8; }
  bool verifies_puts() const override { return state.verifies; }
  Result<std::unique_ptr<RemoteConnection>> open(const RemoteAddress&,
                                                 RemoteListener& listener) const override {
    return std::unique_ptr<RemoteConnection>(std::make_unique<Connection>(state, listener));
  }
  mutable State state;

 private:
  class Connection final : public RemoteConnection {
   public:
    Connection(State& state, RemoteListener& listener) : state_(state), listener_(listener) {}
    void submit(const RemoteRequest& request) override {
      listener_.ended(request.operation, answer(request));
    }
    void cancel(std::uint64_t) override {}

   private:
    static const char* word(RemoteAction action) {
      constexpr const char* kWords[] = {"has", "get", "put", "has-record", "get-record", "put-record"};
      return kWords[static_cast<int>(action)];
    }
    static RemoteChecksum checksum_of(const std::string& bytes) {
      store::ChecksumHasher hasher;
      hasher.update(bytes);
      return hasher.finish();
    }
    RemoteEnd answer(const RemoteRequest& request) {
      const std::lock_guard lock(state_.mutex);
      state_.counts[word(request.action)] += static_cast<int>(request.names.size());
      if (state_.refused.count(word(request.action))) return {RemoteOutcome::refused, "not for you"};
      if (state_.fail_next > 0) return --state_.fail_next, RemoteEnd{RemoteOutcome::trouble, "a bad day"};
      const bool record = request.action >= RemoteAction::has_record;
      auto& all = record ? state_.records : state_.blobs;
      const std::string hash(request.names.front().hash.data(), 64);
      switch (request.action) {
        case RemoteAction::has:
        case RemoteAction::has_record: {
          RemoteEnd end;
          for (const auto& name : request.names)
            end.there.push_back(all.count(std::string(name.hash.data(), 64)) > 0);
          return end;
        }
        case RemoteAction::get:
        case RemoteAction::get_record:
          if (!all.count(hash)) return {RemoteOutcome::missing};
          write_all(request.fd, all[hash]);
          return {};
        case RemoteAction::put:
        case RemoteAction::put_record: {
          std::string bytes(record ? request.length : request.names.front().size, '\0');
          if (::pread(request.fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
            return {RemoteOutcome::trouble, "short file"};
          state_.with_checksum += request.checksum != nullptr;
          if (request.checksum && (state_.finds_mismatches || *request.checksum != checksum_of(bytes)))
            return ++state_.mismatches, RemoteEnd{RemoteOutcome::mismatch, "another checksum"};
          all[hash] = bytes;
          return {};
        }
      }
      return {};
    }
    State& state_;
    RemoteListener& listener_;
  };
  std::vector<std::string> schemes_ = {"memory"};
};

}  // namespace weir
