#include "core/scheduler/flow.h"

namespace weir {

Flow::Flow(const Graph& graph, Row& row, Emitter& events, const Forecast& forecast)
    : graph_(graph),
      events_(events),
      forecast_(forecast),
      entry_(row.entry),
      makes_(row.makes),
      table_(graph.size()),
      progress_(graph, row.entry == 0),
      watches_(graph.size()) {
  WEIR_ASSERT(!row.queues.empty() && row.queues.size() < 256, "a row of {} queues", row.queues.size());
  stations_.reserve(row.queues.size());
  for (auto& queue : row.queues) stations_.emplace_back(*queue, graph.size());
}

void Flow::begin(std::span<const ElementId> planned) {
  if (entry_ == 0) return;
  for (const auto element : planned) arrive(element, 0);
}

void Flow::want(ElementId element, BuildId build) {
  if (table_.wanted(element)) return;
  table_.set_wanted(element, build);
  const auto phase = table_.phase(element);
  if (phase == Phase::idle || phase == Phase::parked) arrive(element, entry_);
}

void Flow::want_dependencies(ElementId element) {
  if (table_.dependencies_wanted(element)) return;
  table_.set_dependencies_wanted(element);
  for (const auto dependency : graph_.build_dependencies(element)) want(dependency, table_.build(element));
}

void Flow::arrive(ElementId element, std::size_t queue) {
  table_.move(element, Phase::arrived);
  table_.set_queue(element, queue);
  stations_[queue].input().put(element);
}

bool Flow::hand_on() {
  bool moved = false;
  for (std::size_t queue = stations_.size(); queue-- > 0;) {
    auto& output = stations_[queue].output();
    if (output.empty()) continue;
    moved = true;
    for (const auto element : output.take()) {
      if (queue + 1 == stations_.size()) {
        table_.move(element, Phase::finished);
      } else if (queue + 1 == entry_ && !table_.wanted(element)) {
        table_.move(element, Phase::parked);
      } else {
        arrive(element, queue + 1);
      }
    }
  }
  return moved;
}

void Flow::wait(ElementId element, ElementId on, Why why) {
  table_.move(element, Phase::waiting);
  watches_.watch(on, {element, Watches::Reason::classify});
  if (on == element) ++asking_;
  // Told once: looking again after news and still waiting is no news. Nor is a short question to the store.
  if (why != Why::lookup && stations_[table_.queue(element)].kept(element).status != QueueStatus::wait)
    report(element, QueueStatus::wait, why, on == element ? kNoElement : on);
}

void Flow::pass(ElementId element, QueueStatus status, Why why, std::string_view words) {
  const auto queue = table_.queue(element);
  report(element, status, why, kNoElement, words);
  table_.move(element, Phase::passed);
  stations_[queue].output().put(element);
  if (queue + 1 == entry_) try_keyed(element);
  if (queue == makes_) {
    // All at once, not as each is found missing: they may be made at the same time.
    for (const auto dependency : graph_.runtime_dependencies(element))
      want(dependency, table_.build(element));
    try_available(element);
  }
}

void Flow::lose(ElementId element, Phase final_phase, QueueStatus status, Why why, ElementId because,
                std::string_view words) {
  report(element, status, why, because, words);
  table_.move(element, final_phase);
  set_hopeless(element);
}

void Flow::try_keyed(ElementId element) {
  auto missing = progress_.first_without_key(element);
  if (!missing) missing = progress_.first_without_key_at_runtime(element);
  if (!missing) {
    progress_.set_keyed(element);
    news_.push_back(element);
  } else if (progress_.hopeless(*missing)) {
    set_hopeless(element);
  } else {
    watches_.watch(*missing, {element, Watches::Reason::keyed});
  }
}

void Flow::try_available(ElementId element) {
  const auto missing = progress_.first_missing_at_runtime(element);
  if (!missing) {
    progress_.set_available(element);
    news_.push_back(element);
  } else if (progress_.hopeless(*missing)) {
    set_hopeless(element);
  } else {
    watches_.watch(*missing, {element, Watches::Reason::available});
  }
}

void Flow::set_hopeless(ElementId element) {
  if (progress_.hopeless(element)) return;
  progress_.set_hopeless(element);
  news_.push_back(element);
}

void Flow::settle() {
  while (!news_.empty()) {
    const auto element = news_.back();
    news_.pop_back();
    watches_.take(element, watchers_);
    for (const auto& watcher : watchers_) {
      if (watcher.element == element && watcher.reason == Watches::Reason::classify) --asking_;
      told(watcher);
    }
  }
}

void Flow::told(Watches::Watcher watcher) {
  switch (watcher.reason) {
    case Watches::Reason::classify:
      // It may have been cancelled while it waited.
      if (table_.phase(watcher.element) == Phase::waiting)
        arrive(watcher.element, table_.queue(watcher.element));
      break;
    case Watches::Reason::available: try_available(watcher.element); break;
    case Watches::Reason::keyed: try_keyed(watcher.element); break;
  }
}

void Flow::report(ElementId element, QueueStatus status, Why why, ElementId because, std::string_view words) {
  auto& station = stations_[table_.queue(element)];
  station.keep(element, status, why);
  events_.emit([&] {
    event::ElementState state;
    state.element = graph_.name(element);
    state.queue = station.queue().name();
    state.status = to_string(status);
    state.reason.text = words.empty() ? to_string(why) : words;
    if (because != kNoElement) state.because.text = graph_.name(because);
    if (status == QueueStatus::wait && table_.queue(element) == makes_)
      state.expected = forecast_.expected(element);
    return state;
  });
}

}  // namespace weir
