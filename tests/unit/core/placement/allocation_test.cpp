// Allocation against a reference that is written another way: exact fractions, lambda by trying every set of
// classes that are between dry and full, phases as the specification words them.
#include "core/placement/allocation.h"

#include <boost/multiprecision/cpp_int.hpp>

#include "core/base/random.h"
#include "core/placement/load_allocator.h"

namespace weir {
namespace {

using Fraction = boost::multiprecision::cpp_rational;
using Counts = std::vector<std::int64_t>;

struct Case {
  std::int64_t workers = 0, idle = 0;
  Loans loans = Loans::plain;
  std::vector<std::string> load_texts;
  std::vector<Decimal> loads;
  std::vector<Fraction> exact;
  std::vector<ClassJobs> jobs;
  Decimal threshold{50};
  bool over = false;
};

std::int64_t floor_of(const Fraction& f) {
  return static_cast<std::int64_t>(boost::multiprecision::numerator(f) /
                                   boost::multiprecision::denominator(f));
}

Fraction amount(const Fraction& level, const Fraction& weight, std::int64_t held, std::int64_t cap) {
  Fraction x = level * weight - held;
  if (x < 0) x = 0;
  if (x > cap) x = cap;
  return x;
}

// Bisects the corners for lambda by their total, then solves between two of them.
Counts reference_share(std::int64_t n, const std::vector<Fraction>& weight, const Counts& cap,
                       const Counts& held) {
  const auto size = weight.size();
  std::vector<Fraction> corners{0};
  std::int64_t useful = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (weight[i] == 0) continue;
    useful += cap[i];
    corners.push_back(Fraction(held[i]) / weight[i]);
    corners.push_back(Fraction(held[i] + cap[i]) / weight[i]);
  }
  const Fraction wanted = std::min(n, useful);
  const auto total = [&](const Fraction& level) {
    Fraction sum = 0;
    for (std::size_t i = 0; i < size; ++i)
      if (weight[i] != 0) sum += amount(level, weight[i], held[i], cap[i]);
    return sum;
  };
  std::sort(corners.begin(), corners.end());
  std::size_t k = 0;
  while (total(corners[k]) < wanted) ++k;
  Fraction level = corners[k];
  if (k > 0 && total(corners[k]) != wanted) {
    const Fraction low = corners[k - 1], a = total(low), b = total(corners[k]);
    level = low + (wanted - a) * (corners[k] - low) / (b - a);
  }
  Counts out(size, 0);
  std::vector<Fraction> rest(size, 0);
  std::int64_t left = static_cast<std::int64_t>(boost::multiprecision::numerator(wanted));
  for (std::size_t i = 0; i < size; ++i) {
    if (weight[i] == 0) continue;
    const auto x = amount(level, weight[i], held[i], cap[i]);
    out[i] = floor_of(x);
    rest[i] = x - out[i];
    left -= out[i];
  }
  for (; left > 0; --left) {
    std::size_t best = size;
    for (std::size_t i = 0; i < size; ++i) {
      if (rest[i] == 0) continue;
      if (best == size || rest[i] > rest[best] || (rest[i] == rest[best] && weight[i] > weight[best]))
        best = i;
    }
    ++out[best];
    rest[best] = 0;
  }
  return out;
}

Counts reference_targets(const Case& c) {
  const auto size = c.jobs.size();
  auto target = reference_share(c.workers, c.exact, Counts(size, c.workers), Counts(size, 0));
  std::vector<bool> done(size, false);
  for (;;) {
    std::size_t taker = size, donor = size;
    for (std::size_t i = 0; i < size; ++i)
      if (!done[i] && c.exact[i] > 0 && c.jobs[i].running + c.jobs[i].waiting > 0 && target[i] == 0 &&
          (taker == size || c.exact[i] > c.exact[taker]))
        taker = i;
    if (taker == size) return target;
    done[taker] = true;
    for (std::size_t i = 0; i < size; ++i)
      if (target[i] > 0 && (target[i] > 1 || c.jobs[i].running + c.jobs[i].waiting == 0) &&
          (donor == size || target[i] > target[donor]))
        donor = i;
    if (donor == size) continue;
    --target[donor];
    ++target[taker];
  }
}

Counts reference_starts(const Case& c, const Counts& target, std::int64_t idle,
                        const std::vector<ClassJobs>& jobs) {
  const auto size = jobs.size();
  Counts started(size, 0);
  const auto give = [&](const std::vector<Fraction>& weight, const Counts& cap, const Counts& held) {
    const auto given = reference_share(idle, weight, cap, held);
    for (std::size_t i = 0; i < size; ++i) {
      started[i] += given[i];
      idle -= given[i];
    }
  };
  std::vector<Fraction> lack(size, 0);
  Counts cap(size, 0), held(size, 0);
  for (std::size_t i = 0; i < size; ++i)
    if (jobs[i].waiting > 0 && jobs[i].running < target[i]) {
      lack[i] = target[i] - jobs[i].running;
      cap[i] = std::min(jobs[i].waiting, target[i] - jobs[i].running);
    }
  give(lack, cap, held);
  for (std::size_t i = 0; i < size; ++i) {
    cap[i] = jobs[i].waiting - started[i];
    if (c.loans == Loans::accounted)
      held[i] = std::max<std::int64_t>(0, jobs[i].running + started[i] - target[i]);
  }
  give(c.exact, cap, held);
  std::vector<Fraction> equal(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    if (c.exact[i] == 0) equal[i] = 1;
    cap[i] = jobs[i].waiting - started[i];
    held[i] = 0;
  }
  give(equal, cap, held);
  return started;
}

Fraction reference_spread(const Case& c, const Counts& target) {
  if (c.workers == 0) return 0;
  Fraction high = 0, low = 0;
  for (std::size_t i = 0; i < c.jobs.size(); ++i) {
    if (c.exact[i] == 0 || (c.jobs[i].running <= target[i] && c.jobs[i].waiting == 0)) continue;
    const Fraction d = Fraction(target[i] - c.jobs[i].running) * 100 / c.workers;
    high = std::max(high, d);
    low = std::min(low, d);
  }
  return high - low;
}

Case random_case(Random& random) {
  Case c;
  const auto size = 1 + random.below(random.chance(0.2) ? 20 : 6);
  const auto scale = random.chance(0.3) ? 4 : random.chance(0.5) ? 40 : 4000;
  c.loans = random.chance(0.5) ? Loans::plain : Loans::accounted;
  std::int64_t running = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto whole = random.below(random.chance(0.5) ? 5 : 60), part = random.below(1000);
    const auto digits = random.chance(0.4) ? fmt::format("{}.{:03}", whole, part)
                                           : std::to_string(random.chance(0.2) ? 0 : whole);
    c.load_texts.push_back(digits);
    c.loads.push_back(*Decimal::parse(digits));
    const auto dot = digits.find('.');
    c.exact.push_back(dot == std::string::npos ? Fraction(std::stoll(digits))
                                               : Fraction(std::stoll(digits.substr(0, dot))) +
                                                     Fraction(std::stoll(digits.substr(dot + 1)), 1000));
    ClassJobs jobs;
    if (random.chance(0.7))
      jobs.running = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(scale)));
    if (random.chance(0.7))
      jobs.waiting = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(scale * 2)));
    running += jobs.running;
    c.jobs.push_back(jobs);
  }
  c.idle = random.chance(0.2)
               ? static_cast<std::int64_t>(random.below(2))
               : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(scale * 3)));
  c.workers =
      running + c.idle +
      (random.chance(0.5) ? 0 : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(scale))));
  c.threshold = Decimal(random.below(60));
  c.over = random.chance(0.5);
  return c;
}

std::string shown(const Case& c, std::uint64_t seed) {
  std::string out = fmt::format("seed {}, {} workers, {} idle, {}\n", seed, c.workers, c.idle,
                                c.loans == Loans::plain ? "plain" : "accounted");
  for (std::size_t i = 0; i < c.jobs.size(); ++i)
    out +=
        fmt::format("load {} running {} waiting {}\n", c.load_texts[i], c.jobs[i].running, c.jobs[i].waiting);
  return out;
}

Allocation asked(const Case& c) {
  return allocate({c.workers, c.idle, c.loans, c.threshold, c.over, c.loads, c.jobs});
}

TEST(Allocation, is_the_exact_solution_for_ten_thousand_random_inputs) {
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    Random random(seed);
    const auto c = random_case(random);
    const auto got = asked(c);
    const auto target = reference_targets(c);
    ASSERT_EQ(got.target, target) << shown(c, seed);
    const auto spread = reference_spread(c, target);
    if (c.workers > 0) {
      ASSERT_EQ(Fraction(got.spread) * 100 / c.workers, spread) << shown(c, seed);
    }
    const bool rebalances = c.over && spread > Fraction(*c.threshold.whole());
    ASSERT_EQ(got.rebalanced, rebalances) << shown(c, seed);
    auto jobs = c.jobs;
    auto idle = c.idle;
    if (rebalances)
      for (auto& one : jobs) {
        idle += one.running;
        one = {0, one.waiting + one.running};
      }
    auto start = reference_starts(c, target, idle, jobs);
    Counts stop(start.size(), 0);
    if (rebalances)
      for (std::size_t i = 0; i < start.size(); ++i) {
        stop[i] = std::max<std::int64_t>(0, c.jobs[i].running - start[i]);
        start[i] = std::max<std::int64_t>(0, start[i] - c.jobs[i].running);
      }
    ASSERT_EQ(got.start, start) << shown(c, seed);
    ASSERT_EQ(got.stop, stop) << shown(c, seed);
  }
}

// The same state reached job by job, with the starts handed out one by one.
TEST(Allocation, the_allocator_of_the_loop_hands_out_the_same) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    Random random(seed * 7919);
    auto c = random_case(random);
    LoadSettings settings;
    settings.loans = c.loans;
    settings.threshold = c.threshold;
    settings.min_duration = Duration::zero();
    for (std::size_t i = 0; i < c.loads.size(); ++i)
      settings.classes.push_back({std::to_string(i), c.loads[i]});
    auto made = std::move(*LoadAllocator::make(settings));
    auto& allocator = *made;
    allocator.set_workers(c.workers, c.workers);
    const auto size = static_cast<std::uint32_t>(c.jobs.size());
    for (std::uint32_t i = 0; i < size; ++i) {
      auto& jobs = c.jobs[i];
      jobs.running %= 30;
      jobs.waiting %= 60;
      for (std::int64_t k = 0; k < jobs.running; ++k) {
        allocator.job_waiting(ClassId{i}, BuildId{i});
        allocator.job_started(ClassId{i}, BuildId{i});
      }
      for (std::int64_t k = 0; k < jobs.waiting; ++k) allocator.job_waiting(ClassId{i}, BuildId{i});
    }
    if (random.chance(0.5)) c.idle %= 40;
    if (random.chance(0.3)) c.idle = 1;
    std::int64_t running = 0;
    for (const auto& jobs : c.jobs) running += jobs.running;
    c.workers = running + c.idle;
    allocator.set_workers(c.workers, c.idle);
    const auto expected = asked(c);
    ASSERT_EQ(allocator.target(), expected.target) << shown(c, seed);
    ASSERT_EQ(allocator.spread(), expected.spread) << shown(c, seed);
    Counts stop(size, 0), start(size, 0);
    if (c.over) {
      for (const auto& one : allocator.to_stop(Time())) {
        stop[index(one.work_class)] = one.jobs;
        for (std::int64_t k = 0; k < one.jobs; ++k)
          allocator.job_requeued(one.work_class, BuildId{index(one.work_class)});
      }
    }
    ASSERT_EQ(stop, expected.stop) << shown(c, seed);
    while (const auto next = allocator.next()) {
      ++start[index(next->work_class)];
      allocator.job_started(next->work_class, next->build);
    }
    ASSERT_EQ(start, expected.start) << shown(c, seed);
  }
}

}  // namespace
}  // namespace weir
