// An allocator of a plugin. It is told what happens, and what it answers is checked against what it was told.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/assert.h"
#include "plugins/host/adapters.h"
#include "plugins/host/placement_border.h"

namespace weir {

namespace {

class AdaptedAllocator final : public Allocator {
 public:
  AdaptedAllocator(std::shared_ptr<const PluginLibrary> library, const weir_allocator_v1& table,
                   weir_allocator* handle, std::vector<std::string> classes)
      : table_(table), handle_(handle), border_(std::move(library), trouble()), classes_(std::move(classes)) {
    running_.resize(classes_.size(), 0);
  }
  ~AdaptedAllocator() override {
    border_.call("close", [&] { return table_.close(handle_), WEIR_OK; });
  }

  void set_workers(std::int64_t workers, std::int64_t idle) override {
    WEIR_ASSERT(workers >= 0 && idle >= 0, "{} workers, {} idle", workers, idle);
    idle_ = idle;
    border_.call("set_workers", [&] {
      return table_.set_workers(handle_, static_cast<std::uint64_t>(workers),
                                static_cast<std::uint64_t>(idle));
    });
  }
  void job_waiting(ClassId work_class, BuildId build) override {
    count(work_class, build, 0, +1, 0);
    border_.call("job_waiting", [&] { return table_.job_waiting(handle_, index(work_class), index(build)); });
  }
  void job_withdrawn(ClassId work_class, BuildId build) override {
    count(work_class, build, 0, -1, 0);
    border_.call("job_withdrawn",
                 [&] { return table_.job_withdrawn(handle_, index(work_class), index(build)); });
  }
  void job_started(ClassId work_class, BuildId build) override {
    count(work_class, build, +1, -1, -1);
    border_.call("job_started", [&] { return table_.job_started(handle_, index(work_class), index(build)); });
  }
  void job_ended(ClassId work_class, BuildId build) override {
    count(work_class, build, -1, 0, +1);
    border_.call("job_ended", [&] { return table_.job_ended(handle_, index(work_class), index(build)); });
  }
  void job_requeued(ClassId work_class, BuildId build) override {
    count(work_class, build, -1, +1, +1);
    border_.call("job_requeued",
                 [&] { return table_.job_requeued(handle_, index(work_class), index(build)); });
  }
  void set_blocked(ClassId work_class, BuildId build, bool blocked) override {
    reach(build).is_blocked = blocked;
    border_.call("set_blocked", [&] {
      return table_.set_blocked(handle_, index(work_class), index(build), blocked ? 1 : 0);
    });
  }

  std::optional<Start> next() override {
    std::uint32_t work_class = WEIR_NONE, build = WEIR_NONE;
    if (!border_.call("next", [&] { return table_.next(handle_, &work_class, &build); })) return std::nullopt;
    if (work_class == WEIR_NONE && build == WEIR_NONE) return std::nullopt;
    if (!may_start(work_class, build)) return std::nullopt;
    return Start{ClassId{work_class}, BuildId{build}};
  }

  std::vector<Stop> to_stop(Time now) override {
    std::vector<Stop> stops;
    if (!table_.to_stop) return stops;
    struct Heard {
      std::vector<Stop>& stops;
      bool too_long = false;
      std::size_t most;
    } heard{stops, false, kMostStops * std::max<std::size_t>(1, classes_.size())};
    const weir_stop_sink sink = {
        sizeof sink, 0, &heard, [](const weir_stop_sink* own, std::uint32_t work_class, std::uint64_t jobs) {
          auto& to = *static_cast<Heard*>(own->host);
          if (to.stops.size() >= to.most) return void(to.too_long = true);
          const auto shown = std::min<std::uint64_t>(jobs, std::numeric_limits<std::int64_t>::max());
          to.stops.push_back({ClassId{work_class}, static_cast<std::int64_t>(shown)});
        }};
    last_check_ = now;
    const auto time = now.time_since_epoch().count();
    if (!border_.call("to_stop", [&] { return table_.to_stop(handle_, time, &sink); })) return {};
    if (heard.too_long) border_.broke("to_stop", fmt::format("named more than {} classes", heard.most));
    if (!may_stop(stops)) return {};
    return stops;
  }

  std::optional<Time> next_check() const override {
    if (!table_.next_check) return std::nullopt;
    std::int64_t when = WEIR_NEVER;
    if (!border_.call("next_check", [&] { return table_.next_check(handle_, &when); }) || when == WEIR_NEVER)
      return std::nullopt;
    const Time time{Duration(when)};
    if (last_check_ && time <= *last_check_) {
      border_.broke("next_check", fmt::format("wants to be asked at {} ns, and it was asked at {} ns", when,
                                              last_check_->time_since_epoch().count()));
      return std::nullopt;
    }
    return time;
  }

  ClassId class_of(std::string_view requestor) const override {
    std::uint32_t work_class = 0;
    if (!table_.class_of) return ClassId{0};
    if (!border_.call("class_of", [&] { return table_.class_of(handle_, view_of(requestor), &work_class); }))
      return ClassId{0};
    if (work_class < classes_.size()) return ClassId{work_class};
    border_.broke("class_of", fmt::format("named class {}, and there are {}", work_class, classes_.size()));
    return ClassId{0};
  }
  std::string class_name(ClassId work_class) const override {
    return index(work_class) < classes_.size() ? classes_[index(work_class)] : std::string();
  }

  std::string settings() const override {
    if (!table_.settings || !border_.is_well()) return "{}";
    auto reply = ask(border_.library(), "settings", Wants::document,
                     [&](const weir_reply* raw) { return table_.settings(handle_, raw); });
    if (reply && !reply->refused) return std::move(reply->text);
    border_.take(
        reply ? plugin_fault(border_.library(), "settings", "refused to say what its settings are").value()
              : reply.error());
    return "{}";
  }

  Status set(std::string_view name, std::string_view json) override {
    if (border_.fault()) return tl::unexpected(*border_.fault());
    if (!table_.set)
      return fail(Reason::usage, fmt::format("there is no setting \"{}\": this allocator has none", name));
    const auto reply = ask(border_.library(), "set", Wants::verdict, [&](const weir_reply* raw) {
      return table_.set(handle_, view_of(name), view_of(json), raw);
    });
    last_check_.reset();  // another duration may make it due at once
    if (!reply) {
      border_.take(reply.error());
      return tl::unexpected(reply.error());
    }
    if (!reply->refused) return {};
    auto error = error_of(*reply);
    error.reason = Reason::usage;
    return tl::unexpected(std::move(error));
  }

  std::optional<Error> fault() const override { return border_.fault(); }

 private:
  // It may name a class more than once; somewhere it ends.
  static constexpr std::size_t kMostStops = 16;
  struct Build {
    std::int64_t running = 0, waiting = 0;
    std::uint32_t work_class = 0;
    bool is_blocked = false;
  };

  PlacementBorder::Trouble trouble() const {
    if (!table_.trouble) return {};
    return
        [table = table_, handle = handle_](const weir_reply* reply) { return table.trouble(handle, reply); };
  }

  Build& reach(BuildId id) {
    if (index(id) >= builds_.size()) builds_.resize(index(id) + std::size_t{1});
    return builds_[index(id)];
  }

  void count(ClassId work_class, BuildId id, std::int64_t running, std::int64_t waiting, std::int64_t idle) {
    auto& build = reach(id);
    build.work_class = index(work_class);
    build.running += running;
    build.waiting += waiting;
    idle_ += idle;
    WEIR_ASSERT(build.running >= 0 && build.waiting >= 0, "build {} has {} running and {} waiting jobs",
                index(id), build.running, build.waiting);
    if (index(work_class) >= running_.size()) running_.resize(index(work_class) + std::size_t{1}, 0);
    running_[index(work_class)] += running;
  }

  bool may_start(std::uint32_t work_class, std::uint32_t id) {
    const auto wrong = [&](std::string_view why) {
      return border_.broke("next",
                           fmt::format("lets a job of build {}, class {}, start: {}", id, work_class, why));
    };
    if (id >= builds_.size()) return wrong("there is no such build");
    const auto& build = builds_[id];
    if (build.waiting == 0) return wrong("nothing of it waits");
    if (build.work_class != work_class) return wrong(fmt::format("it is of class {}", build.work_class));
    if (build.is_blocked) return wrong("it is blocked");
    if (idle_ <= 0) return wrong("no place is free");
    return true;
  }

  bool may_stop(const std::vector<Stop>& stops) {
    for (std::size_t i = 0; i < stops.size(); ++i) {
      const auto c = index(stops[i].work_class);
      if (c >= running_.size())
        return border_.broke("to_stop",
                             fmt::format("wants to stop jobs of class {}, which does not exist", c));
      std::int64_t left = running_[c];
      for (std::size_t k = 0; k <= i; ++k)
        if (stops[k].work_class == stops[i].work_class && stops[k].jobs <= left) left -= stops[k].jobs;
        else if (stops[k].work_class == stops[i].work_class)
          return border_.broke("to_stop", fmt::format("wants to stop {} jobs of class {}, and {} run",
                                                      stops[k].jobs, c, left));
    }
    return border_.is_well();
  }

  const weir_allocator_v1 table_;
  weir_allocator* const handle_;
  mutable PlacementBorder border_;
  std::vector<std::string> classes_;
  std::vector<Build> builds_;
  std::vector<std::int64_t> running_;  // by class
  std::int64_t idle_ = 0;
  std::optional<Time> last_check_;
};

class AdaptedAllocatorKind final : public PlacementKindAdapter<AllocatorKind, weir_allocator_v1> {
 public:
  using PlacementKindAdapter::PlacementKindAdapter;

  Result<std::unique_ptr<Allocator>> open(std::string_view document,
                                          std::vector<Complaint>* complaints) const override {
    const auto handle = open_handle<weir_allocator>(document, complaints);
    if (!handle) return tl::unexpected(handle.error());
    auto classes = classes_of(*handle);
    if (!classes) return tl::unexpected(classes.error());  // nobody is asked again, not even to close
    return std::make_unique<AdaptedAllocator>(library_, table_, *handle, std::move(*classes));
  }

 private:
  Result<std::vector<std::string>> classes_of(weir_allocator* handle) const {
    if (!table_.classes) return std::vector<std::string>{"default"};
    auto reply = ask(*library_, "classes", Wants::document,
                     [&](const weir_reply* raw) { return table_.classes(handle, raw); });
    if (!reply) return tl::unexpected(reply.error());
    if (reply->refused) return plugin_fault(*library_, "classes", "refused to name its classes");
    auto names = reply->document.texts("classes");
    const auto* given = reply->document.find("classes");
    if (names.empty() || names.size() != given->array()->size())
      return plugin_fault(*library_, "classes", "answered with something that is no list of names");
    auto sorted = names;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return plugin_fault(*library_, "classes", "named a class twice");
    return names;
  }
};

}  // namespace

Result<std::unique_ptr<AllocatorKind>> adapt_allocator(std::shared_ptr<const PluginLibrary> library,
                                                       const PluginOffer& offer) {
  return std::make_unique<AdaptedAllocatorKind>(std::move(library), offer);
}

}  // namespace weir
