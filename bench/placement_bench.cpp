// Placement alone: rounds of schedule, pick and complete while many jobs wait, with an allocator of 16
// classes in front. One thread, and its CPU seconds. A decision is allocator and placer together: which class
// and build may start, and which job the worker takes.
//   placement_bench [waiting] [workers] [rounds] [batch]
#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "core/base/random.h"
#include "core/placement/cache_placer.h"
#include "core/placement/load_allocator.h"

namespace {

using namespace weir;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

// Of this thread: others use the machine too.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

constexpr std::uint32_t kClasses = 16;
constexpr std::uint32_t kBuilds = 256;
constexpr std::uint32_t kFanIn = 3;
constexpr std::uint32_t kBatch = 16;  // ended jobs that the loop finds when it looks

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * 4096;
}

// Seven of ten jobs need something that a worker holds, and two results of some thousand jobs before them, as
// the layers of a build do; the others need only what nobody holds yet, so that they can go anywhere.
class Bench {
 public:
  Bench(std::uint32_t waiting, std::uint32_t workers, std::uint32_t rounds, std::uint32_t batch)
      : waiting_(waiting),
        workers_(workers),
        rounds_(rounds),
        batch_(batch),
        placer_({.cache_timeout = 1s, .deps_timeout = 60s}) {
    LoadSettings settings;
    for (std::uint32_t c = 0; c < kClasses; ++c)
      settings.classes.push_back({fmt::format("c{}", c), Decimal(1 + c * c)});
    allocator_ = std::move(*LoadAllocator::make(std::move(settings)));
    allocator_->set_workers(workers, workers);
    for (std::uint32_t w = 0; w < workers; ++w)
      for (int k = 0; k < 4; ++k) placer_.add_artifact(WorkerId{w}, ResultId{next_++}, now_);
    held_ = next_;
    running_.resize(workers);
  }

  // Afterwards every worker runs a job: each round one ends and one starts, as in a cluster at work.
  void fill() {
    const auto before = resident_bytes();
    for (std::uint32_t i = 0; i < waiting_ + workers_; ++i) schedule();
    bytes_ = static_cast<double>(resident_bytes() - before) / (waiting_ + workers_);
    for (std::uint32_t i = 0; i < workers_; ++i) decide(i);
    name_all_jobs();
  }

  void run() {
    const auto start = cpu_seconds();
    for (std::uint32_t i = 0; i < rounds_; ++i) {
      if (batch_ > 1 && i % batch_ == 0) expect(i);
      finish(i % workers_);
      schedule();
      decide(i % workers_);
    }
    seconds_ = cpu_seconds() - start;
  }

  // A second pass, since looking at the clock takes a good part of what is measured.
  void sample() {
    samples_.reserve(rounds_);
    for (std::uint32_t i = 0; i < rounds_; ++i) {
      if (batch_ > 1 && i % batch_ == 0) expect(i);
      finish(i % workers_);
      schedule();
      const auto start = Steady::now();
      decide(i % workers_);
      samples_.push_back(
          static_cast<float>(std::chrono::duration<double, std::micro>(Steady::now() - start).count()));
    }
    std::sort(samples_.begin(), samples_.end());
  }

  void print() const {
    const auto at = [&](double q) {
      return samples_[static_cast<std::size_t>(q * static_cast<double>(samples_.size() - 1))];
    };
    fmt::print(
        "| {:>2} | {:>9} | {:>7} | {:>10.0f} | {:>6.2f} | {:>6.2f} | {:>8.1f} | {:>5.0f} | {:>4.0f} % |\n",
        batch_, waiting_, workers_, rounds_ / seconds_, at(0.5), at(0.99), samples_.back(), bytes_,
        100.0 * near_ / picks_);
    std::fflush(stdout);
  }

 private:
  // A build is a stretch of jobs; a class has the builds that are equal to it modulo 16.
  static BuildId build_of(ResultId job) { return BuildId{index(job) / 4096 % kBuilds}; }
  static ClassId class_of(ResultId job) { return ClassId{index(build_of(job)) % kClasses}; }

  // As those of a graph are named before they are ready. Otherwise each round would take new memory from the
  // system, and on a virtual machine whose host gives it out late (3 s for each GB) that is a quarter of all
  // time.
  void name_all_jobs() { placer_.withdraw(ResultId{next_ + 2 * rounds_}, now_); }

  void schedule() {
    now_ += 10us;
    const ResultId job{next_++};
    constexpr std::uint32_t kWindow = 4096;
    ResultId deps[kFanIn];
    const auto span = std::min(kWindow, index(job));
    for (auto& dep : deps) dep = ResultId{index(job) - 1 - static_cast<std::uint32_t>(random_.below(span))};
    if (random_.below(10) < 7) deps[0] = ResultId{static_cast<std::uint32_t>(random_.below(held_))};
    allocator_->job_waiting(class_of(job), build_of(job));
    placer_.schedule(job, deps, now_);
  }

  // All jobs are in the placer already; so the class that may start is asked for, and told of what was
  // picked.
  void decide(std::uint32_t worker) {
    const auto picked = allocator_->next() ? placer_.pick(WorkerId{worker}, now_) : std::nullopt;
    if (!picked) std::abort();
    ++picks_;
    if (picked->queue != PlaceQueue::global) ++near_;
    allocator_->job_started(class_of(picked->job), build_of(picked->job));
    running_[worker] = picked->job;
  }

  // The loop takes all news that are there at once, and at a million rounds a second there are always some.
  void expect(std::uint32_t round) {
    ended_.clear();
    for (std::uint32_t i = 0; i < batch_; ++i) {
      const auto worker = (round + i) % workers_;
      ended_.push_back({WorkerId{worker}, running_[worker]});
    }
    placer_.expect(ended_);
  }

  void finish(std::uint32_t worker) {
    const auto job = running_[worker];
    placer_.complete(WorkerId{worker}, job, true, now_);
    allocator_->job_ended(class_of(job), build_of(job));
  }

  const std::uint32_t waiting_, workers_, rounds_, batch_;
  std::vector<Placer::Ended> ended_;
  CachePlacer placer_;
  std::unique_ptr<LoadAllocator> allocator_;
  Random random_{1};
  Time now_{};
  std::uint32_t next_ = 0, held_ = 0;
  std::vector<ResultId> running_;
  std::vector<float> samples_;
  double seconds_ = 0, bytes_ = 0, picks_ = 0, near_ = 0;
};

void run(std::uint32_t waiting, std::uint32_t workers, std::uint32_t rounds, std::uint32_t batch) {
  Bench bench(waiting, workers, rounds, batch);
  bench.fill();
  bench.run();
  bench.sample();
  bench.print();
  malloc_trim(0);  // or the next one would be counted in memory that is there already
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, std::uint32_t otherwise) {
    return argc > i ? static_cast<std::uint32_t>(std::atoi(argv[i])) : otherwise;
  };
  fmt::print(
      "| batch | waiting | workers | rounds/s | us p50 | us p99 | us max | bytes/job | picked near |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  const auto rounds = number(3, 1'000'000);
  if (argc > 1) {
    run(number(1, 0), number(2, 10'000), rounds, number(4, kBatch));
    return 0;
  }
  for (const std::uint32_t batch : {kBatch, 1u})
    for (const std::uint32_t waiting : {10'000u, 100'000u, 1'000'000u})
      run(waiting, std::min(waiting / 10, 10'000u), rounds, batch);
}
