#include "core/scheduler/ready_jobs.h"

#include <algorithm>

namespace weir {

std::uint32_t& ReadyJobs::place_of(RequestId request, BuildId build) {
  const auto which = static_cast<std::uint64_t>(request);
  if (index(build) > 0)
    return of_other_builds_.try_emplace((which << 32) | index(build), kNone).first->second;
  if (which >= of_first_build_.size()) of_first_build_.resize(which + 1, kNone);
  return of_first_build_[which];
}

ReadyJobs::Bucket& ReadyJobs::bucket(RequestId request, BuildId build) {
  auto& place = place_of(request, build);
  if (place == kNone) {
    place = static_cast<std::uint32_t>(buckets_.size());
    const auto begin = index(build) == 0 ? ReadySet::Begin::as_bitmap : ReadySet::Begin::as_tree;
    buckets_.push_back({request, build, ReadySet(positions_, begin), {}});
    if (index(build) >= of_build_.size()) of_build_.resize(index(build) + std::size_t{1});
    of_build_[index(build)].push_back(place);
  }
  return buckets_[place];
}

void ReadyJobs::note_change(Bucket& bucket) {
  if (std::exchange(bucket.is_changed, true)) return;
  changed_.push_back(place(bucket));
}

void ReadyJobs::insert(RequestId request, std::uint32_t position, BuildId build) {
  auto& into = bucket(request, build);
  into.jobs.insert(position);
  if (into.jobs.first() == position) note_change(into);
}

void ReadyJobs::erase(RequestId request, std::uint32_t position, BuildId build) {
  auto& from = bucket(request, build);
  if (from.jobs.first() == position) note_change(from);
  from.jobs.erase(position);
  if (from.jobs.empty()) {
    from.claim.drop();
    from.overtaken = 0;
    from.refused_in = 0;
  }
}

std::optional<ReadyJobs::Best> ReadyJobs::best(std::uint64_t epoch, BuildId build) {
  std::optional<Best> best;
  if (index(build) >= of_build_.size()) return best;
  for (const auto at : of_build_[index(build)]) {
    auto& candidate = buckets_[at];
    if (candidate.refused_in == epoch) continue;
    const auto first = candidate.jobs.first();
    if (first && (!best || *first < best->position)) best = Best{&candidate, *first};
  }
  return best;
}

void ReadyJobs::refused(Bucket& bucket, TokenId lacking, std::uint64_t epoch, Ledger& ledger) {
  put_off(bucket, epoch);
  bucket.lacking = lacking;
  bucket.lacks_tokens = true;
  if (!bucket.claim && (ledger.exclusive(bucket.request) || bucket.overtaken >= kPatience))
    bucket.claim = ledger.claim(bucket.request);
}

void ReadyJobs::put_off(Bucket& bucket, std::uint64_t epoch) {
  bucket.refused_in = epoch;
  bucket.lacks_tokens = false;
  if (std::exchange(bucket.is_refused, true)) return;
  const auto at = place(bucket);
  refused_.insert(std::lower_bound(refused_.begin(), refused_.end(), at), at);
}

std::int64_t ReadyJobs::lacking(TokenId token, std::uint64_t epoch, const Ledger& ledger) const {
  std::int64_t all = 0;
  for (const auto at : refused_) {
    const auto& waiting = buckets_[at];
    if (waiting.refused_in != epoch || !waiting.lacks_tokens || waiting.lacking != token) continue;
    for (const auto& need : ledger.needs(waiting.request))
      if (need.token == token)
        all += need.exclusive ? ledger.capacity(token)
                              : need.amount * static_cast<std::int64_t>(waiting.jobs.size());
  }
  return all;
}

bool ReadyJobs::granted(Bucket& bucket, std::uint32_t position) {
  const bool had_claim = static_cast<bool>(bucket.claim);
  bucket.claim.drop();
  bucket.overtaken = 0;
  bucket.refused_in = 0;
  erase(bucket.request, position, bucket.build);
  return had_claim;
}

void ReadyJobs::overtaken_by(std::span<const TokenNeed> needs, Ledger& ledger) {
  std::erase_if(refused_, [&](std::uint32_t at) {
    const bool was_granted = buckets_[at].refused_in == 0;
    if (was_granted) buckets_[at].is_refused = false;
    return was_granted;
  });
  for (const auto at : refused_) {
    auto& waiting = buckets_[at];
    if (waiting.claim) continue;
    const bool takes =
        std::any_of(needs.begin(), needs.end(), [&](const auto& n) { return n.token == waiting.lacking; });
    if (takes && ++waiting.overtaken >= kPatience) waiting.claim = ledger.claim(waiting.request);
  }
}

}  // namespace weir
