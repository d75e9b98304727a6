// The jobs of one queue that could run now but for tokens or a place. Jobs with the same needs share a bucket, so that
// the best job that fits is found by looking at one job per distinct need. Where builds take turns, each has buckets of
// its own.
//
// A bucket that is refused may be overtaken by others whose needs fit, but not for ever: exclusive requests claim their
// tokens at the first refusal, others after kPatience jobs went past them (resources/ledger.h says what a claim does).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/model/ids.h"
#include "core/model/placement.h"
#include "core/scheduler/ready_set.h"
#include "resources/ledger.h"

namespace weir {

class ReadyJobs {
 public:
  // Two rounds of an eight-core machine: long enough to keep cores busy, short enough that a big job is not left behind.
  static constexpr std::uint32_t kPatience = 16;

  struct Bucket {
    RequestId request;
    BuildId build;
    ReadySet jobs;
    Ledger::Claim claim;
    std::uint32_t overtaken = 0;
    TokenId lacking{};             // of the last refusal
    std::uint64_t refused_in = 0;  // the epoch of the last refusal; 0: not waiting for tokens
    JobId told = kNoJob;           // the job whose waiting was reported
  };
  struct Best {
    Bucket* bucket;
    std::uint32_t position;
  };

  explicit ReadyJobs(std::size_t positions) : positions_(positions) {}

  void insert(RequestId request, std::uint32_t position, BuildId build = {}) { bucket(request, build).jobs.insert(position); }
  void erase(RequestId request, std::uint32_t position, BuildId build = {});
  // The first job in order of priority whose bucket was not refused in this epoch; of this build, or of any.
  std::optional<Best> best(std::uint64_t epoch, std::optional<BuildId> build = {});
  std::size_t size() const;
  std::span<Bucket> buckets() { return buckets_; }

  void refused(Bucket& bucket, TokenId lacking, std::uint64_t epoch, Ledger& ledger);
  // The bucket's first job got its tokens and leaves. True if a claim ended with it, so that others may fit now.
  bool granted(Bucket& bucket, std::uint32_t position);
  // A job that holds `needs` was started past what waits here.
  void overtaken_by(std::span<const TokenNeed> needs, Ledger& ledger);
  // Nothing here will be started any more.
  void drop_claims();

 private:
  std::uint32_t& place_of(RequestId request, BuildId build);
  Bucket& bucket(RequestId request, BuildId build);

  std::size_t positions_;
  std::vector<Bucket> buckets_;
  // Nearly all runs have one build, and then this is asked for every job.
  std::vector<std::uint32_t> of_first_build_;  // by request; kNone: none yet
  std::unordered_map<std::uint64_t, std::uint32_t> of_other_builds_;  // by request and build
  static constexpr std::uint32_t kNone = 0xffffffff;
};

}  // namespace weir
