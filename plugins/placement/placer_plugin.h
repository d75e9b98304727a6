// A placer of core/placement as the SDK wants it.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include <weir/placement.hpp>

#include "core/model/placement.h"
#include "plugins/placement/refusal.h"

namespace weir {

template <class Own>
class PlacerPlugin {
 public:
  explicit PlacerPlugin(std::unique_ptr<Own> own) : own_(std::move(own)) {}

  void advance(std::int64_t now) { own_->advance(time(now)); }
  std::optional<std::int64_t> next_timer() const {
    const auto when = own_->next_timer();
    if (!when) return std::nullopt;
    return when->time_since_epoch().count();
  }
  void add_worker(std::uint32_t worker) { own_->add_worker(WorkerId{worker}); }
  void remove_worker(std::uint32_t worker, std::int64_t now, const sdk::JobSink& lost) {
    for (const auto job : own_->remove_worker(WorkerId{worker}, time(now))) lost(index(job));
  }
  void add_artifact(std::uint32_t worker, std::uint32_t artifact, std::int64_t now) {
    own_->add_artifact(WorkerId{worker}, ResultId{artifact}, time(now));
  }
  void remove_artifact(std::uint32_t worker, std::uint32_t artifact, std::int64_t now) {
    own_->remove_artifact(WorkerId{worker}, ResultId{artifact}, time(now));
  }
  bool holds(std::uint32_t worker, std::uint32_t artifact) const {
    return own_->holds(WorkerId{worker}, ResultId{artifact});
  }
  std::optional<std::uint32_t> locate(std::uint32_t artifact) const {
    const auto worker = own_->locate(ResultId{artifact});
    if (!worker) return std::nullopt;
    return index(*worker);
  }
  void schedule(std::uint32_t job, std::span<const std::uint32_t> deps, std::int64_t now) {
    deps_.clear();
    for (const auto dep : deps) deps_.push_back(ResultId{dep});
    own_->schedule(ResultId{job}, deps_, time(now));
  }
  void withdraw(std::uint32_t job, std::int64_t now) { own_->withdraw(ResultId{job}, time(now)); }
  std::optional<sdk::Picked> pick(std::uint32_t worker, std::int64_t now) {
    const auto picked = own_->pick(WorkerId{worker}, time(now));
    if (!picked) return std::nullopt;
    return sdk::Picked{index(picked->job), static_cast<std::uint32_t>(picked->queue)};
  }
  void complete(std::uint32_t worker, std::uint32_t job, bool ok, std::int64_t now) {
    own_->complete(WorkerId{worker}, ResultId{job}, ok, time(now));
  }
  std::optional<std::uint32_t> next_woken() {
    const auto worker = own_->next_woken();
    if (!worker) return std::nullopt;
    return index(*worker);
  }

 private:
  static Time time(std::int64_t now) { return Time(Duration(now)); }

  std::unique_ptr<Own> own_;
  std::vector<ResultId> deps_;
};

static_assert(static_cast<std::uint32_t>(PlaceQueue::result) == WEIR_PICK_RESULT &&
              static_cast<std::uint32_t>(PlaceQueue::dependency) == WEIR_PICK_DEPENDENCY &&
              static_cast<std::uint32_t>(PlaceQueue::global) == WEIR_PICK_GLOBAL);

}  // namespace weir
