// A run that a test makes up, event by event.
#pragma once

#include <string_view>
#include <vector>

#include "core/model/event.h"

namespace weir {

class ToldRun {
 public:
  explicit ToldRun(std::vector<Observer*> observers) : observers_(std::move(observers)) {}

  template <class Body>
  void tell(const Body& body) {
    for (auto* observer : observers_) observer->on_event(Event{++seq_, now, body});
  }
  void start(std::string_view project = "p", std::vector<std::string_view> queues = {"build"}) {
    const std::string_view arguments[] = {"build", "app"};
    const std::pair<std::string_view, std::int64_t> tokens[] = {{"process", 2}};
    tell(event::RunStart{7, arguments, 2, {project}, {"1.2.3"}});
    tell(event::RunPlan{3, 2, queues, tokens});
  }
  void job(std::uint64_t job, std::string_view element, std::string_view queue = "build",
           std::uint64_t attempt = 1) {
    event::JobStart start;
    start.job = job;
    start.element = element;
    start.queue = queue;
    start.attempt = attempt;
    tell(start);
  }
  void ended(std::uint64_t job, std::string_view element, std::string_view result = "succeeded",
             std::string_view failure = {}, std::string_view queue = "build",
             std::string_view evidence = {}) {
    event::JobEnd end;
    end.job = job;
    end.element = element;
    end.queue = queue;
    end.result = result;
    end.failure.text = failure;
    end.evidence.text = evidence;
    end.seconds = 1.5;
    if (failure == "command") end.exit = 2;
    tell(end);
  }
  void state(std::string_view element, std::string_view status, std::string_view reason = {},
             std::string_view because = {}, std::string_view queue = "build") {
    tell(event::ElementState{element, queue, status, {reason}, {because}, {}});
  }
  // A job that fails, and its element with it.
  void fails(std::uint64_t id, std::string_view element, std::string_view failure = "command",
             std::string_view queue = "build") {
    job(id, element, queue);
    ended(id, element, "failed", failure, queue, "what tells it");
    state(element, "failed", {}, {}, queue);
  }
  void end(std::string_view result = "succeeded", std::int64_t exit = 0,
           std::vector<std::uint64_t> critical = {}) {
    event::RunEnd end;
    end.result = result;
    end.exit = exit;
    end.failed = exit != 0;
    end.seconds = 2;
    end.critical_path = 1.5;
    end.critical_jobs = critical;
    tell(end);
  }

  Duration now{};

 private:
  std::vector<Observer*> observers_;
  std::uint64_t seq_ = 0;
};

}  // namespace weir
