#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

class Gc : public StoreTest {
 protected:
  // A clock that a test sets, so that the order of last uses is certain.
  void use_clock() {
    Options options;
    options.use_granularity = Duration(0);
    options.wall_clock_ns = [this] { return now_ns_ += 1'000'000'000; };
    reopen(std::move(options));
  }
  bool is_cached(const Artifact& artifact) { return must(store().lookup(artifact.key)).has_value(); }
  GcReport gc(std::uint64_t quota = 0, double low = 0.8) { return must(store().gc({quota, 1.0, low})); }

 private:
  std::atomic<std::int64_t> now_ns_{4'000'000'000'000'000'000};  // far ahead of the files
};

// Root reads everything, so it is someone else for a while, who owns all below `folder`.
class NotRoot {
 public:
  explicit NotRoot(const fs::path& folder) {
    if (!is_root_) return;
    EXPECT_EQ(::chown(folder.c_str(), kNobody, kNobody), 0);
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      EXPECT_EQ(::lchown(entry.path().c_str(), kNobody, kNobody), 0);
    EXPECT_EQ(::seteuid(kNobody), 0);
  }
  ~NotRoot() { EXPECT_TRUE(!is_root_ || ::seteuid(0) == 0); }
  NotRoot(const NotRoot&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  bool is_root_ = ::geteuid() == 0;
};

const std::string kBig(100'000, 'b');

}  // namespace

TEST_F(Gc, keeps_what_records_name_and_removes_the_rest) {
  const auto kept = commit_artifact("kept", "kept content");
  must(store().put_blob("garbage"));
  stage(kept.record.output);
  const auto report = gc();
  EXPECT_EQ(report.objects_removed, 1U);
  EXPECT_FALSE(store().has(digest_of("garbage")));
  EXPECT_TRUE(must(store().verify()).clean());
  EXPECT_EQ(must(store().stat()).stages, 1U);
  EXPECT_EQ(read_file(fs::path(stage(kept.record.output).path()) / "file"), "kept content");
}

TEST_F(Gc, the_least_recently_used_go_first_and_only_down_to_the_low_mark) {
  use_clock();
  std::vector<Artifact> artifacts;
  for (int i = 0; i < 5; ++i)
    artifacts.push_back(commit_artifact(std::to_string(i), kBig + std::to_string(i)));
  for (const int i : {1, 3, 0, 2, 4}) must(store().lookup(artifacts[static_cast<std::size_t>(i)].key));
  EXPECT_EQ(gc(600'000).records_removed, 0U);
  const auto report = gc(450'000);  // 500 kB are there; the low mark is 360 kB
  EXPECT_EQ(report.records_removed, 2U);
  EXPECT_LE(report.bytes_left, 360'000U);
  EXPECT_FALSE(is_cached(artifacts[1]));
  EXPECT_FALSE(is_cached(artifacts[3]));
  for (const std::size_t i : {0, 2, 4}) EXPECT_TRUE(is_cached(artifacts[i])) << i;
  EXPECT_TRUE(must(store().verify()).clean());
}

TEST_F(Gc, shared_content_stays_as_long_as_one_record_needs_it) {
  use_clock();
  const auto one = commit_artifact("one", kBig);
  const auto two = commit_artifact("two", kBig);
  must(store().lookup(two.key));
  must(store().rm(one.key));
  gc();
  EXPECT_TRUE(store().has(digest_of(kBig)));
  EXPECT_TRUE(is_cached(two));
}

TEST_F(Gc, never_takes_what_a_pinned_run_of_another_process_needs) {
  const auto looked_up = commit_artifact("looked-up", kBig + "1");
  const auto other = commit_artifact("other", kBig + "2");
  const auto run = must(Store::open(store_path()));
  auto pin = must(run->pin("run 1"));
  must(run->lookup(looked_up.key));
  write_file(here() / "source/a", kBig + "3");
  const auto imported = must(run->import(here() / "source"));
  const auto blob = must(run->put_blob("blob"));
  EXPECT_EQ(gc(1).pins_live, 1U);
  EXPECT_FALSE(is_cached(other));
  EXPECT_TRUE(is_cached(looked_up));
  EXPECT_EQ(must(run->read_blob(blob)), "blob");
  must(run->checkout(imported.tree, here() / "out"));
  pin.release();
  gc(1);
  EXPECT_FALSE(is_cached(looked_up));
  EXPECT_FALSE(store().has(blob));
}

TEST_F(Gc, a_stage_keeps_its_tree_even_without_a_run) {
  write_file(here() / "in/a", "a");
  const auto tree = must(store().import(here() / "in")).tree;
  fs::path path;
  {
    const auto staged = stage(tree);
    path = staged.path();
    gc();
    EXPECT_EQ(read_file(path / "a"), "a");
  }
  gc();
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(store().has(tree));
}

TEST_F(Gc, pins_and_temporary_files_of_dead_processes_are_removed) {
  const auto blob = must(store().put_blob("old"));
  write_file(here() / "store/runs/dead-1", "B " + blob.text() + "\n");
  fs::create_symlink("/nonexistent/pin", here() / "store/runs/damaged-1");
  fs::create_directories(here() / "store/runs/damaged-2/inner");
  write_file(here() / "store/tmp/99999-dead/17", "half a file");
  write_file(here() / "store/tmp/format-dead", "weir-store 1\n");  // of one that died creating the store
  gc();
  EXPECT_FALSE(store().has(blob));
  EXPECT_TRUE(fs::is_empty(here() / "store/runs"));
  EXPECT_FALSE(fs::exists(here() / "store/tmp/99999-dead"));
  EXPECT_FALSE(fs::exists(here() / "store/tmp/format-dead"));
}

TEST_F(Gc, a_pin_whose_mode_was_damaged_is_still_one) {
  const auto live = must(store().put_blob("live"));
  const auto dead = must(store().put_blob("dead"));
  write_file(here() / "store/runs/dead-1", "B " + dead.text() + "\n");
  write_file(here() / "store/runs/live-1", "B " + live.text() + "\n");
  const UniqueFd run(::open((here() / "store/runs/live-1").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(run.get(), LOCK_EX), 0);
  for (const auto* pin : {"dead-1", "live-1"})
    ASSERT_EQ(::chmod((here() / "store/runs" / pin).c_str(), 0), 0);
  {
    const NotRoot somebody(here());
    EXPECT_EQ(gc().pins_live, 1U);
  }
  EXPECT_TRUE(store().has(live));
  EXPECT_FALSE(store().has(dead));
  EXPECT_FALSE(fs::exists(here() / "store/runs/dead-1"));
}

TEST_F(Gc, an_alias_goes_with_its_record) {
  const auto artifact = commit_artifact("app", kBig);
  must(must(store().alias(Key::of("alias"), artifact.key)).wait());
  gc();
  EXPECT_TRUE(must(store().lookup(Key::of("alias"))));
  gc(1);
  EXPECT_EQ(must(store().stat()).aliases, 0U);
}

TEST_F(Gc, runs_beside_imports_and_commits_of_another_store) {
  constexpr int kRounds = 30;
  std::atomic<bool> done{false};
  std::thread cleaner([&] {
    const auto other = must(Store::open(store_path()));
    while (!done) must(other->gc({1, 1.0, 0.8}));
  });
  const auto pin = must(store().pin("run"));
  for (int i = 0; i < kRounds; ++i) {
    const auto artifact = commit_artifact("a" + std::to_string(i), "content " + std::to_string(i));
    EXPECT_TRUE(is_cached(artifact));
    EXPECT_EQ(read_file(fs::path(stage(artifact.record.output).path()) / "file"),
              "content " + std::to_string(i));
  }
  done = true;
  cleaner.join();
  EXPECT_EQ(must(store().stat()).records, static_cast<std::size_t>(kRounds));
  EXPECT_TRUE(must(store().verify()).clean());
}

}  // namespace weir::store::test
