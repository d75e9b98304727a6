#include "core/exec/file_steps.h"

#include "core/exec/logical_path.h"
#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

JobSpec steps(std::vector<Step> list) {
  JobSpec job;
  job.steps = std::move(list);
  return job;
}

TEST(LogicalPath, knows_its_roots_and_refuses_to_leave_them) {
  EXPECT_EQ(split_logical_path("build/a/b")->rest, "a/b");
  EXPECT_EQ(split_logical_path("install")->rest, "");
  for (const char* bad :
       {"", "/etc/passwd", "build/../x", "build/a/..", "home/x", "build//x", "build/a/../../.."})
    EXPECT_FALSE(split_logical_path(bad)) << bad;
}

TEST(FileSteps, write_makes_directories_and_modes) {
  ExecutorFixture f;
  const auto result =
      f.run(steps({WriteStep{"build/a/b/tool", "#!/bin/sh\necho hi\n", true}, RunStep{{"./a/b/tool"}}}));
  EXPECT_EQ(result.ending, Ending::succeeded) << result.evidence;
  EXPECT_EQ(f.text, "hi\n");
}

TEST(FileSteps, copy_takes_trees_links_and_modes) {
  ExecutorFixture f;
  fs::create_directories(f.folder / "project/src/deep");
  std::ofstream(f.folder / "project/src/deep/file") << "content";
  fs::permissions(f.folder / "project/src/deep/file", fs::perms::owner_all);
  fs::create_symlink("deep/file", f.folder / "project/src/link");
  const auto result =
      f.run(steps({CopyStep{"project/src", "build/copy"}, CopyStep{"project/src/deep/file", "build/one"}}));
  EXPECT_EQ(result.ending, Ending::succeeded) << result.evidence;
  EXPECT_EQ(read_file(f.folder / "build/copy/link"), "content");
  EXPECT_TRUE(fs::is_symlink(f.folder / "build/copy/link"));
  EXPECT_EQ(read_file(f.folder / "build/one"), "content");
  EXPECT_EQ(fs::status(f.folder / "build/one").permissions() & fs::perms::owner_exec, fs::perms::owner_exec);
}

TEST(FileSteps, copy_of_a_root_goes_into_another) {
  ExecutorFixture f;
  fs::create_directories(f.folder / "project/a");
  std::ofstream(f.folder / "project/a/x") << "1";
  EXPECT_EQ(f.run(steps({CopyStep{"project", "build"}})).ending, Ending::succeeded);
  EXPECT_EQ(read_file(f.folder / "build/a/x"), "1");
}

TEST(FileSteps, a_link_leads_no_step_out_of_its_root) {
  ExecutorFixture f;
  std::ofstream(f.folder / "secret") << "old";
  fs::create_symlink(f.folder.path(), f.folder / "build/out");
  fs::create_symlink(f.folder / "secret", f.folder / "build/file");
  EXPECT_EQ(f.run(steps({WriteStep{"build/out/secret", "new"}})).ending, Ending::failed);
  EXPECT_EQ(f.run(steps({CopyStep{"build/out/secret", "build/stolen"}})).ending, Ending::failed);
  EXPECT_EQ(f.run(steps({WriteStep{"build/file", "new"}})).ending,
            Ending::succeeded);  // takes the link's place
  EXPECT_EQ(read_file(f.folder / "secret"), "old");
  EXPECT_FALSE(fs::exists(f.folder / "build/stolen"));
}

TEST(FileSteps, a_missing_source_is_named) {
  ExecutorFixture f;
  fs::create_directory(f.folder / "project");
  const auto result = f.run(steps({CopyStep{"project/none", "build/x"}}));
  EXPECT_EQ(result.failure, Failure::source);
  EXPECT_EQ(result.evidence, "reading 'project/none': No such file or directory");
}

TEST(FileSteps, a_large_batch_runs_in_the_arena_and_can_be_stopped) {
  ExecutorFixture f;
  std::vector<Step> list;
  for (int i = 0; i < 500; ++i)
    list.push_back(WriteStep{"build/f" + std::to_string(i), std::string(100, 'x')});
  RecordingSink sink;
  const auto id = f.start(steps(list), sink);
  f.executor->stop(id, StopReason::cancelled, std::chrono::seconds(1));
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.result.ending, Ending::cancelled);
  EXPECT_EQ(f.run(steps(list)).ending, Ending::succeeded);
  EXPECT_TRUE(fs::exists(f.folder / "build/f499"));
}

TEST(FileSteps, a_suspended_job_starts_no_further_steps) {
  ExecutorFixture f;
  std::vector<Step> list(10, WriteStep{"build/f", std::string(100'000, 'x')});
  list.push_back(RunStep{{"true"}});
  RecordingSink sink;
  RecordingSink other;
  const auto id = f.start(steps(list), sink);
  f.executor->suspend(id);
  EXPECT_EQ(f.run(f.spec({"true"})).ending, Ending::succeeded);
  EXPECT_EQ(sink.ends, 0);
  f.executor->resume(id);
  ASSERT_TRUE(f.wait_end(sink));
  EXPECT_EQ(sink.result.ending, Ending::succeeded) << sink.result.evidence;
}

TEST(FileSteps, joining_waits_for_the_arena) {
  ExecutorFixture f;
  RecordingSink sink;
  f.start(steps(std::vector<Step>(50, WriteStep{"build/f", std::string(100'000, 'x')})), sink);
  f.executor->join();
  f.loop.poll();
  EXPECT_EQ(sink.ends, 0);
}

}  // namespace
}  // namespace weir
