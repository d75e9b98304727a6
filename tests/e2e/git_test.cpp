// Sources of kind git: tracked, fetched, built, and what a remote can do wrong.
#include <filesystem>
#include <fstream>

#include "core/store/store.h"
#include "tests/e2e/git_repository.h"
#include "tests/e2e/project_texts.h"
#include "tests/support/faulty_server.h"
#include "tests/support/nginx.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

TEST(Git, a_branch_is_tracked_fetched_and_built) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  const auto first = remote.commit("file", "one");
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote", track = "main" })"));

  const auto unpinned = weir(project, {"build"});
  EXPECT_EQ(unpinned.exit, 2);
  EXPECT_NE(unpinned.err.find("weir.toml:6:"), std::string::npos) << unpinned.err;
  EXPECT_NE(unpinned.err.find("weir track app"), std::string::npos) << unpinned.err;
  EXPECT_EQ(shown(project, "app", "state"), "no-ref");

  const auto tracked = weir(project, {"track"});
  ASSERT_EQ(tracked.exit, 0) << tracked.err;
  EXPECT_NE(content(project.path() + "/weir.lock").find("ref = \"" + first + "\""), std::string::npos);
  EXPECT_EQ(shown(project, "app", "state"), "fetch-needed");
  EXPECT_EQ(shown(project, "app", "ref"), first);

  ASSERT_EQ(weir(project, {"fetch"}).exit, 0);
  EXPECT_EQ(shown(project, "app", "state"), "buildable");
  fs::rename(remote.path(), remote.path() + ".gone");
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(built_file(project, "file"), "one") << "what was fetched needs no remote";
  EXPECT_FALSE(fs::exists(project.path() + "/out/.git"));
}

TEST(Git, build_with_track_takes_what_is_new_and_leaves_what_is_not) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one");
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  ASSERT_EQ(build(project, {"--track"}).finished.exit, 0);
  EXPECT_EQ(built_file(project, "file"), "one");
  EXPECT_EQ(build(project, {"--track"}).built, "") << "nothing is new";
  const auto second = remote.commit("file", "two");
  EXPECT_EQ(build(project).built, "") << "the ref in weir.lock counts";
  EXPECT_EQ(build(project, {"--track"}).built, "app");
  EXPECT_EQ(built_file(project, "file"), "two");
  EXPECT_NE(content(project.path() + "/weir.lock").find(second), std::string::npos);
}

// Sources were not verified as a whole at that time.
TEST(Git, a_source_that_an_earlier_release_kept_is_fetched_again) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one");
  const auto commit = remote.commit("other", "two");
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote", ref = ")" + commit + "\" }"));
  project.file("truncated/file", "one");
  {
    auto store = store::Store::open(project.cache() + "/store").value();
    store::ArtifactRecord record;
    record.output = store->import(project.path() + "/truncated").value().tree;
    const auto document =
        R"({"config":{"submodules":false},"kind":"git","ref":")" + commit + R"(","source":1,"version":1})";
    record.recipe = store->put_blob(document).value();
    record.log = store->put_blob("").value();
    ASSERT_TRUE(store->commit(store::Key::of(document), record));
  }
  ASSERT_EQ(build(project).finished.exit, 0);
  EXPECT_EQ(built_file(project, "file"), "one");
  EXPECT_EQ(built_file(project, "other"), "two");
}

TEST(Git, a_ref_in_the_project_is_never_tracked_over) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  const auto first = remote.commit("file", "one");
  remote.commit("file", "two");
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote", ref = ")" + first + "\" }"));
  ASSERT_EQ(build(project, {"--track"}).finished.exit, 0);
  EXPECT_EQ(built_file(project, "file"), "one");
  EXPECT_FALSE(fs::exists(project.path() + "/weir.lock"));
}

TEST(Git, one_commit_without_its_history_is_fetched) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  for (int i = 0; i < 5; ++i) remote.commit("file", std::to_string(i));
  // A plain path would be a copy of all objects; a file: URL goes through the protocol, as any server would.
  project.file("weir.toml", importing("{ kind = \"git\", url = \"file://" + remote.path() + "\" }"));
  ASSERT_EQ(build(project, {"--track"}).finished.exit, 0);
  EXPECT_EQ(run_program(mirror_of(project), {"git", "rev-list", "--all", "--count"}), "1\n");
}

TEST(Git, submodules_come_along_when_they_are_asked_for) {
  TempProject project;
  const GitRepository inner(project.path() + "/inner");
  inner.commit("deep", "inside");
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one");
  remote.git({"submodule", "--quiet", "add", "../inner", "sub"});
  remote.git({"commit", "--quiet", "-m", "with a submodule"});
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote", submodules = true })"));
  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(built_file(project, "sub/deep"), "inside");
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  ASSERT_EQ(build(project, {"--track"}).finished.exit, 0);
  EXPECT_EQ(built_file(project, "sub/deep"), "");
  EXPECT_EQ(built_file(project, "file"), "one");
}

TEST(Git, urls_of_submodules_are_replaced_as_the_user_configured) {
  TempProject project;
  const auto remote = with_submodule(project, "inside");
  remote.git({"config", "-f", ".gitmodules", "submodule.sub.url", "https://host.invalid/inner"});
  remote.git({"commit", "--quiet", "-a", "-m", "elsewhere"});
  project.file("weir.toml", importing(kWithSubmodules));
  project.file(".config/git/config",
               "[url \"file://" + project.path() + "/inner\"]\n\tinsteadOf = https://host.invalid/inner\n");
  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(built_file(project, "sub/deep"), "inside");
}

TEST(Git, a_submodule_that_the_user_turned_off_fails_the_fetch) {
  for (const std::string setting : {"active = false", "update = none"}) {
    SCOPED_TRACE(setting);
    TempProject project;
    with_submodule(project, "inside");
    project.file("weir.toml", importing(kWithSubmodules));
    project.file(".config/git/config", "[submodule \"sub\"]\n\t" + setting + "\n");
    const auto run = weir(project, {"build", "--track", "--events", "-"});
    EXPECT_EQ(run.exit, 1) << run.err;
    EXPECT_EQ(failures_of(run), "source");
    EXPECT_TRUE(says(run.err, "submodule not checked out: sub")) << run.err;
  }
}

TEST(Git, a_submodule_that_the_repository_leaves_out_stays_empty) {
  TempProject project;
  const auto remote = with_submodule(project, "inside");
  remote.git({"config", "-f", ".gitmodules", "submodule.sub.update", "none"});
  remote.git({"commit", "--quiet", "-a", "-m", "not needed"});
  project.file("weir.toml", importing(kWithSubmodules));
  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(built_file(project, "file"), "one\n");
  EXPECT_EQ(built_file(project, "sub/deep"), "");
}

TEST(Git, some_sources_are_tracked_although_others_cannot_be) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  const auto first = remote.commit("file", "one");
  project.file(
      "weir.toml",
      "weir = 1\n[element.a]\nkind = \"import\"\nsource = [{ kind = \"git\", url = \"remote\" }]\n"
      "[element.b]\nkind = \"import\"\nsource = [{ kind = \"git\", url = \"remote\", track = \"mian\" }]\n");
  const auto tracked = weir(project, {"track", "--events", "-"});
  EXPECT_EQ(tracked.exit, 1);
  EXPECT_EQ(failures_of(tracked), "source");
  EXPECT_NE(tracked.err.find("did you mean \"main\"?"), std::string::npos) << tracked.err;
  const auto lock = content(project.path() + "/weir.lock");
  EXPECT_NE(lock.find(first), std::string::npos);
  EXPECT_EQ(lock.find("\"b\""), std::string::npos);
}

TEST(Git, a_remote_that_moved_is_told_and_not_tried_again) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one");
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  ASSERT_EQ(weir(project, {"track"}).exit, 0);
  fs::rename(remote.path(), remote.path() + ".moved");
  for (const auto* command : {"track", "fetch"}) {
    const auto run = weir(project, {command, "--events", "-"});
    EXPECT_EQ(run.exit, 1) << command;
    EXPECT_EQ(failures_of(run), "source") << command;
    EXPECT_EQ(run.out.find("job.retry"), std::string::npos) << command;
    EXPECT_NE(run.err.find("remote: "), std::string::npos) << run.err;
  }
}

TEST(Git, a_commit_that_is_gone_is_told) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one");
  const std::string gone(40, 'd');
  project.file("weir.toml", importing("{ kind = \"git\", url = \"remote\", ref = \"" + gone + "\" }"));
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 1);
  EXPECT_EQ(failures_of(run.finished), "source");
  EXPECT_NE(run.finished.err.find("has no commit " + gone), std::string::npos) << run.finished.err;
}

// Names that a shell or git would take for something else; each would leave a file if it was run.
TEST(Git, nothing_that_a_remote_or_a_project_says_is_executed) {
  TempProject project;
  const auto trap = project.path() + "/trapped";
  const std::string odd = "re mote'\"$(touch " + trap + ")`touch " + trap + "`\n\xc3\xa9";
  const GitRepository remote(project.path() + "/" + odd);
  remote.commit("--upload-pack=touch " + trap + "/x", "one");
  const auto branch = "--upload-pack=touch${IFS}trapped";
  remote.git({"update-ref", std::string("refs/heads/") + branch, "HEAD"});
  project.file("weir.toml", importing("{ kind = \"git\", url = " + toml_text(odd) +
                                      ", track = " + toml_text(branch) + " }"));
  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err << run.finished.out;
  EXPECT_EQ(built_file(project, "--upload-pack=touch " + trap + "/x"), "one");
  EXPECT_FALSE(fs::exists(trap));

  for (const auto* url : {"--upload-pack=touch trapped", "-x:y", "ext::sh -c 'touch trapped'", "fd::17"}) {
    project.file("weir.toml",
                 importing(std::string("{ kind = \"git\", url = \"") + url + "\", track = \"main\" }"));
    const auto refused = weir(project, {"track", "--events", "-"});
    EXPECT_NE(refused.exit, 0) << url;
    EXPECT_FALSE(fs::exists(trap)) << url;
  }
  project.file("weir.toml",
               importing("{ kind = \"git\", url = \"x\", ref = \"--upload-pack=touch trapped\" }"));
  const auto refused = weir(project, {"build"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("is not the full name of a commit"), std::string::npos) << refused.err;
}

// It knows nothing of git: no commit by its name, no history left out.
TEST(Git, a_repository_on_a_plain_web_server_will_do) {
  const Nginx nginx;
  ASSERT_TRUE(nginx.running()) << nginx.errors();
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "zero");
  const auto tip = remote.commit("file", "one");
  remote.git({"clone", "--quiet", "--bare", remote.path(), nginx.folder / "www/lib.git"});
  run_program(nginx.folder / "www/lib.git", {"git", "update-server-info"});
  project.file("weir.toml",
               importing("{ kind = \"git\", url = \"" + nginx.url("/lib.git") + "\", track = \"main\" }"));
  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err << run.finished.out;
  EXPECT_EQ(shown(project, "app", "ref"), tip);
  EXPECT_EQ(built_file(project, "file"), "one");

  project.file("weir.toml", importing("{ kind = \"git\", url = \"" + nginx.url("/gone.git") + "\" }"));
  const auto gone = weir(project, {"track", "--events", "-"});
  EXPECT_EQ(gone.exit, 1);
  EXPECT_EQ(failures_of(gone), "source");
}

TEST(Git, a_server_that_is_down_is_trouble_of_the_network) {
  TempProject project;
  int port = 0;
  { port = FaultyServer().port(); }
  project.file("weir.toml", importing("{ kind = \"git\", url = \"http://127.0.0.1:" + std::to_string(port) +
                                      "/lib.git\" }") +
                                "retry = { network = 1 }\n");
  const auto run = weir(project, {"track", "--events", "-"});
  EXPECT_EQ(run.exit, 4);
  EXPECT_EQ(failures_of(run), "network network");
}

// Else a repository anywhere could have files of this machine built in.
TEST(Git, a_remote_repository_has_no_submodules_of_this_machine) {
  const Nginx nginx;
  ASSERT_TRUE(nginx.running()) << nginx.errors();
  TempProject project;
  const GitRepository secret(project.path() + "/secret");
  secret.commit("key", "secret");
  const GitRepository remote(project.path() + "/remote");
  remote.git({"submodule", "--quiet", "add", secret.path(), "sub"});
  remote.git({"commit", "--quiet", "-m", "with a submodule"});
  remote.git({"clone", "--quiet", "--bare", remote.path(), nginx.folder / "www/lib.git"});
  run_program(nginx.folder / "www/lib.git", {"git", "update-server-info"});
  project.file("weir.toml",
               importing("{ kind = \"git\", url = \"" + nginx.url("/lib.git") + "\", submodules = true }"));
  const auto run = build(project, {"--track"});
  EXPECT_EQ(run.finished.exit, 1);
  EXPECT_EQ(failures_of(run.finished), "source") << run.finished.err;
}

TEST(Git, passwords_of_urls_are_told_to_nobody) {
  FaultyServer server;
  server.on("/lib.git/info/refs?service=git-upload-pack", {answer::status(401)});
  TempProject project;
  auto url = server.url("/lib.git");
  url.insert(url.find("://") + 3, "me:s3cret@");
  project.file("weir.toml", importing("{ kind = \"git\", url = \"" + url +
                                      "\" }, { kind = \"file\", url = \"" + url + "\" }"));
  const auto run = weir(project, {"track", "--events", "-"});
  EXPECT_NE(run.exit, 0);
  EXPECT_EQ((run.out + run.err).find("s3cret"), std::string::npos) << run.out << run.err;
  for (const auto& entry : fs::recursive_directory_iterator(project.cache())) {
    const auto text = entry.is_regular_file() ? content(entry.path()) : std::string();
    EXPECT_EQ(text.find("s3cret"), std::string::npos) << entry.path();
  }
}

TEST(Git, remedies_for_wrong_refs_can_be_followed) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one");
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  ASSERT_EQ(weir(project, {"track"}).exit, 0);
  const auto lock = content(project.path() + "/weir.lock");
  project.file("weir.lock", lock.substr(0, lock.find("ref = ")) + "ref = \"zzz\"\n");
  const auto wrong = weir(project, {"build"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.err.find("weir.lock:8:7: error: "), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("\n  run `weir track app`\n"), std::string::npos) << wrong.err;
  EXPECT_EQ(weir(project, {"track", "app"}).exit, 0);
  EXPECT_EQ(content(project.path() + "/weir.lock"), lock);
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote", ref = "deadbeef" })"));
  EXPECT_NE(weir(project, {"build"}).err.find("correct `ref`, or remove it and run `weir track app`"),
            std::string::npos);
}

TEST(Git, what_track_would_find_cannot_be_checked_before) {
  TempProject project;
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  EXPECT_EQ(weir(project, {"build", "--track", "--check"}).exit, 2);
  EXPECT_EQ(weir(project, {"build", "--track", "--dry-run"}).exit, 2);
}

TEST(Git, two_elements_with_one_mirror_take_turns_and_both_get_it) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  const auto first = remote.commit("file", "one");
  const auto second = remote.commit("file", "two");
  const auto element = [](const std::string& name, const std::string& ref) {
    return "[element." + name +
           "]\nkind = \"import\"\nsource = [{ kind = \"git\", url = \"remote\", ref = \"" + ref + "\" }]\n";
  };
  project.file("weir.toml", "weir = 1\n" + element("app", first) + element("b", second));
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(built_file(project, "file"), "one");
  int running = 0;
  for (const auto& line : lines_of(run.finished.out)) {
    if (field(line, "queue") != "fetch") continue;
    running += field(line, "ev") == "job.start";
    running -= field(line, "ev") == "job.end";
    EXPECT_LE(running, 1) << "one job at a time in a mirror";
  }
}

}  // namespace
}  // namespace weir::test
