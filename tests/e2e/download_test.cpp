// Sources of kind tar, file and patch through the whole of weir, from real and from faulty servers.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "core/store/digest.h"
#include "tests/e2e/file_modes.h"
#include "tests/e2e/project_texts.h"
#include "tests/support/faulty_server.h"
#include "tests/support/nginx.h"
#include "tests/support/run_program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

std::string sha256(const std::string& bytes) { return store::digest_of(bytes).hex(); }

std::string file_source(const std::string& url, const std::string& body) {
  return "{ kind = \"file\", url = " + toml_text(url) + ", name = \"data\", ref = \"" + sha256(body) + "\" }";
}

// An archive with one file "<top>/hello".
std::string make_archive(TempProject& project, const std::string& text, const std::string& top = "pkg-1.0") {
  project.file("work/" + top + "/hello", text);
  run_program(project.path() + "/work",
              {"tar", "--sort=name", "--mtime=@0", "-czf", "../made.tar.gz", "--", top});
  return content(project.path() + "/made.tar.gz");
}

TEST(Download, an_archive_from_nginx_is_tracked_fetched_and_patched) {
  const Nginx nginx;
  ASSERT_TRUE(nginx.running()) << nginx.errors();
  TempProject project;
  nginx.put("pkg.tar.gz", make_archive(project, "one\n"));
  project.file("fix.patch", "--- a/hello\n+++ b/hello\n@@ -1 +1 @@\n-one\n+two\n");
  project.file("weir.toml", importing("{ kind = \"tar\", strip = 1, url = \"" + nginx.url("/pkg.tar.gz") +
                                      "\" }, { kind = \"patch\", path = \"fix.patch\" }"));
  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(built_file(project, "hello"), "two\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(project.path() + "/out"), {}), 1)
      << "nothing of the patch itself";

  const auto ref = shown(project, "app", "ref");
  nginx.put("pkg.tar.gz", make_archive(project, "one\n", "pkg-1.1"));
  EXPECT_EQ(build(project).built, "") << "the ref counts, not what the server has by now";
  EXPECT_EQ(build(project, {"--track"}).finished.exit, 0);
  EXPECT_NE(shown(project, "app", "ref"), ref);
}

TEST(Download, a_patch_that_does_not_fit_is_a_failed_command) {
  TempProject project;
  make_archive(project, "one\n");
  project.file("fix.patch", "--- a/hello\n+++ b/hello\n@@ -1 +1 @@\n-other\n+two\n");
  project.file(
      "weir.toml",
      importing(
          R"({ kind = "tar", strip = 1, url = "made.tar.gz" }, { kind = "patch", path = "fix.patch" })"));
  const auto run = build(project, {"--track"});
  EXPECT_EQ(run.finished.exit, 1);
  EXPECT_EQ(failures_of(run.finished), "command");
}

TEST(Download, a_patch_is_named_when_it_does_not_apply_and_finds_its_way_through_links) {
  TempProject project;
  project.file("src/v1/deep/a.txt", "one\n");
  fs::create_directory_symlink("v1/deep", project.path() + "/src/current");
  project.file("good.patch", "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n");
  project.file("bad.patch", "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-three\n+four\n");
  const std::string sources =
      R"({ kind = "local", path = "src" }, { kind = "patch", path = "good.patch", directory = "current" })";
  project.file("weir.toml", importing(sources));
  ASSERT_EQ(build(project).finished.exit, 0);
  EXPECT_EQ(built_file(project, "v1/deep/a.txt"), "two\n");
  project.file("weir.toml",
               importing(sources + R"(, { kind = "patch", path = "bad.patch", directory = "current" })"));
  EXPECT_NE(build(project).finished.err.find("the patch bad.patch does not apply"), std::string::npos);
}

TEST(Download, sources_that_do_not_fit_together_are_told_as_such) {
  TempProject project;
  project.file("one/a", "1").file("two/a", "2");
  run_program(project.path(), {"tar", "-cf", "two.tar", "-C", "two", "a"});
  project.file("weir.toml",
               importing(R"({ kind = "local", path = "one" }, { kind = "tar", url = "two.tar" })"));
  const auto run = build(project, {"--track"});
  EXPECT_EQ(run.finished.exit, 1);
  EXPECT_NE(run.finished.err.find("the sources do not fit together: a comes from both source 1 and source 2"),
            std::string::npos)
      << run.finished.err;
}

TEST(Download, trouble_on_the_way_is_tried_again) {
  FaultyServer server;
  const std::string body(100'000, 'x');
  server.on("/data", {answer::status(503), answer::hang_up(), answer::whole(body)});
  TempProject project;
  project.file("weir.toml", importing(file_source(server.url("/data"), body)));
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(failures_of(run.finished), "network network");
  EXPECT_EQ(built_file(project, "data"), body);
}

TEST(Download, what_was_cut_is_resumed) {
  FaultyServer server;
  const std::string body(100'000, 'x');
  server.on("/data", {answer::cut(body, 40'000), answer::whole(body)});
  TempProject project;
  project.file("weir.toml", importing(file_source(server.url("/data"), body)));
  ASSERT_EQ(build(project).finished.exit, 0);
  EXPECT_EQ(server.requests().back().header("range"), "bytes=40000-");
  EXPECT_EQ(built_file(project, "data"), body);
}

struct Trouble {
  const char* what;
  HttpAnswer answer;
  const char* failures;
  int exit;
};

// Each is classed and retried as its class says, and of none anything is kept.
TEST(Download, every_trouble_has_its_class_and_leaves_nothing) {
  const std::string body(10'000, 'x');
  FaultyServer server;
  const Trouble troubles[] = {
      {"503", answer::status(503), "network network", 4},
      {"hangs up", answer::hang_up(), "network network", 4},
      {"stalls", answer::stall(body, 100), "network network", 4},
      {"404", answer::status(404), "source", 1},
      {"redirects in a loop", answer::redirect("/data"), "source", 1},
      {"redirects to a file", answer::redirect("file:///etc/passwd"), "source", 1},
      {"wrong bytes", answer::whole(std::string(10'000, 'y')), "source", 1},
  };
  for (const auto& trouble : troubles) {
    server.on("/data", {trouble.answer});
    TempProject project;
    // Alone where silence is what is waited for: a server on a busy machine may be silent for a second.
    if (trouble.what == std::string_view("stalls")) project.set("WEIR_DOWNLOAD_STALL=1");
    project.file("weir.toml",
                 importing(file_source(server.url("/data"), body)) + "retry = { network = 1 }\n");
    const auto run = build(project);
    EXPECT_EQ(failures_of(run.finished), trouble.failures) << trouble.what;
    EXPECT_EQ(run.finished.exit, trouble.exit) << trouble.what;
    project.unset_all();
    EXPECT_EQ(shown(project, "app", "state"), "fetch-needed") << trouble.what;
    for (const auto& entry : fs::recursive_directory_iterator(project.cache() + "/projects"))
      EXPECT_NE(entry.path().filename(), "data") << trouble.what;
    server.on("/data", {answer::whole(body)});
    EXPECT_EQ(build(project).finished.exit, 0)
        << "and a good server is all that it takes after " << trouble.what;
    EXPECT_EQ(built_file(project, "data"), body) << trouble.what;
  }
}

// The downloads of `weir track` are kept for the build: damaged there, they are downloaded again.
TEST(Download, a_damaged_download_in_the_cache_is_never_part_of_an_artifact) {
  const std::string body(100'000, 'x');
  const auto downloads = [](const TempProject& project) { return project.cache() + "/sources/downloads"; };
  const std::function<void(const std::string&)> damages[] = {
      [](const std::string& file) { fs::resize_file(file, 50'000); },
      [](const std::string& file) { fs::resize_file(file, 0); },
      [](const std::string& file) { std::ofstream(file) << std::string(100'000, 'y'); },
      [](const std::string& file) {
        fs::rename(file, file + ".moved");
        std::ofstream(file + ".moved") << std::string(100'000, 'y');
        fs::create_symlink(file + ".moved", file);
      },
      [](const std::string& file) { fs::remove(file); },
  };
  for (const auto& damage : damages) {
    FaultyServer server;
    server.on("/data", {answer::whole(body)});
    TempProject project;
    project.file("weir.toml",
                 importing("{ kind = \"file\", name = \"data\", url = \"" + server.url("/data") + "\" }"));
    ASSERT_EQ(weir(project, {"track"}).exit, 0);
    const auto kept = downloads(project) + "/sha256-" + sha256(body);
    ASSERT_TRUE(fs::exists(kept));
    damage(kept);
    const auto run = build(project);
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(built_file(project, "data"), body);
    fs::remove_all(project.cache() + "/store");
    EXPECT_EQ(build(project).finished.exit, 0);
    EXPECT_EQ(built_file(project, "data"), body);
  }
}

TEST(Download, an_archive_that_was_cut_between_two_entries_is_no_source) {
  TempProject project;
  project.file("work/a", "1").file("work/b", "2");
  run_program(project.path() + "/work", {"tar", "--format=ustar", "-cf", "../made.tar", "a", "b"});
  fs::resize_file(project.path() + "/made.tar", 1024);
  project.file("weir.toml", importing(R"({ kind = "tar", url = "made.tar" })"));
  const auto run = build(project, {"--track"});
  EXPECT_EQ(run.finished.exit, 1);
  EXPECT_EQ(failures_of(run.finished), "source");
  EXPECT_TRUE(says(run.finished.err, "cut off")) << run.finished.err;
}

TEST(Download, a_transfer_that_was_killed_leaves_nothing_that_counts) {
  FaultyServer server;
  const std::string body(100'000, 'x');
  server.on("/data", {answer::hold(body, 40'000), answer::whole(body)});
  TempProject project;
  project.file("weir.toml", importing(file_source(server.url("/data"), body)));
  WeirProcess run(project, {"-q", "build", "--events", "-"});
  ASSERT_TRUE(server.wait_for_requests(1));
  for (const auto pid : processes_with(server.url("/data")))
    if (content("/proc/" + std::to_string(pid) + "/comm") == "weir-transfer\n") ::kill(pid, SIGKILL);
  EXPECT_EQ(failures_of(run.wait()), "oom") << "as of every kill by others, and it was tried again";
  EXPECT_EQ(built_file(project, "data"), body);
}

TEST(Download, a_part_file_whose_mode_was_damaged_is_still_one) {
  FaultyServer server;
  const std::string body(100'000, 'x');
  server.on("/data", {answer::whole(body)});
  TempProject project;
  project.file("weir.toml", importing(file_source(server.url("/data"), body)));
  const auto parts = project.cache() + "/sources/downloads";
  const auto part = parts + "/part-" + sha256(server.url("/data"));
  fs::create_directories(parts);
  std::ofstream(part) << "half";
  ASSERT_EQ(::chmod(part.c_str(), 0), 0);
  run_weir_bound_by_modes(project, {"build"});
  EXPECT_EQ(built_file(project, "data"), body);
}

// To hash it would take an hour.
TEST(Download, a_part_file_that_grew_out_of_bounds_is_started_again) {
  FaultyServer server;
  const std::string body(100'000, 'x');
  server.on("/data", {answer::whole(body)});
  TempProject project;
  project.file("weir.toml", importing(file_source(server.url("/data"), body)));
  const auto parts = project.cache() + "/sources/downloads";
  const auto part = parts + "/part-" + sha256(server.url("/data"));
  fs::create_directories(parts);
  std::ofstream(part) << "half";
  std::ofstream(part + ".from") << "\n\"version\"";
  fs::resize_file(part, 1LL << 40);
  EXPECT_EQ(weir(project, {"build"}).exit, 0);
  EXPECT_EQ(built_file(project, "data"), body);
}

TEST(Download, damaged_inputs_are_made_again_in_the_same_build) {
  FaultyServer server;
  const std::string body = "whole";
  server.on("/data", {answer::whole(body)});
  TempProject project;
  project.file("weir.toml",
               kHead + script("lib", "echo library > $WEIR_OUT/lib") +
                   script("app", "grep whole data && grep library ${CPATH%/include}/lib",
                          "depends = [\"lib\"]\nsource = [" + file_source(server.url("/data"), body) + "]"));
  ASSERT_EQ(weir(project, {"build", "lib"}).exit, 0);
  ASSERT_EQ(weir(project, {"fetch", "app"}).exit, 0);
  for (const auto& input : {body, std::string("library\n")}) {
    damage_object(project, input);
    const auto run = weir(project, {"build", "--force", "app"});
    EXPECT_EQ(run.exit, 0) << input << run.err;
    EXPECT_TRUE(says(run.err, "damaged files were found in the cache")) << input << run.err;
  }
}

TEST(Download, a_hostile_archive_is_refused_and_nothing_of_it_kept) {
  TempProject project;
  project.file("outside/evil", "x");
  fs::create_directories(project.path() + "/work/in");
  run_program(project.path() + "/work/in", {"tar", "-P", "-czf", "../../made.tar.gz", "../../outside/evil"});
  project.file("weir.toml", importing(R"({ kind = "tar", url = "made.tar.gz" })"));
  ASSERT_EQ(weir(project, {"track"}).exit, 0);
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 1);
  EXPECT_EQ(failures_of(run.finished), "source");
  EXPECT_NE(run.finished.err.find("../../outside/evil"), std::string::npos) << run.finished.err;
  EXPECT_EQ(shown(project, "app", "state"), "fetch-needed");
}

// Names from the project file to the command line: words all the way, never text for a shell.
TEST(Download, names_are_never_interpreted) {
  const std::string names[] = {
      "with space", "quote'\"",  "$(touch trapped)",     "`touch trapped`",    "-rf",
      "--help",     "new\nline", "\xc3\xa9\xe2\x98\x83", "semi;touch trapped", "back\\slash",
      "%20",        "a&b|c>d"};
  for (const auto& name : names) {
    TempProject project;
    project.file("dl/" + name, "content of " + name);
    make_archive(project, "text", name);
    fs::rename(project.path() + "/made.tar.gz", project.path() + "/dl/" + name + ".tgz");
    project.file(name + ".patch",
                 "--- a/hello\n+++ b/hello\n@@ -1 +1 @@\n-text\n\\ No newline at end of file\n+patched\n");
    project.file("weir.toml",
                 importing("{ kind = \"file\", url = " + toml_text("dl/" + name) +
                           ", name = " + toml_text(name) + ", directory = " + toml_text("d " + name) +
                           " }, { kind = \"tar\", url = " + toml_text("dl/" + name + ".tgz") +
                           ", directory = \"t\" }, { kind = \"patch\", path = " + toml_text(name + ".patch") +
                           ", directory = " + toml_text("t/" + name) + " }"));
    const auto run = build(project, {"--track"});
    ASSERT_EQ(run.finished.exit, 0) << name << "\n" << run.finished.err << weir(project, {"log"}).out;
    EXPECT_EQ(built_file(project, "d " + name + "/" + name), "content of " + name);
    EXPECT_EQ(built_file(project, "t/" + name + "/hello"), "patched\n");
    for (const auto& entry : fs::recursive_directory_iterator(project.path()))
      EXPECT_NE(entry.path().filename(), "trapped") << name;
  }
}

// Elements a and b with a file each; what weir.lock says of them.
std::string track_two_files(TempProject& project) {
  project.file("a.bin", "a").file("b.bin", "b");
  project.file("weir.toml",
               "weir = 1\n[element.a]\nkind = \"import\"\nsource = [{ kind = \"file\", url = \"a.bin\" }]\n"
               "[element.b]\nkind = \"import\"\nsource = [{ kind = \"file\", url = \"b.bin\" }]\n");
  EXPECT_EQ(weir(project, {"track"}).exit, 0);
  return content(project.path() + "/weir.lock");
}

// Whatever is wrong in weir.lock, `weir track` writes it again; all others say so.
TEST(Track, a_lock_file_that_is_wrong_is_written_again) {
  TempProject project;
  const auto good = track_two_files(project);
  const auto first_ref = "\"" + sha256("a") + "\"";
  const auto with_ref = [&](const std::string& ref) {
    auto text = good;
    return text.replace(text.find(first_ref), first_ref.size(), ref);
  };
  const std::pair<std::string, const char*> wrong[] = {
      {with_ref("\"" + sha256("a").substr(0, 20) + "\""), "weir.lock:8:7: error: "},
      {with_ref("\"not a digest\""), "weir.lock:8:7: error: "},
      {with_ref("17"), "weir.lock:8:7: error: "},
      {with_ref("[1]"), "weir.lock:8:7: error: "},
      {good.substr(0, good.size() / 2), "weir.lock:"},
      {"<<<<<<< HEAD\n" + good, "weir.lock:1:1: error: "},
      {"weir-lock = \"one\"\n", "weir.lock:1:13: error: "},
      {"source = 3\n", "weir.lock:1:1: error: "},
      {std::string("\0\xff", 2), "weir.lock:1:1: error: "},
  };
  for (const auto& [text, place] : wrong) {
    project.file("weir.lock", text);
    for (const auto* command : {"build", "show", "fetch"}) {
      const auto refused = weir(project, {command});
      EXPECT_EQ(refused.exit, 2) << text << refused.err;
      EXPECT_TRUE(says(refused.err, place)) << text << refused.err;
      EXPECT_TRUE(says(refused.err, "run `weir track")) << text << refused.err;
    }
    const auto tracked = weir(project, {"track"});
    EXPECT_EQ(tracked.exit, 0) << text << tracked.err;
    EXPECT_TRUE(says(tracked.err, "warning: ")) << tracked.err;
    EXPECT_EQ(content(project.path() + "/weir.lock"), good) << text;
    project.file("weir.lock", text);
    EXPECT_EQ(build(project, {"--track"}).finished.exit, 0) << text;
    EXPECT_EQ(content(project.path() + "/weir.lock"), good) << text;
  }
}

TEST(Track, one_wrong_ref_is_no_reason_to_lose_the_others) {
  TempProject project;
  const auto good = track_two_files(project);
  auto wrong = good;
  wrong.replace(wrong.find("\"" + sha256("a")), 66, "17");
  project.file("weir.lock", wrong);
  ASSERT_EQ(weir(project, {"track", "a"}).exit, 0);
  EXPECT_EQ(content(project.path() + "/weir.lock"), good);
}

TEST(Track, an_element_alone_does_not_replace_a_lock_file_that_cannot_be_read) {
  TempProject project;
  const auto good = track_two_files(project);
  const auto merged = "<<<<<<< HEAD\n" + good;
  project.file("weir.lock", merged);
  const auto refused = weir(project, {"track", "a"});
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_TRUE(says(refused.err, "the refs of element \"b\" would be lost")) << refused.err;
  EXPECT_TRUE(says(refused.err, "weir track")) << refused.err;
  EXPECT_EQ(content(project.path() + "/weir.lock"), merged);
  EXPECT_EQ(weir(project, {"track"}).exit, 0);
  EXPECT_EQ(content(project.path() + "/weir.lock"), good);
}

TEST(Track, a_path_that_is_gone_is_told_with_element_and_place) {
  const std::string gone = "/there/is/no/such/path";
  const std::pair<std::string, std::string> sources[] = {
      {R"({ kind = "git", url = ")" + gone + "\" }", gone},
      {R"({ kind = "git", url = "file://)" + gone + "\" }", gone},
      {R"({ kind = "git", url = "gone" })", "gone does not exist"},
      {R"({ kind = "tar", url = "file://)" + gone + "\" }", gone},
      {R"({ kind = "file", url = "gone.bin" })", "gone.bin does not exist"},
  };
  for (const auto& [source, said] : sources) {
    TempProject project;
    project.file("weir.toml", importing("\n" + source));
    for (const auto& command : {std::vector<std::string>{"track"}, {"build", "--track"}}) {
      const auto run = weir(project, command);
      EXPECT_EQ(run.exit, 1) << source << run.err;
      EXPECT_TRUE(says(run.err, "weir.toml:7:1: the ")) << source << run.err;
      EXPECT_TRUE(says(run.err, "source of element \"app\": ")) << source << run.err;
      EXPECT_TRUE(says(run.err, said)) << source << run.err;
      EXPECT_TRUE(says(run.err, "does not exist")) << source << run.err;
      EXPECT_FALSE(says(run.err, "does not appear to be a git repo")) << source << run.err;
      EXPECT_FALSE(says(run.err, "not what was asked for")) << source << run.err;
    }
  }
  for (const auto* source :
       {R"({ kind = "local", path = "gone" })", R"({ kind = "patch", path = "gone" })"}) {
    TempProject project;
    project.file("weir.toml", importing("\n" + std::string(source)));
    for (const auto* command : {"track", "build"}) {
      const auto run = weir(project, {command});
      EXPECT_EQ(run.exit, 2) << source << run.err;
      EXPECT_TRUE(says(run.err, "weir.toml:7:1: error: ")) << run.err;
      EXPECT_TRUE(says(run.err, "source of element \"app\": there is no \"gone\"")) << run.err;
    }
  }
}

TEST(Track, a_path_that_is_gone_when_it_is_fetched_is_told_with_element_and_place) {
  for (
      const std::string source :
      {R"({ kind = "git", url = "gone", ref = "0123456789012345678901234567890123456789" })",
       R"({ kind = "tar", url = "gone", ref = "0123456789012345678901234567890123456789012345678901234567890123" })"}) {
    TempProject project;
    project.file("weir.toml", importing("\n" + source));
    const auto run = build(project);
    EXPECT_EQ(failures_of(run.finished), "source");
    EXPECT_TRUE(says(run.finished.err, "weir.toml:7:1: the ")) << run.finished.err;
    EXPECT_TRUE(says(run.finished.err, "gone does not exist")) << run.finished.err;
  }
}

TEST(Download, urls_and_refs_that_make_no_sense_are_told_at_their_place) {
  TempProject project;
  project.file(
      "weir.toml",
      importing(R"({ kind = "tar", url = "ftp://a/b" }, { kind = "file", url = "a/b", name = "../x" },
    { kind = "tar" }, { kind = "file", url = "x", ref = "main" }, { kind = "local", path = ".", url = "x" },
    { kind = "tar", url = "x", strip = -1 }, { kind = "git", url = "x", submodules = 1 }, { kind = "tar", url = "x", directory = "../y" })"));
  const auto run = weir(project, {"build"});
  EXPECT_EQ(run.exit, 2);
  for (const auto* part :
       {"a URL with \"ftp:\" cannot be used here", "\"../x\" is no name for a file", "\"url\" is missing",
        "\"main\" is not a SHA-256", "unknown key \"url\"", "a whole number from 0 to 100",
        "\"submodules\" has to be true or false", "leads out of the build directory", "8 errors"})
    EXPECT_NE(run.err.find(part), std::string::npos) << part << "\n" << run.err;
}

}  // namespace
}  // namespace weir::test
