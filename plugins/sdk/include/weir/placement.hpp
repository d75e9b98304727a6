// An allocator and a placer. Each is a class whose objects live from open to close; weir tells it what
// happens, on one thread:
//
//   class NewestFirst {
//    public:
//     static constexpr std::string_view kind = "newest-first";
//     static constexpr std::uint32_t version = 1;
//     explicit NewestFirst(const Json& document);  // or none, or
//         // static std::unique_ptr<..> open(std::string_view document)
//     void add_worker(std::uint32_t worker);
//     void remove_worker(std::uint32_t worker, std::int64_t now, const JobSink& lost);
//     void schedule(std::uint32_t job, std::span<const std::uint32_t> deps, std::int64_t now);
//     void withdraw(std::uint32_t job, std::int64_t now);
//     std::optional<Picked> pick(std::uint32_t worker, std::int64_t now);
//     void complete(std::uint32_t worker, std::uint32_t job, bool ok, std::int64_t now);
//     std::optional<std::uint32_t> next_woken();
//   };
//   WEIR_PLUGIN("example-newest-first", "1.0", placer<NewestFirst>())
//
// It may also have: advance, next_timer, add_artifact, remove_artifact, holds, locate; example (JSON text).
// An allocator has set_workers, job_waiting, job_withdrawn, job_started, job_ended, job_requeued, set_blocked
// and next, and may have to_stop, next_check, classes, class_of, settings and set. Times are in nanoseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <weir/entry.hpp>

namespace weir::sdk {

struct MayStart {
  std::uint32_t work_class;
  std::uint32_t build;
};

struct Picked {
  std::uint32_t job;
  std::uint32_t queue = WEIR_PICK_GLOBAL;
};

// Where an allocator says what must be stopped.
class StopSink {
 public:
  explicit StopSink(const weir_stop_sink* sink) : sink_(sink) {}
  void operator()(std::uint32_t work_class, std::uint64_t jobs) const {
    sink_->stop(sink_, work_class, jobs);
  }

 private:
  const weir_stop_sink* sink_;
};

// Where a placer names the jobs of a worker that is gone.
class JobSink {
 public:
  explicit JobSink(const weir_job_sink* sink) : sink_(sink) {}
  void operator()(std::uint32_t job) const { sink_->job(sink_, job); }

 private:
  const weir_job_sink* sink_;
};

namespace sdk_detail {
// In a handler: what was thrown, in words.
void remember_exception(std::string& trouble) noexcept;
}  // namespace sdk_detail

// An object of a kind behind a handle of the border.
template <class Kind>
struct Opened {
  std::unique_ptr<Kind> kind;
  std::string trouble;  // what was thrown last
};

template <class Kind>
std::unique_ptr<Kind> open_kind(weir_view document) {
  if constexpr (requires { Kind::open(text_of(document)); }) return Kind::open(text_of(document));
  else if constexpr (std::is_constructible_v<Kind, const Json&>)
    return std::make_unique<Kind>(document_of(document));
  else return std::make_unique<Kind>();
}

// What both tables have. Handle is weir_allocator or weir_placer: weir only hands it around.
template <class Kind, class Handle>
struct PlacementCalls {
  static Opened<Kind>& opened(Handle* handle) { return *reinterpret_cast<Opened<Kind>*>(handle); }

  static weir_status open(weir_view document, Handle** handle, const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&] {
      auto made = std::make_unique<Opened<Kind>>();
      made->kind = open_kind<Kind>(document);
      *handle = reinterpret_cast<Handle*>(made.release());
    });
  }
  static void close(Handle* handle) noexcept { delete &opened(handle); }
  static weir_status trouble(Handle* handle, const weir_reply* reply) noexcept {
    reply->complain(reply, {}, view(opened(handle).trouble), {});
    return WEIR_OK;
  }

  // Runs `call` with the object; no exception leaves.
  template <class Call>
  static weir_status told(Handle* handle, const Call& call) noexcept {
    auto& own = opened(handle);
    try {
      call(*own.kind);
      return WEIR_OK;
    } catch (...) {
      sdk_detail::remember_exception(own.trouble);
      return WEIR_BROKEN;
    }
  }
};

template <class Kind>
struct AllocatorTable : PlacementCalls<Kind, weir_allocator> {
  using Calls = PlacementCalls<Kind, weir_allocator>;

  static weir_status set_workers(weir_allocator* all, std::uint64_t workers, std::uint64_t idle) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.set_workers(workers, idle); });
  }
  template <auto change>  // a member function, of Kind or of a base
  static weir_status job(weir_allocator* all, std::uint32_t work_class, std::uint32_t build) noexcept {
    return Calls::told(all, [&](Kind& kind) { (kind.*change)(work_class, build); });
  }
  static weir_status set_blocked(weir_allocator* all, std::uint32_t work_class, std::uint32_t build,
                                 std::uint32_t blocked) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.set_blocked(work_class, build, blocked != 0); });
  }
  static weir_status next(weir_allocator* all, std::uint32_t* work_class, std::uint32_t* build) noexcept {
    return Calls::told(all, [&](Kind& kind) {
      const std::optional<MayStart> start = kind.next();
      if (!start) return;
      *work_class = start->work_class;
      *build = start->build;
    });
  }
  static weir_status to_stop(weir_allocator* all, std::int64_t now, const weir_stop_sink* sink) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.to_stop(now, StopSink(sink)); });
  }
  static weir_status next_check(weir_allocator* all, std::int64_t* when) noexcept {
    return Calls::told(all, [&](Kind& kind) {
      if (const std::optional<std::int64_t> time = kind.next_check()) *when = *time;
    });
  }
  static weir_status classes(weir_allocator* all, const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&]() -> Json {
      return Json::Object{{"classes", Json(Calls::opened(all).kind->classes())}};
    });
  }
  static weir_status class_of(weir_allocator* all, weir_view requestor, std::uint32_t* work_class) noexcept {
    return Calls::told(all, [&](Kind& kind) { *work_class = kind.class_of(text_of(requestor)); });
  }
  // As text, so that numbers keep their digits.
  static weir_status settings(weir_allocator* all, const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&] {
      const std::string document = Calls::opened(all).kind->settings();
      reply->give(reply, view(document));
    });
  }
  static weir_status set(weir_allocator* all, weir_view name, weir_view json,
                         const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&] { Calls::opened(all).kind->set(text_of(name), text_of(json)); });
  }

  static constexpr weir_allocator_v1 make() {
    weir_allocator_v1 all = {};
    all.head = head_of<Kind>(sizeof(weir_allocator_v1));
    all.open = Calls::open;
    all.close = Calls::close;
    all.set_workers = set_workers;
    all.job_waiting = job<&Kind::job_waiting>;
    all.job_withdrawn = job<&Kind::job_withdrawn>;
    all.job_started = job<&Kind::job_started>;
    all.job_ended = job<&Kind::job_ended>;
    all.job_requeued = job<&Kind::job_requeued>;
    all.set_blocked = set_blocked;
    all.next = next;
    if constexpr (requires { &Kind::to_stop; }) all.to_stop = to_stop;
    if constexpr (requires { &Kind::next_check; }) all.next_check = next_check;
    if constexpr (requires { &Kind::classes; }) all.classes = classes;
    if constexpr (requires { &Kind::class_of; }) all.class_of = class_of;
    if constexpr (requires { &Kind::settings; }) all.settings = settings;
    if constexpr (requires { &Kind::set; }) all.set = set;
    all.trouble = Calls::trouble;
    return all;
  }
  static constexpr weir_allocator_v1 table = make();
};

template <class Kind>
constexpr weir_offer allocator() {
  return {view(WEIR_ALLOCATOR), &AllocatorTable<Kind>::table};
}

template <class Kind>
struct PlacerTable : PlacementCalls<Kind, weir_placer> {
  using Calls = PlacementCalls<Kind, weir_placer>;

  static weir_status advance(weir_placer* all, std::int64_t now) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.advance(now); });
  }
  static weir_status next_timer(weir_placer* all, std::int64_t* when) noexcept {
    return Calls::told(all, [&](Kind& kind) {
      if (const std::optional<std::int64_t> time = kind.next_timer()) *when = *time;
    });
  }
  static weir_status add_worker(weir_placer* all, std::uint32_t worker) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.add_worker(worker); });
  }
  static weir_status remove_worker(weir_placer* all, std::uint32_t worker, std::int64_t now,
                                   const weir_job_sink* lost) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.remove_worker(worker, now, JobSink(lost)); });
  }
  static weir_status add_artifact(weir_placer* all, std::uint32_t worker, std::uint32_t artifact,
                                  std::int64_t now) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.add_artifact(worker, artifact, now); });
  }
  static weir_status remove_artifact(weir_placer* all, std::uint32_t worker, std::uint32_t artifact,
                                     std::int64_t now) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.remove_artifact(worker, artifact, now); });
  }
  static weir_status holds(weir_placer* all, std::uint32_t worker, std::uint32_t artifact,
                           std::uint32_t* held) noexcept {
    return Calls::told(all, [&](Kind& kind) { *held = kind.holds(worker, artifact) ? 1 : 0; });
  }
  static weir_status locate(weir_placer* all, std::uint32_t artifact, std::uint32_t* worker) noexcept {
    return Calls::told(all, [&](Kind& kind) {
      if (const std::optional<std::uint32_t> holder = kind.locate(artifact)) *worker = *holder;
    });
  }
  static weir_status schedule(weir_placer* all, std::uint32_t job, const std::uint32_t* deps,
                              std::uint64_t dep_count, std::int64_t now) noexcept {
    return Calls::told(all, [&](Kind& kind) {
      kind.schedule(job, std::span(deps, static_cast<std::size_t>(dep_count)), now);
    });
  }
  static weir_status withdraw(weir_placer* all, std::uint32_t job, std::int64_t now) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.withdraw(job, now); });
  }
  static weir_status pick(weir_placer* all, std::uint32_t worker, std::int64_t now, std::uint32_t* job,
                          std::uint32_t* queue) noexcept {
    return Calls::told(all, [&](Kind& kind) {
      const std::optional<Picked> picked = kind.pick(worker, now);
      if (!picked) return;
      *job = picked->job;
      *queue = picked->queue;
    });
  }
  static weir_status complete(weir_placer* all, std::uint32_t worker, std::uint32_t job, std::uint32_t ok,
                              std::int64_t now) noexcept {
    return Calls::told(all, [&](Kind& kind) { kind.complete(worker, job, ok != 0, now); });
  }
  static weir_status next_woken(weir_placer* all, std::uint32_t* worker) noexcept {
    return Calls::told(all, [&](Kind& kind) {
      if (const std::optional<std::uint32_t> woken = kind.next_woken()) *worker = *woken;
    });
  }

  static constexpr weir_placer_v1 make() {
    weir_placer_v1 all = {};
    all.head = head_of<Kind>(sizeof(weir_placer_v1));
    all.open = Calls::open;
    all.close = Calls::close;
    if constexpr (requires { &Kind::advance; }) all.advance = advance;
    if constexpr (requires { &Kind::next_timer; }) all.next_timer = next_timer;
    all.add_worker = add_worker;
    all.remove_worker = remove_worker;
    if constexpr (requires { &Kind::add_artifact; }) all.add_artifact = add_artifact;
    if constexpr (requires { &Kind::remove_artifact; }) all.remove_artifact = remove_artifact;
    if constexpr (requires { &Kind::holds; }) all.holds = holds;
    if constexpr (requires { &Kind::locate; }) all.locate = locate;
    all.schedule = schedule;
    all.withdraw = withdraw;
    all.pick = pick;
    all.complete = complete;
    all.next_woken = next_woken;
    all.trouble = Calls::trouble;
    return all;
  }
  static constexpr weir_placer_v1 table = make();
};

template <class Kind>
constexpr weir_offer placer() {
  return {view(WEIR_PLACER), &PlacerTable<Kind>::table};
}

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/placement.ipp>
#endif
