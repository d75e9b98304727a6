// Artifacts shared through nginx, as Debian has it: what is pulled, what is pushed, and what is not asked
// for.
#include <optional>

#include "tests/e2e/shared_project.h"
#include "tests/support/faulty_server.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

const std::string kFetched = "from the network\n";
const char* const kElementNames[] = {"all", "app", "data", "lib", "tool"};

class RemoteHttp : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(remote_.running()) << remote_.errors();
    sources_.emplace().on("/fetched", {answer::whole(kFetched)});
    source_ = file_source(sources_->url("/fetched"), kFetched);
  }
  // The project as it would be on another machine: another folder, another store.
  void fill(TempProject& project, const std::string& lib = "text\n") {
    project.file("weir.toml", "weir = 1\n[project]\nname = \"shared\"\n" + remote_table(remote_.url()) +
                                  shared_elements(source_));
    add_shared_files(project, lib);
  }
  // By someone else, before.
  void share(const std::string& lib = "text\n") {
    fill(first_, lib);
    const auto run = build(first_);
    ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
    ASSERT_EQ(run.built, "all app data lib tool");
    ASSERT_EQ(fetched(run), "data");
    ASSERT_EQ(pushed(run), "all app data lib tool");
    ASSERT_EQ(count_of(run, "pushed"), 5);
    remote_.requests();
  }
  NginxRemote remote_;
  std::optional<FaultyServer> sources_;
  std::string source_;
  TempProject first_;
};

TEST_F(RemoteHttp, an_empty_store_pulls_everything_and_fetches_and_builds_nothing) {
  ASSERT_NO_FATAL_FAILURE(share());
  TempProject second;
  fill(second);
  const auto run = build(second, {"**"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(pulled(run), "all app data lib tool");
  EXPECT_EQ(count_of(run, "pulled"), 5);
  EXPECT_NE(weir(second, {"runs", "--json"}).out.find("\"pulled\":5,\"pushed\":0"), std::string::npos);
  EXPECT_EQ(weir(second, {"log", "app"}).out, "so it was built\n") << "wherever that was";
  EXPECT_EQ(fetched(run), "");
  EXPECT_EQ(run.built, "");
  EXPECT_EQ(elements_in(run.finished, "push"), "");
  EXPECT_EQ(count_starting(remote_.requests(), "PUT"), 0u);
  EXPECT_EQ(sources_->count(), 1u) << "fetched by the one that built it";
  for (const auto* element : kElementNames) {
    EXPECT_EQ(shown(second, element, "output"), shown(first_, element, "output")) << element;
    EXPECT_EQ(artifact_picture(second, element), artifact_picture(first_, element)) << element;
  }
  EXPECT_EQ(artifact_picture(second, "tool"),
            "bin 40755\n"
            "bin/tool 100755 = #!/bin/sh\nexec sed \"s/^/tool: /\" \"$@\"\n\n"
            "empty 40755\n"
            "empty/inner 40755\n"
            "link 120777 -> bin/tool\n"
            "nothing 100644 = \n"
            "share 40755\n"
            "share/same 100644 = in two elements\n\n");
  EXPECT_EQ(weir(second, {"cache", "verify"}).exit, 0);
}

TEST_F(RemoteHttp, a_blob_that_two_artifacts_share_is_sent_once) {
  ASSERT_NO_FATAL_FAILURE(share());
  TempProject second;
  fill(second);
  ASSERT_EQ(build(second, {"tool"}).finished.exit, 0);
  ASSERT_EQ(build(second, {"data"}).finished.exit, 0);
  const auto same = "GET /cas/" + store::digest_of("in two elements\n").hex();
  EXPECT_LE(count_starting(remote_.requests(), same), 1u);
}

TEST_F(RemoteHttp, the_top_is_pulled_without_what_it_was_built_with) {
  ASSERT_NO_FATAL_FAILURE(share());
  TempProject second;
  fill(second);
  const auto run = build(second, {"all"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(pulled(run), "all app data lib") << "tool is needed to build, not to run";
  EXPECT_EQ(run.built, "");
  TempProject third;
  fill(third);
  EXPECT_EQ(pulled(build(third, {"lib"})), "lib");
}

TEST_F(RemoteHttp, a_change_in_the_middle_builds_what_it_reaches_pulls_the_rest_and_pushes_what_is_new) {
  ASSERT_NO_FATAL_FAILURE(share());
  TempProject second;
  fill(second, "changed\n");
  const auto run = build(second);
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.built, "app lib");
  EXPECT_EQ(pulled(run), "all data tool") << "a stack has nothing of its own, so no change reaches it";
  EXPECT_EQ(fetched(run), "");
  EXPECT_EQ(pushed(run), "app lib");
  EXPECT_EQ(artifact_picture(second, "app"), "app 100644 = tool: changed\ntool: changed\n\n");

  TempProject third;
  fill(third, "changed\n");
  const auto again = build(third);
  EXPECT_EQ(again.finished.exit, 0) << again.finished.err;
  EXPECT_EQ(pulled(again), "all app data lib");
  EXPECT_EQ(again.built, "");
}

TEST_F(RemoteHttp,
       a_change_that_leaves_the_output_the_same_builds_one_element_and_shares_the_rest_under_its_new_keys) {
  ASSERT_NO_FATAL_FAILURE(share());
  TempProject second;
  fill(second);
  ASSERT_EQ(count_of(build(second, {"**"}), "pulled"), 5);
  fill(second, "# a remark\ntext\n");
  remote_.requests();
  const auto run = build(second);
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.built, "lib");
  EXPECT_EQ(pushed(run), "app lib");
  EXPECT_EQ(count_starting(remote_.requests(), "PUT /ac/"), 2u);

  TempProject third;
  fill(third, "# a remark\ntext\n");
  const auto again = build(third);
  EXPECT_EQ(pulled(again), "all app data lib");
  EXPECT_EQ(again.built, "");
}

TEST_F(RemoteHttp, a_build_with_nothing_to_do_does_not_ask_the_server) {
  ASSERT_NO_FATAL_FAILURE(share());
  const auto null = build(first_);
  EXPECT_EQ(null.finished.exit, 0);
  EXPECT_EQ(elements_in(null.finished, "pull") + elements_in(null.finished, "push"), "");
  EXPECT_EQ(remote_.requests(), std::vector<std::string>());

  TempProject second;
  fill(second);
  ASSERT_EQ(build(second).finished.exit, 0);
  EXPECT_FALSE(remote_.requests().empty());
  EXPECT_EQ(build(second).finished.exit, 0);
  EXPECT_EQ(remote_.requests(), std::vector<std::string>()) << "what was pulled is known to be there";
}

TEST_F(RemoteHttp, a_second_push_asks_again_and_uploads_nothing) {
  ASSERT_NO_FATAL_FAILURE(share());
  const auto again = run_weir(first_, {"push"});
  EXPECT_EQ(again.finished.exit, 0) << again.finished.err;
  EXPECT_EQ(elements_in(again.finished, "push", "skipped"), "all app data lib tool");
  EXPECT_EQ(count_of(again, "pushed"), 0);
  const auto requests = remote_.requests();
  EXPECT_EQ(count_starting(requests, "PUT"), 0u);
  EXPECT_EQ(count_starting(requests, "HEAD /ac/"), 5u);

  // What somebody took away meanwhile is given again.
  fs::remove_all(remote_.folder() + "/ac");
  EXPECT_EQ(pushed(run_weir(first_, {"push"})), "all app data lib tool");
  const auto renewed = remote_.requests();
  EXPECT_EQ(count_starting(renewed, "PUT /ac/"), 5u);
  EXPECT_EQ(count_starting(renewed, "PUT /cas/"), 0u) << "the blobs are all there";
}

TEST_F(RemoteHttp, what_was_built_twice_is_uploaded_once) {
  ASSERT_NO_FATAL_FAILURE(share());
  TempProject second;
  fill(second);
  ASSERT_EQ(build(second, {"--no-remote"}).built, "all app data lib tool");
  EXPECT_EQ(count_starting(remote_.requests(), "PUT"), 0u);
  const auto run = build(second);
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(elements_in(run.finished, "push", "skipped"), "all app data lib")
      << "asked, since nothing was known of it";
  EXPECT_EQ(count_starting(remote_.requests(), "PUT"), 0u);
}

// As a server leaves them that went down in the middle: files without content, or with a part of it.
TEST_F(RemoteHttp, a_blob_of_another_length_is_built_again_and_replaced_and_the_remote_is_still_used) {
  ASSERT_NO_FATAL_FAILURE(share());
  const auto file = remote_.folder() + "/cas/" + store::digest_of("tool: text\n").hex();
  const auto whole = content(file);
  ASSERT_EQ(whole, "tool: text\n");
  for (const auto& damaged : {std::string(), whole.substr(0, 5), whole + "more", std::string(100'000, 'x')}) {
    SCOPED_TRACE(damaged.size());
    remote_.nginx().put("cas/" + fs::path(file).filename().string(), damaged);
    TempProject second;
    fill(second);
    const auto run = build(second, {"**"});
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(run.built, "lib");
    EXPECT_EQ(pulled(run), "all app data tool");
    EXPECT_EQ(pushed(run), "lib");
    ASSERT_EQ(events_of(run, "remote.state").size(), 1u) << run.finished.out;
    EXPECT_EQ(field(events_of(run, "remote.state")[0], "state"), "up");
    EXPECT_EQ(events_of(run, "diagnostic").size(), 1u);
    EXPECT_EQ(content(file), whole);
  }
}

TEST_F(RemoteHttp, a_source_that_cannot_be_had_any_more_is_no_problem_if_the_artifact_can) {
  ASSERT_NO_FATAL_FAILURE(share());
  sources_.reset();
  TempProject second;
  fill(second);
  const auto run = build(second, {"**"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(fetched(run) + run.built, "");
  EXPECT_EQ(count_of(run, "pulled"), 5);
  EXPECT_EQ(events_of(run, "diagnostic"), std::vector<std::string>());
  EXPECT_EQ(artifact_picture(second, "data"), artifact_picture(first_, "data"));
}

}  // namespace
}  // namespace weir::test
