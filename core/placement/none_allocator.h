// The allocator of one machine: no classes, whoever asked first starts first while there is a free place.
#pragma once

#include <deque>

#include "core/model/placement.h"

namespace weir {

class NoneAllocator final : public Allocator {
 public:
  void set_workers(std::int64_t, std::int64_t idle) override { idle_ = idle; }
  void job_waiting(ClassId work_class, BuildId build) override { line_.push_back({work_class, build}); }
  void job_withdrawn(ClassId work_class, BuildId build) override { drop({work_class, build}); }
  std::optional<Start> next() override {
    if (idle_ <= 0 || line_.empty()) return std::nullopt;
    return line_.front();
  }
  void job_started(ClassId work_class, BuildId build) override {
    drop({work_class, build});
    --idle_;
  }
  void job_ended(ClassId, BuildId) override { ++idle_; }
  // It asked long ago.
  void job_requeued(ClassId work_class, BuildId build) override {
    ++idle_;
    line_.push_front({work_class, build});
  }
  std::vector<Stop> to_stop(Time) override { return {}; }
  std::optional<Time> next_check() const override { return std::nullopt; }

 private:
  // The first of them, nearly always that at the front.
  void drop(const Start& one) {
    for (auto at = line_.begin(); at != line_.end(); ++at)
      if (*at == one) {
        line_.erase(at);
        return;
      }
  }

  std::int64_t idle_ = 0;
  std::deque<Start> line_;
};

}  // namespace weir
