// Numbers events, stamps them and hands them to the observers. Nothing is built when nobody listens: a
// scheduler of a million elements would spend a third of its time on events that nobody reads.
#pragma once

#include <vector>

#include "core/model/event.h"

namespace weir {

class Emitter {
 public:
  explicit Emitter(const Clock& clock) : clock_(clock), start_(clock.now()) {}

  void add(Observer& observer) { observers_.push_back(&observer); }
  bool heard() const { return !observers_.empty(); }
  // `make` builds the body; called only if somebody listens.
  template <class Make>
  void emit(Make&& make) {
    if (!heard()) return;
    send(Event{++seq_, clock_.now() - start_, make()});
  }
  Duration since_start() const { return clock_.now() - start_; }

 private:
  void send(const Event& event) {
    for (auto* observer : observers_) observer->on_event(event);
  }
  const Clock& clock_;
  Time start_;
  std::uint64_t seq_ = 0;
  std::vector<Observer*> observers_;
};

}  // namespace weir
