// The jobs of one queue that could run now but for tokens or a place. Jobs with the same needs share a
// bucket, so that the best job that fits is found by looking at one job per distinct need. Where builds take
// turns, each has buckets of its own.
//
// A bucket that is refused may be overtaken by others whose needs fit, but not for ever: exclusive requests
// claim their tokens at the first refusal, others after kPatience jobs went past them (resources/ledger.h
// says what a claim does).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/ids.h"
#include "core/model/placement.h"
#include "core/scheduler/ready_set.h"
#include "resources/ledger.h"

namespace weir {

class ReadyJobs {
 public:
  // Two rounds of an eight-core machine: long enough to keep cores busy, short enough that a big job is not
  // left behind.
  static constexpr std::uint32_t kPatience = 16;

  struct Bucket {
    RequestId request;
    BuildId build;
    ReadySet jobs;
    Ledger::Claim claim;
    std::uint32_t overtaken = 0;
    TokenId lacking{};             // of the last refusal
    std::uint64_t refused_in = 0;  // the epoch of the last refusal; 0: not waiting for tokens
    bool lacks_tokens = false;     // that was why
    JobId told = kNoJob;           // the job whose waiting was reported, ...
    std::string_view told_what;    // ... and what for: a constant
    bool is_refused = false;       // listed in refused_
    bool is_changed = false;       // listed in changed_
  };
  struct Best {
    Bucket* bucket;
    std::uint32_t position;
  };

  explicit ReadyJobs(std::size_t positions) : positions_(positions) {}

  void insert(RequestId request, std::uint32_t position, BuildId build = {});
  void erase(RequestId request, std::uint32_t position, BuildId build = {});
  // The first job in order of priority whose bucket was not refused in this epoch; of this build.
  std::optional<Best> best(std::uint64_t epoch, BuildId build = {});
  // Calls `visit` with each bucket that has another first job than it had, until it says that it is done with
  // that.
  template <class F>
  void visit_changed(F&& visit) {
    // In the order in which buckets were made, whichever changed first: a run tells the same however its jobs
    // came in.
    std::sort(changed_.begin(), changed_.end());
    std::erase_if(changed_, [&](std::uint32_t at) {
      const bool is_done = visit(buckets_[at]);
      buckets_[at].is_changed = !is_done;
      return is_done;
    });
  }

  void refused(Bucket& bucket, TokenId lacking, std::uint64_t epoch, Ledger& ledger);
  // Not for a lack of tokens: it is only not asked again in this epoch.
  void put_off(Bucket& bucket, std::uint64_t epoch);
  // How many of a token all those together would take who were refused for a lack of it in this epoch.
  std::int64_t lacking(TokenId token, std::uint64_t epoch, const Ledger& ledger) const;
  // The bucket's first job got its tokens and leaves. True if a claim ended with it, so that others may fit
  // now.
  bool granted(Bucket& bucket, std::uint32_t position);
  // A job that holds `needs` was started past what waits here.
  void overtaken_by(std::span<const TokenNeed> needs, Ledger& ledger);

 private:
  std::uint32_t& place_of(RequestId request, BuildId build);
  Bucket& bucket(RequestId request, BuildId build);
  std::uint32_t place(const Bucket& bucket) const {
    return static_cast<std::uint32_t>(&bucket - buckets_.data());
  }
  void note_change(Bucket& bucket);

  std::size_t positions_;
  std::vector<Bucket> buckets_;
  // By place: what a start or a report looks at, instead of all buckets of all builds.
  std::vector<std::vector<std::uint32_t>> of_build_;
  std::vector<std::uint32_t>
      refused_;  // in order, since claims follow it; with some that were granted meanwhile
  std::vector<std::uint32_t> changed_;
  // Nearly all runs have one build, and then this is asked for every job.
  std::vector<std::uint32_t> of_first_build_;                         // by request; kNone: none yet
  std::unordered_map<std::uint64_t, std::uint32_t> of_other_builds_;  // by request and build
  static constexpr std::uint32_t kNone = 0xffffffff;
};

}  // namespace weir
