// An allocator of core/placement as the SDK wants it. Own derives from this and says how it is opened.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <weir/placement.hpp>

#include "core/model/placement.h"
#include "plugins/placement/refusal.h"

namespace weir {

template <class Own>
class AllocatorPlugin {
 public:
  explicit AllocatorPlugin(std::unique_ptr<Own> own) : own_(std::move(own)) {}

  void set_workers(std::uint64_t workers, std::uint64_t idle) {
    own_->set_workers(static_cast<std::int64_t>(workers), static_cast<std::int64_t>(idle));
  }
  void job_waiting(std::uint32_t c, std::uint32_t build) { own_->job_waiting(ClassId{c}, BuildId{build}); }
  void job_withdrawn(std::uint32_t c, std::uint32_t build) {
    own_->job_withdrawn(ClassId{c}, BuildId{build});
  }
  void job_started(std::uint32_t c, std::uint32_t build) { own_->job_started(ClassId{c}, BuildId{build}); }
  void job_ended(std::uint32_t c, std::uint32_t build) { own_->job_ended(ClassId{c}, BuildId{build}); }
  void job_requeued(std::uint32_t c, std::uint32_t build) { own_->job_requeued(ClassId{c}, BuildId{build}); }
  void set_blocked(std::uint32_t c, std::uint32_t build, bool blocked) {
    own_->set_blocked(ClassId{c}, BuildId{build}, blocked);
  }
  std::optional<sdk::MayStart> next() {
    const auto start = own_->next();
    if (!start) return std::nullopt;
    return sdk::MayStart{index(start->work_class), index(start->build)};
  }
  void to_stop(std::int64_t now, const sdk::StopSink& sink) {
    for (const auto& stop : own_->to_stop(Time(Duration(now))))
      sink(index(stop.work_class), static_cast<std::uint64_t>(stop.jobs));
  }
  std::optional<std::int64_t> next_check() const {
    const auto when = own_->next_check();
    if (!when) return std::nullopt;
    return when->time_since_epoch().count();
  }
  std::uint32_t class_of(std::string_view requestor) const { return index(own_->class_of(requestor)); }
  std::string settings() const { return own_->settings(); }
  void set(std::string_view name, std::string_view json) {
    if (const auto done = own_->set(name, json); !done)
      throw sdk::Refused{done.error().message, done.error().remedy};
  }

 protected:
  const Own& own() const { return *own_; }

 private:
  std::unique_ptr<Own> own_;
};

}  // namespace weir
