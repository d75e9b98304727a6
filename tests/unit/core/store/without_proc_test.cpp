// Some containers have no /proc. Then a file without a name can never get one.
#include <sched.h>
#include <sys/mount.h>

#include <thread>

#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

// True if the calling thread sees an empty /proc for the rest of its life.
bool hide_proc() {
  return ::unshare(CLONE_FS | CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", "/proc", "tmpfs", 0, nullptr) == 0;
}

}  // namespace

TEST(WithoutProc, a_large_file_comes_into_the_store) {
  const TemporaryDirectory here;
  write_file(here.path() / "in/large", std::string(5'000'000, 'L'));
  const auto store = must(Store::open((here.path() / "store").string()));
  bool hidden = false;
  std::thread([&] {
    hidden = hide_proc();
    if (!hidden) return;
    const auto imported = store->import((here.path() / "in").string());
    EXPECT_TRUE(imported) << (imported ? "" : imported.error().message);
  }).join();
  if (!hidden) GTEST_SKIP() << "only root can hide /proc";
  EXPECT_TRUE(must(store->verify()).clean());
}

}  // namespace weir::store::test
