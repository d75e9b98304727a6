// Events of a run that never was, as weir writes them: for those who read runs and need many jobs, or strange
// ones.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/model/event.h"

namespace weir {

class MadeRun {
 public:
  MadeRun& at(Duration time) {
    now_ = time;
    return *this;
  }
  template <class Body>
  MadeRun& tell(const Body& body) {
    append_json(text_, Event{++seq_, now_, body},
                std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000)) + now_);
    text_ += '\n';
    return *this;
  }
  const std::string& text() const { return text_; }

  MadeRun& start(std::uint64_t run, std::uint64_t elements) {
    const std::string_view args[] = {"build", "all"}, queues[] = {"pull", "fetch", "build", "push"};
    const std::pair<std::string_view, std::int64_t> tokens[] = {{"memory", std::int64_t{16} << 30},
                                                                {"process", 8}};
    tell(event::RunStart{run, args, 8, {"made"}, {"0"}});
    return tell(event::RunPlan{elements, 0, queues, tokens});
  }
  MadeRun& job_start(std::uint64_t job, std::string_view element, std::string_view worker = "local",
                     std::string_view queue = "build") {
    const std::pair<std::string_view, std::int64_t> tokens[] = {{"memory", 100 << 20}, {"process", 1}};
    event::JobStart start{job, element, queue, 1, worker, {}, tokens, {"me"}, {}, {}, {}};
    return tell(start);
  }
  MadeRun& job_end(std::uint64_t job, std::string_view element, double seconds, bool failed = false,
                   std::string_view queue = "build") {
    const std::string_view argv[] = {"sh", "-e", "-c", "make"};
    tell(event::JobStep{job, 0, argv, seconds * 0.9, failed ? 2 : 0});
    event::JobEnd end{job,     element,  queue, failed ? "failed" : "succeeded", {}, {}, seconds,
                      seconds, 50 << 20, {}};
    if (failed) end.failure.text = "command";
    if (failed) end.exit = 2;
    tell(end);
    return tell(event::ElementState{element, queue, failed ? "failed" : "done", {}, {}, {}});
  }
  MadeRun& end(std::uint64_t built, std::uint64_t failed, double critical_path,
               const std::vector<std::uint64_t>& critical_jobs) {
    const auto seconds = std::chrono::duration<double>(now_).count();
    return tell(event::RunEnd{failed ? "failed" : "succeeded", failed ? 1 : 0, built, 0, 0, 0, 0, failed, 0,
                              seconds, critical_path, 0, critical_jobs});
  }

  // Eight jobs at a time on four workers; each hundredth fails. Those of the first slot are called critical.
  static std::string of_jobs(std::uint64_t jobs) {
    struct Change {
      Duration time;
      bool ends;
      std::uint64_t job, slot;
      double seconds;
    };
    std::vector<Change> changes;
    std::vector<std::uint64_t> critical;
    std::vector<Duration> free(8);
    double path = 0;
    for (std::uint64_t job = 0; job < jobs; ++job) {
      const auto slot = static_cast<std::uint64_t>(std::min_element(free.begin(), free.end()) - free.begin());
      const std::chrono::milliseconds took(5 + job * 7919 % 1500);
      const double seconds = std::chrono::duration<double>(took).count();
      changes.push_back({free[slot], false, job, slot, seconds});
      changes.push_back({free[slot] += took, true, job, slot, seconds});
      if (slot == 0) critical.push_back(job);
      if (slot == 0) path += seconds;
    }
    std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
      return a.time != b.time ? a.time < b.time : a.ends > b.ends;
    });
    MadeRun run;
    run.start(1, jobs);
    for (const auto& change : changes) {
      const auto name = fmt::format("group{}/element{:05}", change.job % 37, change.job);
      run.at(change.time);
      if (change.ends) run.job_end(change.job, name, change.seconds, change.job % 100 == 99);
      else
        run.tell(event::ElementState{name, "fetch", "skip", {"sources are there"}, {}, {}})
            .job_start(change.job, name, fmt::format("worker{}", change.slot / 2));
    }
    return run.end(jobs - jobs / 100, jobs / 100, path, critical).text();
  }

 private:
  std::uint64_t seq_ = 0;
  Duration now_{};
  std::string text_;
};

}  // namespace weir
