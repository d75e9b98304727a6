#include "resources/arenas.h"

#include <atomic>
#include <mutex>
#include <stdexcept>

namespace weir {
namespace {

TEST(Arenas, destroying_waits_for_all_that_was_enqueued) {
  std::atomic<int> done = 0;
  {
    Arenas arenas(2);
    for (int i = 0; i < 1000; ++i)
      arenas.enqueue(i % 2 ? ArenaKind::compute : ArenaKind::store, [&] { ++done; });
  }
  EXPECT_EQ(done, 1000);
}

TEST(Arenas, as_many_tasks_at_a_time_as_cores) {
  Arenas arenas(2);
  std::atomic<int> inside = 0;
  // Each waits for the other: with one worker only, this would never end.
  for (int i = 0; i < 2; ++i)
    arenas.enqueue(ArenaKind::compute, [&] {
      ++inside;
      while (inside < 2) {
      }
    });
  arenas.drain();
  EXPECT_EQ(inside, 2);
}

TEST(Arenas, an_exception_is_reported_and_the_rest_goes_on) {
  std::mutex mutex;
  std::vector<std::string> reports;
  std::atomic<int> done = 0;
  {
    Arenas arenas(2, [&](ArenaKind, std::string_view what) {
      const std::lock_guard lock(mutex);
      reports.emplace_back(what);
    });
    arenas.enqueue(ArenaKind::store, [] { throw std::runtime_error("broken"); });
    arenas.enqueue(ArenaKind::store, [&] { ++done; });
  }
  EXPECT_EQ(reports, std::vector<std::string>{"broken"});
  EXPECT_EQ(done, 1);
}

TEST(Arenas, tasks_may_enqueue_tasks) {
  std::atomic<int> done = 0;
  {
    Arenas arenas(1);
    arenas.enqueue(ArenaKind::store, [&] { arenas.enqueue(ArenaKind::compute, [&] { ++done; }); });
  }
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace weir
