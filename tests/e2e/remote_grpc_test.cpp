// Artifacts shared through the Remote Execution API, with Bazel's own worker as the server.
#include <fstream>

#include "tests/e2e/shared_project.h"
#include "tests/support/reapi_server.h"

namespace weir::test {
namespace {

void fill(TempProject& project, const ReapiServer& server, const std::string& lib = "text\n") {
  project.file("weir.toml", "weir = 1\n[project]\nname = \"shared\"\n" + remote_table(server.url()) +
                                shared_elements(R"({kind = "local", path = "more"})"));
  project.file("more/file", "more\n");
  add_shared_files(project, lib);
}

TEST(RemoteGrpc, what_one_store_pushes_another_pulls_and_only_what_changed_is_built) {
  if (const auto reason = ReapiServer::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  const ReapiServer server;
  ASSERT_TRUE(server.running()) << server.log();
  TempProject first;
  fill(first, server);
  const auto shared = build(first);
  ASSERT_EQ(shared.finished.exit, 0) << shared.finished.err;
  ASSERT_EQ(shared.built, "all app data lib tool");
  ASSERT_EQ(pushed(shared), "all app data lib tool") << shared.finished.out;

  TempProject second;
  fill(second, server);
  const auto run = build(second, {"**"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(pulled(run), "all app data lib tool");
  EXPECT_EQ(count_of(run, "pulled"), 5);
  EXPECT_EQ(run.built + fetched(run) + pushed(run), "");
  for (const auto* element : {"all", "app", "data", "lib", "tool"}) {
    EXPECT_EQ(shown(second, element, "output"), shown(first, element, "output")) << element;
    EXPECT_EQ(artifact_picture(second, element), artifact_picture(first, element)) << element;
  }
  EXPECT_EQ(weir(second, {"cache", "verify"}).exit, 0);

  TempProject third;
  fill(third, server, "changed\n");
  const auto changed = build(third);
  EXPECT_EQ(changed.finished.exit, 0) << changed.finished.err;
  EXPECT_EQ(changed.built, "app lib");
  EXPECT_EQ(pulled(changed), "all data tool");
  EXPECT_EQ(pushed(changed), "app lib");

  TempProject fourth;
  fill(fourth, server, "changed\n");
  const auto last = build(fourth);
  EXPECT_EQ(pulled(last), "all app data lib");
  EXPECT_EQ(last.built, "");

  const auto again = run_weir(first, {"push"});
  EXPECT_EQ(again.finished.exit, 0) << again.finished.err;
  EXPECT_EQ(elements_in(again.finished, "push", "skipped"), "all app data lib tool");
  EXPECT_EQ(events_of(again, "remote.transfer"), std::vector<std::string>());
}

// The files of the server that have this content.
std::vector<std::string> files_with(const ReapiServer& server, const std::string& text) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(server.blobs()))
    if (entry.is_regular_file() && content(entry.path()) == text) found.push_back(entry.path());
  return found;
}

// The worker looks at what it sends, answers INTERNAL, and never replaces a blob: all that is left is to
// build.
TEST(RemoteGrpc, an_artifact_that_the_server_cannot_give_any_more_is_built) {
  if (const auto reason = ReapiServer::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  const ReapiServer server;
  ASSERT_TRUE(server.running()) << server.log();
  TempProject first;
  fill(first, server);
  ASSERT_EQ(pushed(build(first)), "all app data lib tool");
  const auto files = files_with(server, "tool: text\n");
  ASSERT_EQ(files.size(), 1u);
  for (const auto& damaged : {"", "tool:", "tool: text\nmore", "tool: TEXT\n"}) {
    SCOPED_TRACE(damaged);
    std::ofstream(files[0]) << damaged;
    TempProject second;
    fill(second, server);
    const auto run = build(second, {"**"});
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_NE(run.built.find("lib"), std::string::npos) << run.built;
    EXPECT_EQ(artifact_picture(second, "lib"), artifact_picture(first, "lib"));
    EXPECT_EQ(weir(second, {"cache", "verify"}).exit, 0);
  }
}

}  // namespace
}  // namespace weir::test
