// One queue's place in the row: what came in, what is done and may move on, and the kept status of every
// element that passed. Written by the scheduler alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/ids.h"
#include "queues/queue.h"

namespace weir {

// The status of an element in one queue, kept for the report.
enum class QueueStatus : std::uint8_t { none, wait, skip, ready, running, done, failed, blocked, cancelled };
std::string_view to_string(QueueStatus status);

// First in, first out; what is taken is gone.
class Port {
 public:
  void put(ElementId element) { elements_.push_back(element); }
  bool empty() const { return elements_.empty(); }
  // All that is in it now; what is put while the caller works through them comes with the next call.
  std::vector<ElementId>& take() {
    taken_.clear();
    taken_.swap(elements_);
    return taken_;
  }

 private:
  std::vector<ElementId> elements_;
  std::vector<ElementId> taken_;
};

struct KeptStatus {
  QueueStatus status = QueueStatus::none;
  Why why = Why::none;
};

class Station {
 public:
  Station(Queue& queue, std::size_t elements) : queue_(&queue), kept_(elements) {}

  Queue& queue() const { return *queue_; }
  Port& input() { return input_; }
  Port& output() { return output_; }
  KeptStatus kept(ElementId element) const { return kept_[index(element)]; }
  void keep(ElementId element, QueueStatus status, Why why = Why::none) {
    kept_[index(element)] = {status, why};
  }

 private:
  Queue* queue_;
  Port input_;
  Port output_;
  std::vector<KeptStatus> kept_;
};

}  // namespace weir
