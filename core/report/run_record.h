// A run as a whole, put together from its events: all its jobs with their times, how its elements stand, how
// it ended. For those who tell of it afterwards (report, trace, JUnit); who watches it has a RunPicture.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/event.h"

namespace weir {

class EventFile;

// Of a run that has no end in its events, its folder's lock tells which.
enum class RunStand : std::uint8_t { over, running, killed };

struct RecordedStep {
  std::vector<std::string> argv;  // empty: weir did it itself
  double seconds = 0;
  std::int64_t exit = 0;
};

struct RecordedJob {
  std::uint64_t id = 0;
  std::string element, queue, worker, key, requestor, job_class;
  std::uint64_t attempt = 1;
  std::vector<std::pair<std::string, std::int64_t>> tokens;
  bool started = false;  // one that was cancelled while it waited never was
  Duration start{},
      end{};  // since the start of the run; `end` of one that has not ended is that of the last event
  std::vector<std::pair<Duration, Duration>> suspended;
  bool is_suspended = false;
  std::vector<std::pair<Duration, std::string>> waits;  // since when, for what: "token process"
  std::vector<std::pair<Duration, std::uint64_t>>
      cores;  // since when, how many: only if it got others than those of its tokens
  std::vector<RecordedStep> steps;
  std::optional<double> expected;

  std::string result;  // empty: it has not ended, or weir ended before it
  std::string failure, evidence;
  std::optional<std::int64_t> exit;
  double seconds = 0, cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t moved_bytes = 0;  // from or to remotes
  bool tried_again = false;       // a later job does the same work
  bool critical = false;          // on the critical path

  bool failed() const { return result == "failed" && !tried_again; }
};

struct RecordedElement {
  struct Stand {
    std::string queue, status, reason, because;
    Duration at{};
  };
  std::string name;
  std::vector<Stand> queues;  // how it stands in each that it came to, in that order
  std::vector<std::string> changes;
  std::uint64_t changed_since = 0;
};

struct RecordedRun {
  std::uint64_t number = 0, cpus = 0, elements = 0, edges = 0;
  std::string project, version, start;  // the time of day, as it was written
  std::vector<std::string> arguments, queues;
  std::vector<std::pair<std::string, std::int64_t>> tokens;
};

struct RecordedEnd {
  std::string result;
  std::int64_t exit = 0;
  std::uint64_t built = 0, cached = 0, fetched = 0, pulled = 0, pushed = 0, failed = 0, skipped = 0,
                tracked = 0;
  double seconds = 0, critical_path = 0;
  std::vector<std::uint64_t> critical_jobs;
};

class RunRecord final : public Observer {
 public:
  void on_event(const Event& event) override;
  // Of a file of events, as far as it goes. `also` hear them.
  static RunRecord read(const std::string& events_file, std::initializer_list<Observer*> also = {});
  // What there is more of them by now; how many.
  std::size_t take(EventFile& events, std::initializer_list<Observer*> also = {});
  bool take_one(EventFile& events, std::initializer_list<Observer*> also = {});

  const RecordedRun& run() const { return run_; }
  const std::vector<RecordedJob>& jobs() const {
    return jobs_;
  }  // in the order in which they were first told of
  const std::vector<RecordedElement>& elements() const { return elements_; }  // likewise
  const RecordedElement* element(const std::string& name) const;
  const std::optional<RecordedEnd>& end() const { return end_; }  // nothing: it goes on, or weir was killed
  Duration last() const { return last_; }                         // time of the last event
  // Warnings and what became of workers and remotes, in order.
  struct Note {
    Duration at{};
    std::string text;
  };
  const std::vector<Note>& notes() const { return notes_; }

 private:
  struct Visitor;
  RecordedJob& job(std::uint64_t id);
  RecordedElement& element_of(std::string_view name);
  void note(std::string text) { notes_.push_back({last_, std::move(text)}); }

  RecordedRun run_;
  std::vector<RecordedJob> jobs_;
  std::unordered_map<std::uint64_t, std::size_t> job_places_;
  std::vector<RecordedElement> elements_;
  std::unordered_map<std::string, std::size_t> element_places_;
  std::unordered_map<std::string, std::uint64_t> latest_job_;  // by queue and element
  std::optional<RecordedEnd> end_;
  Duration last_{};
  std::vector<Note> notes_;
};

}  // namespace weir
