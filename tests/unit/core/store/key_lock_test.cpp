#include "core/store/key_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <future>

#include "core/store/file_tools.h"
#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

class KeyLocks : public StoreTest {
 protected:
  const Key key_ = Key::of("element");
};

// A process that holds the lock until it is killed. It only calls what is safe after fork.
pid_t hold_lock_in_child(const fs::path& store, const Key& key) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const auto place = KeyLockFiles::place_of(key);
  const auto path = (store / KeyLockFiles::name_of(place.bucket)).string();
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0644);
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_start = place.byte;
    range.l_len = 1;
    if (fd < 0 || ::fcntl(fd, F_OFD_SETLK, &range) != 0) ::_exit(1);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

}  // namespace

TEST_F(KeyLocks, lock_files_that_are_damaged_are_made_usable) {
  const auto path = here() / "store" / "store-lock-test";
  const auto opens = [&] { return bool(open_lock_file(AT_FDCWD, path)); };
  fs::create_symlink("/nonexistent/lock", path);
  EXPECT_TRUE(opens());
  fs::remove(path);
  fs::create_directories(path / "inner");
  EXPECT_TRUE(opens());
  fs::permissions(path, fs::perms::none);  // root is not kept out
  EXPECT_TRUE(opens());
}

TEST_F(KeyLocks, only_one_holder_at_a_time) {
  auto first = must(store().try_lock(key_));
  ASSERT_TRUE(first);
  EXPECT_FALSE(must(store().try_lock(key_)));
  EXPECT_TRUE(must(store().try_lock(Key::of("another"))));
  first.reset();
  EXPECT_TRUE(must(store().try_lock(key_)));
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_F(KeyLocks, of_any_number_of_keys_leave_few_files_behind) {
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(must(store().try_lock(Key::of(std::to_string(i)))));
  EXPECT_LE(entries(here() / "store/locks"), KeyLockFiles::kBuckets + 1);
}

// A run holds a lock for every element that is ready: thousands of them ran out of descriptors, and then were
// not locked.
TEST_F(KeyLocks, of_thousands_of_keys_need_few_descriptors) {
  const auto before = entries("/proc/self/fd");
  std::vector<KeyLock> held;
  for (int i = 0; i < 5000; ++i) {
    auto lock = must(store().try_lock(Key::of(std::to_string(i))));
    ASSERT_TRUE(lock);
    held.push_back(std::move(*lock));
  }
  EXPECT_LE(entries("/proc/self/fd"), before + KeyLockFiles::kBuckets);
  const auto other = must(Store::open(store_path()));
  for (int i = 0; i < 5000; i += 7) EXPECT_FALSE(must(other->try_lock(Key::of(std::to_string(i)))));
  held.clear();
  for (int i = 0; i < 5000; i += 7) EXPECT_TRUE(must(other->try_lock(Key::of(std::to_string(i)))));
}

TEST_F(KeyLocks, a_free_lock_comes_by_callback_too) {
  std::promise<bool> got;
  const auto wait = store().lock(key_, [&](Result<KeyLock> lock) { got.set_value(lock.has_value()); });
  EXPECT_TRUE(got.get_future().get());
}

TEST_F(KeyLocks, a_waiter_is_called_when_another_store_gives_back) {
  const auto other = must(Store::open(store_path()));
  auto held = must(other->try_lock(key_));
  std::promise<void> got;
  std::atomic<bool> released{false};
  const auto wait = store().lock(key_, [&](Result<KeyLock> lock) {
    EXPECT_TRUE(lock.has_value());
    EXPECT_TRUE(released);
    got.set_value();
  });
  released = true;
  held.reset();
  got.get_future().get();
}

TEST_F(KeyLocks, a_waiter_is_called_after_many_were_given_back_together) {
  const auto other = must(Store::open(store_path()));
  std::vector<std::optional<KeyLock>> locks;
  for (const auto* name : {"a", "b", "c"}) locks.push_back(must(store().try_lock(Key::of(name))));
  std::promise<void> called;
  const auto wait = other->lock(Key::of("c"), [&](Result<KeyLock> got) {
    EXPECT_TRUE(got && *got);
    called.set_value();
  });
  {
    const KeyLockBatch together;
    locks.clear();
  }
  called.get_future().wait();
}

TEST_F(KeyLocks, a_waiter_is_called_when_the_holder_is_killed) {
  const auto child = hold_lock_in_child(store_path(), key_);
  ASSERT_FALSE(must(store().try_lock(key_)));
  std::promise<bool> got;
  const auto wait = store().lock(key_, [&](Result<KeyLock> lock) { got.set_value(lock.has_value()); });
  ::kill(child, SIGKILL);
  EXPECT_TRUE(got.get_future().get());
  ::waitpid(child, nullptr, 0);
}

TEST_F(KeyLocks, a_forgotten_wait_does_not_take_the_lock) {
  auto held = must(store().try_lock(key_));
  bool called = false;
  {
    const auto wait = store().lock(key_, [&](Result<KeyLock>) { called = true; });
  }
  held.reset();
  EXPECT_TRUE(must(store().try_lock(key_)));
  EXPECT_FALSE(called);
}

TEST_F(KeyLocks, many_waiters_of_two_stores_are_served_one_after_another) {
  const auto other = must(Store::open(store_path()));
  constexpr int kWaiters = 20;
  std::atomic<int> inside{0};
  std::atomic<int> served{0};
  std::promise<void> all;
  std::vector<LockWaiter::Wait> waits;
  for (int i = 0; i < kWaiters; ++i)
    waits.push_back((i % 2 ? *other : store()).lock(key_, [&](Result<KeyLock> lock) {
      ASSERT_TRUE(lock.has_value());
      EXPECT_EQ(inside.fetch_add(1), 0);
      inside.fetch_sub(1);
      { const auto given_back = std::move(*lock); }
      if (served.fetch_add(1) + 1 == kWaiters) all.set_value();
    }));
  all.get_future().get();
}

}  // namespace weir::store::test
