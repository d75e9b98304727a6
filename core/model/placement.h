// Placement in two interfaces. An Allocator says how many jobs of each class may start now and how many must
// stop; a Placer says which job a worker takes. The loop asks the first until it says no, gives each job it
// gets to the second, and lets free workers pick. Both live on the loop's thread, see integers only, and are
// told the time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace weir {

// Small integers that the caller chooses; tables are dense over them.
enum class ClassId : std::uint32_t {};
enum class BuildId : std::uint32_t {};
enum class WorkerId : std::uint32_t {};
// A job that can be placed, and the artifact that comes of it: they share one name.
enum class ResultId : std::uint32_t {};

inline constexpr WorkerId kNoWorker{0xffffffff};

constexpr std::uint32_t index(ClassId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(BuildId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(WorkerId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(ResultId id) { return static_cast<std::uint32_t>(id); }

// A build has one class for as long as it has jobs.
class Allocator {
 public:
  struct Start {
    ClassId work_class;
    BuildId build;
    bool operator==(const Start&) const = default;
  };
  struct Stop {
    ClassId work_class;
    std::int64_t jobs;  // its most recently started ones
  };

  virtual ~Allocator() = default;
  // Places for jobs in all, and those that are free now.
  virtual void set_workers(std::int64_t workers, std::int64_t idle) = 0;
  virtual void job_waiting(ClassId work_class, BuildId build) = 0;
  virtual void job_withdrawn(ClassId work_class, BuildId build) = 0;  // it waits no longer, and did not start
  // Whose job may start now. The same until something changes; start it and say so, then ask again.
  virtual std::optional<Start> next() = 0;
  virtual void job_started(ClassId work_class, BuildId build) = 0;  // takes a free place
  virtual void job_ended(ClassId work_class, BuildId build) = 0;    // its place is free again
  virtual void job_requeued(ClassId work_class,
                            BuildId build) = 0;  // stopped: its place is free and it waits again
  // What must be stopped for the sake of others; each is reported by job_requeued, or by job_ended if it was
  // faster.
  virtual std::vector<Stop> to_stop(Time now) = 0;
  // When to_stop is worth a question although nothing else happens.
  virtual std::optional<Time> next_check() const = 0;
  // The build has waiting jobs, but none that could start now whatever is free here: they lack a token. It is
  // passed over, as if nothing of it waited, until it is said to be free to start again.
  virtual void set_blocked(ClassId work_class, BuildId build, bool blocked) = 0;

  virtual ClassId class_of(std::string_view requestor) const = 0;
  virtual std::string class_name(ClassId work_class) const = 0;
  // What people may read and change while jobs run: a JSON object, its members the names that set() knows. A
  // bad value changes nothing and says why.
  virtual std::string settings() const = 0;
  virtual Status set(std::string_view name, std::string_view json) = 0;
  // It broke its own rules and says nothing sensible any more.
  virtual std::optional<Error> fault() const { return std::nullopt; }
};

enum class PlaceQueue : std::uint8_t { result, dependency, global };

class Placer {
 public:
  struct Pick {
    ResultId job;
    PlaceQueue queue;
  };

  virtual ~Placer() = default;
  // Time never goes back; each call first does what is due by then.
  virtual void advance(Time now) = 0;
  virtual std::optional<Time> next_timer() const = 0;

  virtual void add_worker(WorkerId worker) = 0;
  // Forgets what it holds; its jobs wait again as if scheduled now. Returns them, in the order in which they
  // were picked.
  virtual std::vector<ResultId> remove_worker(WorkerId worker, Time now) = 0;
  virtual void add_artifact(WorkerId worker, ResultId artifact, Time now) = 0;
  virtual void remove_artifact(WorkerId worker, ResultId artifact, Time now) = 0;
  virtual bool holds(WorkerId worker, ResultId artifact) const = 0;
  virtual std::optional<WorkerId> locate(ResultId artifact) const = 0;

  // False if it waits or runs already; then nothing changes.
  virtual bool schedule(ResultId job, std::span<const ResultId> deps, Time now) = 0;
  // Nobody wants it any more, whether it waits or runs. False if it did neither.
  virtual bool withdraw(ResultId job, Time now) = 0;
  // Nothing: the worker waits from now on, until it is woken or removed.
  virtual std::optional<Pick> pick(WorkerId worker, Time now) = 0;
  // These jobs ended, and their workers are likely to pick next. Nothing changes: who keeps much in memory
  // can fetch what it will look at for all of them at once.
  struct Ended {
    WorkerId worker;
    ResultId job;
  };
  virtual void expect(std::span<const Ended>) {}
  // True if the job was known: it waited or ran and is finished now.
  virtual bool complete(WorkerId worker, ResultId job, bool ok, Time now) = 0;
  // A waiting worker for which there may be something to pick.
  virtual std::optional<WorkerId> next_woken() = 0;
  virtual std::optional<Error> fault() const { return std::nullopt; }
};

}  // namespace weir
