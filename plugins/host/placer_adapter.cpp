// A placer of a plugin. Which jobs wait and which worker runs which is kept here as well: four bytes a job,
// by which every answer is checked.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/assert.h"
#include "plugins/host/adapters.h"
#include "plugins/host/placement_border.h"

namespace weir {

namespace {

class AdaptedPlacer final : public Placer {
 public:
  AdaptedPlacer(std::shared_ptr<const PluginLibrary> library, const weir_placer_v1& table,
                weir_placer* handle)
      : table_(table), handle_(handle), border_(std::move(library), trouble()) {}
  ~AdaptedPlacer() override {
    border_.call("close", [&] { return table_.close(handle_), WEIR_OK; });
  }

  void advance(Time now) override {
    happens(now);
    if (table_.advance) border_.call("advance", [&] { return table_.advance(handle_, ns(now)); });
  }

  std::optional<Time> next_timer() const override {
    if (!table_.next_timer) return std::nullopt;
    std::int64_t when = WEIR_NEVER;
    if (!border_.call("next_timer", [&] { return table_.next_timer(handle_, &when); }) || when == WEIR_NEVER)
      return std::nullopt;
    const Time time{Duration(when)};
    if (time > last_) return time;
    border_.broke("next_timer",
                  fmt::format("wants to be told at {} ns, and was told at {} ns", when, ns(last_)));
    return std::nullopt;
  }

  void add_worker(WorkerId worker) override { known(worker); }

  std::vector<ResultId> remove_worker(WorkerId id, Time now) override {
    if (!is_known(id)) return advance(now), std::vector<ResultId>();
    happens(now);
    auto& worker = workers_[index(id)];
    std::vector<ResultId> lost;
    struct Heard {
      std::vector<ResultId>& lost;
      std::size_t most;
    } heard{lost, worker.running + std::size_t{1}};
    const weir_job_sink sink = {sizeof sink, 0, &heard, [](const weir_job_sink* own, std::uint32_t job) {
                                  auto& to = *static_cast<Heard*>(own->host);
                                  if (to.lost.size() < to.most) to.lost.push_back(ResultId{job});
                                }};
    const bool told = border_.call("remove_worker",
                                   [&] { return table_.remove_worker(handle_, index(id), ns(now), &sink); });
    if (!told || !are_lost(lost, id)) lost = running_on(id);
    for (const auto job : lost) jobs_[index(job)] = kWaits;
    worker = {};
    return lost;
  }

  void add_artifact(WorkerId worker, ResultId artifact, Time now) override {
    known(worker);
    if (!table_.add_artifact) return advance(now);
    happens(now);
    border_.call("add_artifact",
                 [&] { return table_.add_artifact(handle_, index(worker), index(artifact), ns(now)); });
  }
  void remove_artifact(WorkerId worker, ResultId artifact, Time now) override {
    known(worker);
    if (!table_.remove_artifact) return advance(now);
    happens(now);
    border_.call("remove_artifact",
                 [&] { return table_.remove_artifact(handle_, index(worker), index(artifact), ns(now)); });
  }
  bool holds(WorkerId worker, ResultId artifact) const override {
    std::uint32_t held = 0;
    if (!table_.holds ||
        !border_.call("holds", [&] { return table_.holds(handle_, index(worker), index(artifact), &held); }))
      return false;
    if (held > 1) border_.broke("holds", fmt::format("answered {}, which is neither 0 nor 1", held));
    return held == 1;
  }
  std::optional<WorkerId> locate(ResultId artifact) const override {
    std::uint32_t worker = WEIR_NONE;
    if (!table_.locate ||
        !border_.call("locate", [&] { return table_.locate(handle_, index(artifact), &worker); }))
      return std::nullopt;
    if (worker == WEIR_NONE) return std::nullopt;
    if (is_known(WorkerId{worker})) return WorkerId{worker};
    border_.broke("locate", fmt::format("named worker {}, which does not exist", worker));
    return std::nullopt;
  }

  bool schedule(ResultId job, std::span<const ResultId> deps, Time now) override {
    auto& state = job_state(job);
    if (state != kUnknown) return advance(now), false;
    state = kWaits;
    happens(now);
    deps_.clear();
    for (const auto dep : deps) deps_.push_back(index(dep));
    border_.call("schedule",
                 [&] { return table_.schedule(handle_, index(job), deps_.data(), deps_.size(), ns(now)); });
    return true;
  }

  bool withdraw(ResultId job, Time now) override {
    auto& state = job_state(job);
    if (state == kUnknown) return advance(now), false;
    finish(state);
    happens(now);
    border_.call("withdraw", [&] { return table_.withdraw(handle_, index(job), ns(now)); });
    return true;
  }

  std::optional<Pick> pick(WorkerId id, Time now) override {
    auto& worker = known(id);
    if (now > last_) happens(now);
    std::uint32_t job = WEIR_NONE, queue = WEIR_PICK_GLOBAL;
    if (!border_.call("pick", [&] { return table_.pick(handle_, index(id), ns(now), &job, &queue); }))
      return std::nullopt;
    if (job == WEIR_NONE) {
      ++worker.waits;
      return std::nullopt;
    }
    if (!may_take(id, job, queue)) return std::nullopt;
    fruitless_ = 0;
    jobs_[job] = index(id);
    ++worker.running;
    return Pick{ResultId{job}, static_cast<PlaceQueue>(queue)};
  }

  bool complete(WorkerId worker, ResultId job, bool ok, Time now) override {
    known(worker);
    happens(now);
    auto& state = job_state(job);
    const bool is_known_job = state != kUnknown && (ok || state == index(worker));
    if (is_known_job) finish(state);
    border_.call("complete",
                 [&] { return table_.complete(handle_, index(worker), index(job), ok ? 1 : 0, ns(now)); });
    return is_known_job;
  }

  std::optional<WorkerId> next_woken() override {
    std::uint32_t id = WEIR_NONE;
    if (!border_.call("next_woken", [&] { return table_.next_woken(handle_, &id); }) || id == WEIR_NONE)
      return std::nullopt;
    if (!is_known(WorkerId{id}) || workers_[id].waits == 0) {
      border_.broke("next_woken", fmt::format("woke worker {}, which {}", id,
                                              is_known(WorkerId{id}) ? "does not wait" : "does not exist"));
      return std::nullopt;
    }
    --workers_[id].waits;
    // Each may be woken for something that another one took; all of them over and over again would be a loop
    // without an end.
    if (++fruitless_ > 2 * workers_.size() + kPatience) {
      border_.broke("next_woken",
                    fmt::format("woke workers {} times, and there was nothing to pick", fruitless_));
      return std::nullopt;
    }
    return WorkerId{id};
  }

  std::optional<Error> fault() const override { return border_.fault(); }

 private:
  // In jobs_: one of these, or the worker that runs it.
  static constexpr std::uint32_t kUnknown = 0xffffffff, kWaits = 0xfffffffe;
  static constexpr std::size_t kPatience = 64;
  struct Worker {
    std::uint32_t running = 0;
    std::uint32_t waits = 0;  // how often it got nothing and was not woken since
    bool is_known = false;
  };

  static std::int64_t ns(Time time) { return time.time_since_epoch().count(); }

  PlacementBorder::Trouble trouble() const {
    if (!table_.trouble) return {};
    return
        [table = table_, handle = handle_](const weir_reply* reply) { return table.trouble(handle, reply); };
  }

  void happens(Time now) {
    if (now > last_) last_ = now;
    fruitless_ = 0;
  }

  bool is_known(WorkerId id) const { return index(id) < workers_.size() && workers_[index(id)].is_known; }
  // The plugin has been told of every worker before anything else is said of it.
  Worker& known(WorkerId id) {
    if (index(id) >= workers_.size()) workers_.resize(index(id) + std::size_t{1});
    auto& worker = workers_[index(id)];
    if (worker.is_known) return worker;
    worker.is_known = true;
    border_.call("add_worker", [&] { return table_.add_worker(handle_, index(id)); });
    return worker;
  }

  std::uint32_t& job_state(ResultId job) {
    if (index(job) >= jobs_.size()) jobs_.resize(index(job) + std::size_t{1}, kUnknown);
    return jobs_[index(job)];
  }
  void finish(std::uint32_t& state) {
    if (state != kWaits) --workers_[state].running;
    state = kUnknown;
  }

  bool may_take(WorkerId id, std::uint32_t job, std::uint32_t queue) {
    const auto wrong = [&](std::string_view why) {
      return border_.broke("pick", fmt::format("gave job {} to worker {}: {}", job, index(id), why));
    };
    if (job >= jobs_.size() || jobs_[job] == kUnknown) return wrong("it was not scheduled");
    if (jobs_[job] != kWaits) return wrong(fmt::format("worker {} runs it", jobs_[job]));
    if (queue > WEIR_PICK_GLOBAL) return wrong(fmt::format("there is no queue {}", queue));
    return true;
  }

  // Each job of the worker, once.
  bool are_lost(const std::vector<ResultId>& lost, WorkerId id) {
    const auto running = workers_[index(id)].running;
    auto sorted = lost;
    std::sort(sorted.begin(), sorted.end());
    const bool once = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    const auto is_its_own = [&](ResultId job) {
      return index(job) < jobs_.size() && jobs_[index(job)] == index(id);
    };
    if (once && lost.size() == running && std::all_of(lost.begin(), lost.end(), is_its_own)) return true;
    return border_.broke(
        "remove_worker",
        fmt::format("does not name the jobs that worker {} ran, {} in all, once each", index(id), running));
  }
  // The truth, for those who go on in spite of a fault.
  std::vector<ResultId> running_on(WorkerId id) const {
    std::vector<ResultId> out;
    for (std::uint32_t job = 0; job < jobs_.size(); ++job)
      if (jobs_[job] == index(id)) out.push_back(ResultId{job});
    return out;
  }

  const weir_placer_v1 table_;
  weir_placer* const handle_;
  mutable PlacementBorder border_;
  Time last_ = Time::min();
  std::size_t fruitless_ = 0;  // workers woken since something else happened
  std::vector<std::uint32_t> jobs_;
  std::vector<Worker> workers_;
  std::vector<std::uint32_t> deps_;
};

class AdaptedPlacerKind final : public PlacementKindAdapter<PlacerKind, weir_placer_v1> {
 public:
  using PlacementKindAdapter::PlacementKindAdapter;

  Result<std::unique_ptr<Placer>> open(std::string_view document,
                                       std::vector<Complaint>* complaints) const override {
    const auto handle = open_handle<weir_placer>(document, complaints);
    if (!handle) return tl::unexpected(handle.error());
    return std::make_unique<AdaptedPlacer>(library_, table_, *handle);
  }
};

}  // namespace

Result<std::unique_ptr<PlacerKind>> adapt_placer(std::shared_ptr<const PluginLibrary> library,
                                                 const PluginOffer& offer) {
  return std::make_unique<AdaptedPlacerKind>(std::move(library), offer);
}

}  // namespace weir
