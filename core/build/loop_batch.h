// Questions that take a look at the disk: all of one turn of the loop go to the arena `store` together (waking it costs more
// than a question), are answered there, and come back to the loop one by one. More than kAtOnce go in several parts: the
// first jobs run while the disk is asked about the rest, and several threads ask.
//
// Thread: the loop's, but for `answer`, which runs in the arena and may touch nothing that is the loop's. What comes back
// after the batch has died is dropped; its end waits for what is in the arena.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "core/build/loop_doors.h"
#include "resources/arenas.h"

namespace weir {

template <class Question>
class LoopBatch {
 public:
  LoopBatch(Arenas& arenas, const LoopDoors& doors, std::function<void(Question&)> answer,
            std::function<void(Question)> take)
      : arenas_(arenas), doors_(doors), answer_(std::move(answer)), take_(std::move(take)),
        alive_(std::make_shared<LoopBatch*>(this)) {}
  ~LoopBatch() { arenas_.drain(); }
  LoopBatch(const LoopBatch&) = delete;
  LoopBatch& operator=(const LoopBatch&) = delete;

  void ask(Question question) {
    asked_.push_back(std::move(question));
    if (std::exchange(flush_posted_, true)) return;
    doors_.post([weak = std::weak_ptr(alive_)] {
      if (const auto self = weak.lock()) (*self)->flush();
    });
  }

 private:
  static constexpr std::size_t kAtOnce = 256;

  void flush() {
    flush_posted_ = false;
    auto asked = std::exchange(asked_, {});
    for (std::size_t begin = 0; begin < asked.size(); begin += kAtOnce) {
      const auto end = std::min(asked.size(), begin + kAtOnce);
      send(std::make_shared<std::vector<Question>>(std::make_move_iterator(asked.begin() + static_cast<std::ptrdiff_t>(begin)),
                                                   std::make_move_iterator(asked.begin() + static_cast<std::ptrdiff_t>(end))));
    }
  }
  void send(std::shared_ptr<std::vector<Question>> batch) {
    arenas_.enqueue(ArenaKind::store, [this, batch, weak = std::weak_ptr(alive_)] {
      for (auto& question : *batch) answer_(question);
      doors_.post([batch, weak] {
        const auto self = weak.lock();
        if (!self) return;
        for (auto& question : *batch) (*self)->take_(std::move(question));
      });
    });
  }

  Arenas& arenas_;
  const LoopDoors& doors_;
  std::function<void(Question&)> answer_;
  std::function<void(Question)> take_;
  std::vector<Question> asked_;
  bool flush_posted_ = false;
  std::shared_ptr<LoopBatch*> alive_;
};

}  // namespace weir
