// download and unpack as steps of a job.
#include "tests/support/faulty_server.h"
#include "tests/unit/core/exec/archive_maker.h"
#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

class TransferSteps : public testing::Test {
 protected:
  TransferSteps() {
    for (const char* root : {"source", "cache"}) fs::create_directory(f_.folder / root);
    ArchiveMaker(f_.folder / "x.tar", "pax", "gzip").file("top/tool", "#!/bin/sh\necho hello\n", 0755).done();
    archive_ = f_.folder.read("x.tar");
  }
  static JobSpec job(std::vector<Step> steps) {
    JobSpec spec;
    spec.steps = std::move(steps);
    spec.environment = {{"PATH", "/usr/bin:/bin"}};
    return spec;
  }
  JobSpec download(const std::string& path) const {
    return job({DownloadStep{server_.url(path), "source/a/x.tar", ""}});
  }

  FaultyServer server_;
  ExecutorFixture f_;
  std::string archive_;
};

TEST_F(TransferSteps, run_in_a_row_with_commands) {
  server_.on("/x.tar", {answer::whole(archive_)});
  auto spec = download("/x.tar");
  spec.steps.push_back(UnpackStep{"source/a/x.tar", "source/tree", 1});
  spec.steps.push_back(RunStep{{"./tool"}, "source/tree"});
  const auto result = f_.run(spec);
  EXPECT_EQ(result.ending, Ending::succeeded) << result.evidence;
  EXPECT_NE(f_.text.find("hello"), std::string::npos) << f_.text;
  EXPECT_EQ(result.steps.size(), 3U);
  EXPECT_FALSE(fs::is_empty(f_.folder / "cache/downloads"));  // kept for a later job that knows the digest
}

TEST_F(TransferSteps, the_class_of_a_failure_is_the_one_of_the_transfer) {
  server_.on("/busy", {answer::status(503)});
  const auto busy = f_.run(download("/busy"));
  EXPECT_EQ(busy.failure, Failure::network);
  EXPECT_NE(busy.evidence.find("the server answered 503"), std::string::npos) << busy.evidence;
  const auto missing = f_.run(download("/missing"));
  EXPECT_EQ(missing.failure, Failure::source);
  EXPECT_NE(missing.evidence.find("the server answered 404"), std::string::npos) << missing.evidence;
  f_.folder.write("source/text", "text");
  const auto text = f_.run(job({UnpackStep{"source/text", "source/tree"}}));
  EXPECT_EQ(text.failure, Failure::source);
  EXPECT_NE(text.evidence.find("is no archive"), std::string::npos) << text.evidence;
}

TEST_F(TransferSteps, a_job_that_is_stopped_ends_its_download) {
  server_.on("/x.tar", {answer::stall(archive_, 10)});
  RecordingSink sink;
  const auto id = f_.start(download("/x.tar"), sink);
  ASSERT_TRUE(server_.wait_for_requests(1));
  f_.executor->stop(id, StopReason::cancelled, std::chrono::seconds(30));
  ASSERT_TRUE(f_.wait_end(sink));
  EXPECT_EQ(sink.result.ending, Ending::cancelled);
}

TEST_F(TransferSteps, are_not_for_sandboxes) {
  auto spec = download("/x.tar");
  spec.sandbox = SandboxRoot::host;
  const auto result = f_.run(spec);
  EXPECT_EQ(result.failure, Failure::infra);
  EXPECT_EQ(result.evidence,
            "a step of kind 'download' cannot run in a sandbox: it needs the network and the cache");
  EXPECT_EQ(server_.count(), 0U);
}

TEST_F(TransferSteps, need_their_roots) {
  fs::remove(f_.folder / "cache");
  const auto result = f_.run(download("/x.tar"));
  EXPECT_EQ(result.failure, Failure::infra);
  EXPECT_EQ(result.evidence, "the job has no directory for 'cache/downloads'");
}

TEST(TransferProgram, that_is_missing_is_infra_with_a_remedy) {
  LocalExecutorOptions options;
  options.transfer = "/nowhere/weir-transfer";
  ExecutorFixture f(options);
  JobSpec spec;
  spec.steps = {UnpackStep{"build/x", "build/y"}};
  const auto result = f.run(spec);
  EXPECT_EQ(result.failure, Failure::infra);
  EXPECT_EQ(result.evidence,
            "weir-transfer is not beside the weir program; install the package weir-transfer, or run "
            "`cmake/build-all` in "
            "the source tree of weir");
}

}  // namespace
}  // namespace weir
