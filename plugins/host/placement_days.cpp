#include "plugins/host/placement_days.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/random.h"

namespace weir {

namespace {

constexpr int kSteps = 3'000;
constexpr std::uint64_t kSeed = 20'011;

// All answers in one number.
class Digest {
 public:
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x100000001b3ULL;
    ++answers_;
  }
  std::string text() const { return fmt::format("{} answers, {:016x}", answers_, state_); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
  std::uint64_t answers_ = 0;
};

class AllocatorDays {
 public:
  explicit AllocatorDays(Allocator& allocator) : allocator_(allocator) {
    while (classes_ < 64 && !allocator_.class_name(ClassId{classes_}).empty()) ++classes_;
  }

  Result<std::string> run() {
    for (const auto* requestor : {"", "ci-7", "ann", "a name with spaces"})
      digest_.add(index(allocator_.class_of(requestor)));
    const auto settings = allocator_.settings();
    allocator_.set_workers(kPlaces, kPlaces);
    for (int i = 0; i < kSteps && !wrong(); ++i) step();
    if (!wrong()) finish();
    if (allocator_.settings() != settings) complain("its settings changed, and nobody changed them");
    if (const auto fault = allocator_.fault()) return tl::unexpected(*fault);
    if (!wrong_.empty()) return fail(Reason::bug, wrong_);
    return digest_.text();
  }

 private:
  static constexpr std::int64_t kPlaces = 7;
  static constexpr std::uint32_t kBuilds = 6;
  struct Build {
    std::int64_t waiting = 0, running = 0;
    bool is_blocked = false;
  };

  bool wrong() const { return !wrong_.empty() || allocator_.fault(); }
  void complain(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }
  ClassId class_of(std::uint32_t build) const { return ClassId{build % std::max(1u, classes_)}; }

  void step() {
    const auto b = static_cast<std::uint32_t>(random_.below(kBuilds));
    const auto c = class_of(b);
    auto& build = builds_[b];
    const auto what = random_.below(12);
    if (what < 5) {
      allocator_.job_waiting(c, BuildId{b});
      ++build.waiting;
    } else if (what == 5 && build.waiting > 0) {
      allocator_.job_withdrawn(c, BuildId{b});
      --build.waiting;
    } else if (what == 6) {
      build.is_blocked = !build.is_blocked;
      allocator_.set_blocked(c, BuildId{b}, build.is_blocked);
    } else if (what < 10 && build.running > 0) {
      end(b);
    } else if (what == 10) {
      stop();
    } else {
      start();
    }
  }

  void end(std::uint32_t b) {
    allocator_.job_ended(class_of(b), BuildId{b});
    --builds_[b].running;
  }

  void start() {
    const auto next = allocator_.next();
    if (allocator_.next() != next)
      return complain("next() gave two answers, and nothing had happened in between");
    digest_.add(next ? index(next->build) : 999);
    if (!next) return;
    allocator_.job_started(next->work_class, next->build);
    auto& build = builds_[index(next->build)];
    --build.waiting;
    ++build.running;
  }

  void stop() {
    now_ += std::chrono::milliseconds(random_.below(400));
    for (const auto& stop : allocator_.to_stop(now_)) {
      digest_.add(index(stop.work_class) * 1000 + static_cast<std::uint64_t>(stop.jobs));
      for (auto left = stop.jobs; left > 0; --left) requeue(stop.work_class);
    }
    const auto check = allocator_.next_check();
    digest_.add(check ? static_cast<std::uint64_t>(check->time_since_epoch().count()) : 0);
  }

  void requeue(ClassId work_class) {
    for (std::uint32_t b = 0; b < kBuilds; ++b) {
      if (class_of(b) != work_class || builds_[b].running == 0) continue;
      allocator_.job_requeued(work_class, BuildId{b});
      --builds_[b].running;
      ++builds_[b].waiting;
      return;
    }
  }

  // Everything that waits gets its turn.
  void finish() {
    for (std::uint32_t b = 0; b < kBuilds; ++b) {
      while (builds_[b].running > 0) end(b);
      if (std::exchange(builds_[b].is_blocked, false)) allocator_.set_blocked(class_of(b), BuildId{b}, false);
    }
    for (auto waiting = all_waiting(); waiting > 0 && !wrong(); waiting = all_waiting()) {
      start();
      if (all_waiting() == waiting && !wrong())
        return complain(
            fmt::format("{} jobs wait, nothing runs, all {} places are free, and it lets nobody start",
                        waiting, kPlaces));
      for (std::uint32_t b = 0; b < kBuilds; ++b)
        while (builds_[b].running > 0) end(b);
    }
  }
  std::int64_t all_waiting() const {
    std::int64_t sum = 0;
    for (const auto& build : builds_) sum += build.waiting;
    return sum;
  }

  Allocator& allocator_;
  Random random_{kSeed};
  Digest digest_;
  std::uint32_t classes_ = 0;
  std::array<Build, kBuilds> builds_;
  Time now_{};
  std::string wrong_;
};

class PlacerDays {
 public:
  explicit PlacerDays(Placer& placer) : placer_(placer) {}

  Result<std::string> run() {
    for (std::uint32_t w = 0; w < kWorkers; ++w) placer_.add_worker(WorkerId{w});
    for (int i = 0; i < kSteps && !placer_.fault(); ++i) step();
    if (!placer_.fault()) finish();
    if (const auto fault = placer_.fault()) return tl::unexpected(*fault);
    if (!wrong_.empty()) return fail(Reason::bug, wrong_);
    return digest_.text();
  }

 private:
  static constexpr std::uint32_t kWorkers = 5;
  static constexpr std::uint32_t kJobs = 60;
  struct Running {
    std::uint32_t worker, job;
  };

  WorkerId some_worker() { return WorkerId{static_cast<std::uint32_t>(random_.below(kWorkers))}; }
  ResultId some_job() { return ResultId{static_cast<std::uint32_t>(random_.below(kJobs))}; }

  void step() {
    now_ += std::chrono::milliseconds(random_.below(random_.chance(0.1) ? 20'000 : 20));
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2: return schedule();
      case 3: return withdraw(some_job());
      case 4: return placer_.add_artifact(some_worker(), some_job(), now_);
      case 5: return placer_.remove_artifact(some_worker(), some_job(), now_);
      case 6: return remove(some_worker());
      case 7: return wake();
      case 8: return complete();
      case 9: return look();
      default: pick(some_worker());
    }
  }

  void schedule() {
    std::array<ResultId, 3> deps{some_job(), some_job(), some_job()};
    const auto job = some_job();
    if (placer_.schedule(job, std::span(deps).first(random_.below(4)), now_)) ++waiting_;
  }
  void withdraw(ResultId job) {
    const auto runs = std::find_if(running_.begin(), running_.end(),
                                   [&](const Running& one) { return one.job == index(job); });
    if (!placer_.withdraw(job, now_)) return;
    if (runs == running_.end()) --waiting_;
    else running_.erase(runs);
  }
  void remove(WorkerId worker) {
    for (const auto job : placer_.remove_worker(worker, now_)) {
      digest_.add(index(job));
      ++waiting_;
    }
    std::erase_if(running_, [&](const Running& one) { return one.worker == index(worker); });
    placer_.add_worker(worker);
  }
  bool pick(WorkerId worker) {
    const auto picked = placer_.pick(worker, now_);
    digest_.add(picked ? index(picked->job) * 4 + static_cast<std::uint64_t>(picked->queue) : 999);
    if (!picked) return false;
    running_.push_back({index(worker), index(picked->job)});
    --waiting_;
    return true;
  }
  void wake() {
    for (auto worker = placer_.next_woken(); worker; worker = placer_.next_woken()) pick(*worker);
  }
  void complete() {
    if (running_.empty()) return;
    const auto at = running_.begin() + static_cast<std::ptrdiff_t>(random_.below(running_.size()));
    const auto [worker, job] = *at;
    running_.erase(at);
    placer_.complete(WorkerId{worker}, ResultId{job}, random_.chance(0.8), now_);
  }
  void look() {
    placer_.advance(now_);
    const auto holder = placer_.locate(some_job());
    digest_.add(holder ? index(*holder) : 999);
    digest_.add(placer_.holds(some_worker(), some_job()));
    const auto timer = placer_.next_timer();
    digest_.add(timer ? static_cast<std::uint64_t>(timer->time_since_epoch().count()) : 0);
  }

  // Everything that waits gets a worker, if need be after all its time-outs.
  void finish() {
    while (waiting_ > 0 && !placer_.fault()) {
      bool any = false;
      for (std::uint32_t w = 0; w < kWorkers; ++w) any = pick(WorkerId{w}) || any;
      while (!running_.empty()) complete();
      if (any) continue;
      const auto timer = placer_.next_timer();
      if (placer_.fault()) return;
      if (!timer)
        return void(wrong_ = fmt::format("{} jobs wait, nothing runs, {} workers asked, and nobody got one",
                                         waiting_, kWorkers));
      now_ = *timer;
      placer_.advance(now_);
    }
  }

  Placer& placer_;
  Random random_{kSeed};
  Digest digest_;
  std::vector<Running> running_;
  std::int64_t waiting_ = 0;
  Time now_{};
  std::string wrong_;
};

}  // namespace

Result<std::string> try_allocator(Allocator& allocator) { return AllocatorDays(allocator).run(); }
Result<std::string> try_placer(Placer& placer) { return PlacerDays(placer).run(); }

}  // namespace weir
