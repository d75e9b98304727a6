// The failures of a run, put together from its events: what failed, which command, how, and what had changed.
// A job that will be tried again, or whose queue makes nothing of its failure, is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/event.h"

namespace weir {

struct FailedElement {
  std::string element, queue;
  std::optional<std::uint64_t> job;  // nothing: it was never started, `evidence` says why
  std::string failure;               // its class; empty without a job
  std::optional<std::int64_t> exit;
  double seconds = 0;
  std::string evidence;
  std::vector<std::string> command;  // that failed; empty: weir's own work
  std::vector<std::string> changes;  // since it last was built
  std::uint64_t changed_since = 0;   // the run that built it then; 0: none is known
};

class RunFailures final : public Observer {
 public:
  void on_event(const Event& event) override;

  // Of the event that was last heard: an element has failed, or a person is asked what to do about one. Told
  // once each.
  const FailedElement* news() const { return news_ ? &all_[*news_] : nullptr; }
  // Every element that has failed, in order.
  const std::vector<FailedElement>& all() const { return all_; }
  // Elements that were not started, with the reason: of each reason how many, and the first few by name.
  struct NotStarted {
    std::string reason, because;
    std::size_t count = 0;
    std::vector<std::string> names;
  };
  const std::vector<NotStarted>& not_started() const { return not_started_; }

 private:
  void ended(const event::JobEnd& end);
  void state(const event::ElementState& state);
  void failed(std::string_view element, std::string_view queue, std::string_view reason);
  void lost(const event::ElementState& state);

  std::unordered_map<std::uint64_t, std::vector<std::string>>
      commands_;                                            // that failed, of jobs that have not ended
  std::unordered_map<std::string, FailedElement> pending_;  // by element: its last job failed
  std::unordered_map<std::string, std::pair<std::uint64_t, std::vector<std::string>>> changes_;
  std::vector<FailedElement> all_;
  std::unordered_map<std::string, std::size_t> asked_;  // failures that a person is asked about
  std::vector<NotStarted> not_started_;
  std::optional<std::size_t> news_;
};

}  // namespace weir
