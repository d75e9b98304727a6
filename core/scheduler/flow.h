// Moves elements along the row: who is wanted, who arrived where, who waits for whom, who passed and who is
// lost. Knows nothing of tokens, time or executors; jobs are the Scheduler's (scheduler.h).
//
// Elements that nobody wants stay idle, or parked behind the track queue. An element that will be made here
// wants its dependencies. News of an element (its key is known, its artifact is there, nothing will come of
// it) reaches those who watch it through settle(), a work list, so that a chain of a million elements needs
// no stack.
#pragma once

#include <span>
#include <vector>

#include "core/model/graph.h"
#include "core/scheduler/element_table.h"
#include "core/scheduler/emitter.h"
#include "core/scheduler/forecast.h"
#include "core/scheduler/watches.h"
#include "queues/pipeline.h"
#include "queues/progress.h"
#include "queues/station.h"

namespace weir {

class Flow {
 public:
  Flow(const Graph& graph, Row& row, Emitter& events, const Forecast& forecast);

  std::size_t queues() const { return stations_.size(); }
  Station& station(std::size_t queue) { return stations_[queue]; }
  const Station& station(std::size_t queue) const { return stations_[queue]; }
  Queue& queue_of(ElementId element) { return stations_[table_.queue(element)].queue(); }
  ElementTable& table() { return table_; }
  const ElementTable& table() const { return table_; }
  Progress& progress() { return progress_; }
  const Graph& graph() const { return graph_; }
  std::size_t makes() const { return makes_; }

  // Puts elements that are planned into the row, where all of them are looked at before any is wanted
  // (track). Those that are planned later come the same way, before they are wanted.
  void begin(std::span<const ElementId> planned);
  void want(ElementId element, BuildId build);
  void want_dependencies(ElementId element);

  // Its queue looks at it once more, although its job failed.
  void again(ElementId element) { arrive(element, table_.queue(element)); }
  // Moves what passed a queue into the next one. True if something moved.
  bool hand_on();
  // The element waits for news of `on`.
  void wait(ElementId element, ElementId on, Why why);
  // Done with its queue, as `done` or `skip`.
  void pass(ElementId element, QueueStatus status, Why why, std::string_view words = {});
  // Nothing will come of it: failed, blocked or cancelled.
  void lose(ElementId element, Phase final_phase, QueueStatus status, Why why, ElementId because = kNoElement,
            std::string_view words = {});
  // An element that waits for news of itself may be answered otherwise now.
  void news(ElementId element) { news_.push_back(element); }
  // How many wait for news of themselves.
  std::size_t asking() const { return asking_; }
  // Tells watchers the news; those who have to be classified again are in the input port of their queue.
  void settle();

 private:
  void arrive(ElementId element, std::size_t queue);
  void try_keyed(ElementId element);
  void try_available(ElementId element);
  void set_hopeless(ElementId element);
  void told(Watches::Watcher watcher);
  void report(ElementId element, QueueStatus status, Why why, ElementId because, std::string_view words = {});

  const Graph& graph_;
  Emitter& events_;
  const Forecast& forecast_;
  std::vector<Station> stations_;
  std::size_t entry_;
  std::size_t makes_;
  ElementTable table_;
  Progress progress_;
  Watches watches_;
  std::vector<ElementId> news_;
  std::size_t asking_ = 0;
  std::vector<Watches::Watcher> watchers_;  // reused by settle()
};

}  // namespace weir
