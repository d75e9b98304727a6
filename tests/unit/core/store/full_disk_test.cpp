#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <thread>

#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

std::string noise(std::uint64_t seed, std::size_t size) {
  Random random(seed);
  std::string bytes(size, '\0');
  for (auto& c : bytes) c = static_cast<char>(random.next());
  return bytes;
}

// True if the rest of the calling thread's life has a tmpfs of 4 MiB at `path`; other threads do not see it.
bool mount_small_disk(const fs::path& path) {
  return ::unshare(CLONE_FS | CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=4m") == 0;
}

void fill_and_recover(const fs::path& disk, const fs::path& source) {
  const auto store = must(Store::open(disk / "store"));
  const auto blob = must(store->put_blob("small"));
  must(must(store->commit(Key::of("kept"), {must(store->put_blob("")), blob, blob, "kept"})).wait());
  write_file(source / "large", noise(1, 3 << 20));
  write_file(source / "small", noise(2, 3 << 19));
  const auto full = store->import(source);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().reason, Reason::resources) << full.error().message;
  EXPECT_FALSE(full.error().remedy.empty());
  EXPECT_TRUE(must(store->verify()).clean());
  EXPECT_TRUE(must(store->lookup(Key::of("kept"))));
  must(store->gc({}));  // room is made: what the failed import left is nobody's
  fs::remove(source / "large");
  must(store->import(source));
  EXPECT_TRUE(must(store->verify()).clean());
}

}  // namespace

TEST(full_disk, is_an_error_of_resources_and_leaves_the_store_whole) {
  const TemporaryDirectory here;
  const auto disk = here.path() / "disk";
  fs::create_directory(disk);
  bool mounted = false;
  std::thread([&] {
    mounted = mount_small_disk(disk);
    if (mounted) fill_and_recover(disk, here.path() / "source");
  }).join();
  if (!mounted) GTEST_SKIP() << "only root can mount a small disk; the file size limit is tested instead";
}

TEST(full_disk, a_file_size_limit_is_one_of_resources_too) {
  const TemporaryDirectory here;
  const auto store = must(Store::open(here.path() / "store"));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto full = store->put_blob(noise(3, 2 << 20));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().reason, Reason::resources);
  EXPECT_TRUE(must(store->verify()).clean());
  EXPECT_EQ(must(store->stat()).objects, 0U);
}

}  // namespace weir::store::test
