// Questions that take a look at the disk: all of one turn of the loop go to the arena `store` together
// (waking it costs more than a question), are answered there, and come back to the loop one by one, each told
// as news of its element. More than kAtOnce go in several parts: the first jobs run while the disk is asked
// about the rest, and several threads ask.
//
// The first few of a turn are answered at once while `is_quick` says so. In a run of small jobs each end of
// one brings a question or two, and waking an arena for them cost a quarter of all that weir did. And what
// waits for its answer is not ready yet: a job of less urgency would get the tokens that the end has just set
// free.
//
// Thread: the loop's, but for `answer`, which mostly runs in the arena and may touch nothing that is the
// loop's. What comes back after the batch has died is dropped; its end waits for what is in the arena.
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
            std::function<void(Question)> take, std::function<bool()> is_quick = {})
      : arenas_(arenas),
        doors_(doors),
        answer_(std::move(answer)),
        take_(std::move(take)),
        is_quick_(std::move(is_quick)),
        alive_(std::make_shared<LoopBatch*>(this)) {}
  ~LoopBatch() { arenas_.drain(); }
  LoopBatch(const LoopBatch&) = delete;
  LoopBatch& operator=(const LoopBatch&) = delete;

  // True: the answer is there, and nobody is told of it.
  bool ask(Question question) {
    post_flush();
    if (answered_ < kFew && asked_.empty() && is_quick_ && is_quick_()) {
      ++answered_;
      answer_(question);
      take_(std::move(question));
      return true;
    }
    asked_.push_back(std::move(question));
    return false;
  }

 private:
  static constexpr std::size_t kAtOnce = 256;
  static constexpr std::size_t kFew = 4;

  void post_flush() {
    if (std::exchange(flush_posted_, true)) return;
    doors_.post([weak = std::weak_ptr(alive_)] {
      if (const auto self = weak.lock()) (*self)->flush();
    });
  }
  void flush() {
    flush_posted_ = false;
    answered_ = 0;
    auto asked = std::exchange(asked_, {});
    for (std::size_t begin = 0; begin < asked.size(); begin += kAtOnce) {
      const auto end = std::min(asked.size(), begin + kAtOnce);
      send(std::make_shared<std::vector<Question>>(
          std::make_move_iterator(asked.begin() + static_cast<std::ptrdiff_t>(begin)),
          std::make_move_iterator(asked.begin() + static_cast<std::ptrdiff_t>(end))));
    }
  }
  void send(std::shared_ptr<std::vector<Question>> batch) {
    arenas_.enqueue(ArenaKind::store, [this, batch, weak = std::weak_ptr(alive_)] {
      for (auto& question : *batch) answer_(question);
      doors_.post([batch, weak] {
        const auto self = weak.lock();
        if (!self) return;
        for (auto& question : *batch) {
          const auto element = question.element;
          (*self)->take_(std::move(question));
          (*self)->doors_.news(element);
        }
      });
    });
  }

  Arenas& arenas_;
  const LoopDoors& doors_;
  std::function<void(Question&)> answer_;
  std::function<void(Question)> take_;
  std::function<bool()> is_quick_;
  std::vector<Question> asked_;
  std::size_t answered_ = 0;  // at once, in this turn
  bool flush_posted_ = false;
  std::shared_ptr<LoopBatch*> alive_;
};

}  // namespace weir
