// The placer against a model that knows no queues: it keeps what was said and works out from that, for every
// question, which jobs are where.
#include "core/placement/cache_placer.h"

#include <map>
#include <set>

namespace weir {
namespace {

using namespace std::chrono_literals;

class Model {
 public:
  explicit Model(const CachePlacerSettings& settings) : settings_(settings), random_(settings.seed) {}

  struct Job {
    std::uint64_t order = 0;
    std::set<int> deps;
    std::optional<int> runs_on;
    std::uint64_t picked = 0;
    std::optional<Time> cache_until, dependency_since, global_since;
  };

  void add_worker(int w) { workers_.insert(w); }
  bool is_held(int artifact) const {
    return std::any_of(held_.begin(), held_.end(), [&](const auto& one) { return one.second == artifact; });
  }
  bool holds(int w, int artifact) const { return held_.count({w, artifact}) > 0; }

  bool schedule(int id, const std::vector<int>& deps) {
    if (jobs_.count(id)) return false;
    jobs_[id].deps = {deps.begin(), deps.end()};
    begin(jobs_[id], id);
    return true;
  }
  bool complete(int w, int id, bool ok) {
    add_worker(w);
    const auto found = jobs_.find(id);
    const bool known = found != jobs_.end() && (ok || found->second.runs_on == w);
    if (known) jobs_.erase(found);
    if (ok) held_.insert({w, id});
    settle();
    return known;
  }
  void add_artifact(int w, int a) {
    add_worker(w);
    held_.insert({w, a});
  }
  void remove_artifact(int w, int a) {
    add_worker(w);
    held_.erase({w, a});
    settle();
  }
  void remove_worker(int w) {
    if (!workers_.erase(w)) return;
    std::erase_if(held_, [&](const auto& one) { return one.first == w; });
    std::map<std::uint64_t, int> lost;
    for (const auto& [id, job] : jobs_)
      if (job.runs_on == w) lost[job.picked] = id;
    settle();
    for (const auto& [when, id] : lost) begin(jobs_[id], id);
  }
  void advance(Duration by) {
    const auto end = now_ + by;
    for (;;) {
      std::optional<Time> next;
      const auto look = [&](std::optional<Time> t) {
        if (t && *t > now_ && *t <= end && (!next || *t < *next)) next = t;
      };
      for (const auto& [id, job] : jobs_) {
        if (job.runs_on) continue;
        if (!job.dependency_since) look(job.cache_until);
        if (job.dependency_since && !job.global_since) look(*job.dependency_since + settings_.deps_timeout);
      }
      if (!next) break;
      now_ = *next;
      settle();
    }
    now_ = end;
    settle();
  }
  std::optional<Placer::Pick> pick(int w) {
    add_worker(w);
    std::optional<int> first[3];
    for (const auto& [id, job] : jobs_) {
      if (job.runs_on) continue;
      const auto consider = [&, one = id, order = job.order](PlaceQueue queue) {
        auto& best = first[static_cast<int>(queue)];
        if (!best || order < jobs_[*best].order) best = one;
      };
      if (holds(w, id)) consider(PlaceQueue::result);
      if (job.dependency_since &&
          std::any_of(job.deps.begin(), job.deps.end(), [&](int d) { return holds(w, d); }))
        consider(PlaceQueue::dependency);
      if (job.global_since) consider(PlaceQueue::global);
    }
    std::vector<int> filled;
    for (int q = 0; q < 3; ++q)
      if (first[q]) filled.push_back(q);
    if (filled.empty()) return std::nullopt;
    int queue = filled[0];
    if (settings_.pick == PickRule::random) queue = filled[random_.below(filled.size())];
    else if (first[2] &&
             now_ - *jobs_[*first[2]].global_since > settings_.cache_timeout + settings_.deps_timeout)
      queue = 2;
    auto& job = jobs_[*first[queue]];
    job.runs_on = w;
    job.picked = ++picks_;
    return Placer::Pick{ResultId{static_cast<std::uint32_t>(*first[queue])}, static_cast<PlaceQueue>(queue)};
  }
  std::set<std::string> where(int id) const {
    std::set<std::string> out;
    const auto found = jobs_.find(id);
    if (found == jobs_.end() || found->second.runs_on) return out;
    for (const auto& [w, artifact] : held_) {
      if (artifact == id) out.insert(fmt::format("result:{}", w));
      if (found->second.dependency_since && found->second.deps.count(artifact))
        out.insert(fmt::format("dependency:{}", w));
    }
    if (found->second.global_since) out.insert("global");
    return out;
  }
  Time now() const { return now_; }

 private:
  void begin(Job& job, int id) {
    job = {next_order_++, job.deps, {}, 0, {}, {}, {}};
    if (is_held(id)) job.cache_until = now_ + settings_.cache_timeout;
    else job.dependency_since = now_;
    settle();
  }
  void settle() {
    for (auto& [id, job] : jobs_) {
      if (job.runs_on) continue;
      if (!job.dependency_since && (now_ >= *job.cache_until || !is_held(id))) job.dependency_since = now_;
      if (!job.dependency_since || job.global_since) continue;
      const bool served = std::any_of(job.deps.begin(), job.deps.end(), [&](int d) { return is_held(d); });
      if (now_ >= *job.dependency_since + settings_.deps_timeout || (settings_.skip_empty_stages && !served))
        job.global_since = now_;
    }
  }

  CachePlacerSettings settings_;
  Random random_;
  Time now_{};
  std::uint64_t next_order_ = 0, picks_ = 0;
  std::map<int, Job> jobs_;
  std::set<int> workers_;
  std::set<std::pair<int, int>> held_;
};

ResultId result(int id) { return ResultId{static_cast<std::uint32_t>(id)}; }
WorkerId worker(int id) { return WorkerId{static_cast<std::uint32_t>(id)}; }

std::set<std::string> where(const CachePlacer& placer, int id) {
  std::set<std::string> out;
  const auto found = placer.where(result(id));
  for (const auto w : found.result) out.insert(fmt::format("result:{}", index(w)));
  for (const auto w : found.dependency) out.insert(fmt::format("dependency:{}", index(w)));
  if (found.global) out.insert("global");
  return out;
}

class Comparison {
 public:
  explicit Comparison(std::uint64_t seed)
      : random_(seed), settings_(settings_of(random_)), model_(settings_), placer_(settings_) {
    workers_ = 1 + static_cast<int>(random_.below(5));
    things_ = 2 + static_cast<int>(random_.below(14));
    calm_ = random_.chance(0.5);
  }

  void step() {
    const int w = any(workers_), a = any(things_);
    const auto now = model_.now();
    switch (random_.below(calm_ ? 7 : 10)) {
      case 0:
      case 1: {
        std::vector<int> deps;
        for (auto i = random_.below(random_.chance(0.1) ? 9 : 4); i > 0; --i) deps.push_back(any(things_));
        std::vector<ResultId> ids;
        for (const int d : deps) ids.push_back(result(d));
        ASSERT_EQ(placer_.schedule(result(a), ids, now), model_.schedule(a, deps));
        break;
      }
      case 2:
      case 3: {
        const auto got = placer_.pick(worker(w), now);
        const auto expected = model_.pick(w);
        ASSERT_EQ(got.has_value(), expected.has_value());
        if (got) {
          ASSERT_EQ(got->job, expected->job);
          ASSERT_EQ(got->queue, expected->queue);
        }
        break;
      }
      case 4: {
        const bool ok = random_.chance(0.8);
        // A hint, also of workers and jobs that nobody knows, is no news.
        const Placer::Ended ended[] = {{worker(w), result(a)},
                                       {worker((w + 1) % 5), result(a / 2)},
                                       {WorkerId{77'000}, ResultId{88'000}}};
        placer_.expect(ended);
        ASSERT_EQ(placer_.complete(worker(w), result(a), ok, now), model_.complete(w, a, ok));
        break;
      }
      case 5: {
        const auto by = std::chrono::milliseconds(random_.below(random_.chance(0.2) ? 300 : 15));
        model_.advance(by);
        placer_.advance(model_.now());
        break;
      }
      case 6:
        placer_.add_artifact(worker(w), result(a), now);
        model_.add_artifact(w, a);
        break;
      case 7:
        placer_.remove_artifact(worker(w), result(a), now);
        model_.remove_artifact(w, a);
        break;
      case 8:
        placer_.remove_worker(worker(w), now);
        model_.remove_worker(w);
        break;
      case 9: placer_.add_worker(worker(w)); model_.add_worker(w);
    }
  }

  void check() {
    for (int id = 0; id < things_; ++id) {
      ASSERT_EQ(where(placer_, id), model_.where(id)) << "job " << id;
      const auto holder = placer_.locate(result(id));
      ASSERT_EQ(holder.has_value(), model_.is_held(id));
      if (holder) {
        ASSERT_TRUE(model_.holds(static_cast<int>(index(*holder)), id));
      }
    }
  }

 private:
  static CachePlacerSettings settings_of(Random& random) {
    CachePlacerSettings settings;
    settings.cache_timeout = std::chrono::milliseconds(random.below(3) * 10);
    settings.deps_timeout = std::chrono::milliseconds(random.below(3) * 40);
    settings.pick = random.chance(0.3) ? PickRule::random : PickRule::cache_first;
    settings.skip_empty_stages = random.chance(0.5);
    settings.seed = random.next();
    return settings;
  }
  int any(int count) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(count))); }

  Random random_;
  CachePlacerSettings settings_;
  Model model_;
  CachePlacer placer_;
  int workers_, things_;
  bool calm_;
};

TEST(CachePlacer, does_what_the_model_says_in_ten_thousand_random_stories) {
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    Comparison story(seed);
    for (int step = 0; step < 200; ++step) {
      story.step();
      if (step % 7 == 0) story.check();
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
  }
}

CachePlacerSettings settings() { return {1000ms, 60000ms, PickRule::cache_first, true, 0}; }
Time at(int ms) { return Time(std::chrono::milliseconds(ms)); }

TEST(CachePlacer, a_waiting_worker_is_woken_by_the_job_that_it_can_take) {
  CachePlacer placer(settings());
  placer.add_artifact(worker(1), result(7), at(0));
  EXPECT_FALSE(placer.pick(worker(0), at(0)));
  EXPECT_FALSE(placer.pick(worker(1), at(0)));
  const ResultId deps[] = {result(7)};
  placer.schedule(result(8), deps, at(0));
  EXPECT_EQ(placer.next_woken(), worker(1));
  EXPECT_EQ(placer.next_woken(), std::nullopt);
  EXPECT_EQ(placer.next_timer(), at(60000));
  placer.advance(at(60000));
  EXPECT_EQ(placer.next_woken(), worker(0));
  EXPECT_TRUE(placer.pick(worker(0), at(60000)));
  EXPECT_EQ(placer.next_woken(), std::nullopt);
}

TEST(CachePlacer, a_withdrawn_job_is_nowhere) {
  CachePlacer placer(settings());
  placer.schedule(result(1), {}, at(0));
  EXPECT_TRUE(placer.withdraw(result(1), at(0)));
  EXPECT_FALSE(placer.withdraw(result(1), at(0)));
  EXPECT_FALSE(placer.pick(worker(0), at(100000)));
  EXPECT_EQ(placer.waiting(), 0u);
}

TEST(CachePlacer, an_artifact_that_everybody_holds_and_needs_costs_no_queue_for_each_pair) {
  CachePlacer placer(settings());
  constexpr int kWorkers = 2'000, kJobs = 20'000;
  for (int w = 0; w < kWorkers; ++w) placer.add_artifact(worker(w), result(0), at(0));
  const ResultId deps[] = {result(0)};
  for (int j = 1; j <= kJobs; ++j) placer.schedule(result(j), deps, at(0));
  for (int j = 1; j <= kJobs; ++j) {
    const auto got = placer.pick(worker(j % kWorkers), at(0));
    ASSERT_TRUE(got);
    ASSERT_EQ(got->job, result(j));
    ASSERT_EQ(got->queue, PlaceQueue::dependency);
  }
}

// Jobs that waited for their cache come late into queues where others already stand.
TEST(OrderedQueue, is_in_the_order_of_scheduling_however_late_somebody_comes) {
  struct Node {
    QueueLink queue_link;
    std::uint32_t first_child = kNone;
    bool late = false;
    std::uint64_t order = 0;
  };
  struct Nodes {
    std::vector<Node>& all;
    QueueLink& link(std::uint32_t i) { return all[i].queue_link; }
    std::uint32_t& child(std::uint32_t i) { return all[i].first_child; }
    std::uint64_t order(std::uint32_t i) const { return all[i].order; }
    bool is_late(std::uint32_t i) const { return all[i].late; }
    void set_late(std::uint32_t i, bool late) { all[i].late = late; }
  };
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    std::vector<Node> nodes(100);
    QueueEnds ends;
    OrderedQueue<Nodes> queue({nodes}, ends);
    std::map<std::uint64_t, std::uint32_t> model;
    for (int step = 0; step < 500; ++step) {
      const auto node = static_cast<std::uint32_t>(random.below(100));
      if (const auto found = model.find(nodes[node].order); found != model.end() && found->second == node) {
        queue.erase(node);
        model.erase(found);
      } else {
        nodes[node].order = random.next();
        queue.insert(node);
        model[nodes[node].order] = node;
      }
      ASSERT_EQ(queue.front(), model.empty() ? kNone : model.begin()->second) << "seed " << seed;
      std::set<std::uint32_t> seen, expected;
      queue.for_each([&](std::uint32_t i) { seen.insert(i); });
      for (const auto& [order, i] : model) expected.insert(i);
      ASSERT_EQ(seen, expected) << "seed " << seed;
    }
  }
}

// Where an offer is in its heap is written down in large heaps only; these grow and shrink across that.
TEST(OfferHeap, has_the_first_on_top_whether_small_or_large) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    OfferHeap heap;
    std::map<std::uint32_t, std::uint64_t> model;
    std::map<std::uint32_t, std::uint32_t> written;
    const auto positions = [&](std::uint32_t holding) -> std::uint32_t& { return written[holding]; };
    for (int step = 0; step < 1000; ++step) {
      const auto holding = static_cast<std::uint32_t>(random.below(40));
      const auto order = random.next();
      const bool grows = step / 200 % 2 == 0;
      if (random.chance(grows ? 0.8 : 0.2)) {
        heap.offer({order, 0, holding, ResultId{holding}}, positions);
        const auto [known, is_new] = model.try_emplace(holding, order);
        if (!is_new) known->second = std::min(known->second, order);
      } else if (random.chance(0.7)) {
        heap.remove(holding, positions);
        model.erase(holding);
      } else if (!heap.empty()) {
        auto& top = model.at(heap.top().holding);
        top += random.below(~top);
        heap.correct_top(top, 0, positions);
      }
      ASSERT_EQ(heap.empty(), model.empty());
      if (model.empty()) continue;
      const auto first = std::min_element(model.begin(), model.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
      ASSERT_EQ(heap.top().holding, first->first) << "seed " << seed << ", step " << step;
      ASSERT_EQ(heap.top().order, first->second);
    }
  }
}

}  // namespace
}  // namespace weir
