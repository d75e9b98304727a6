// A project of somebody who means harm, as it comes from a clone: whatever is asked of it runs nothing, reads
// nothing outside and sends nothing before it is trusted. strace and a server that listens are the judges, of
// weir and of all that it starts.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/guest.h"
#include "tests/e2e/run_facts.h"
#include "tests/e2e/terminal.h"
#include "tests/support/faulty_server.h"
#include "tests/support/program.h"
#include "tests/support/run_program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStrace = "/usr/bin/strace";
const std::string kDigest(64, '0');

class Trust : public testing::Test {
 protected:
  Trust() {
    for (const auto& variable : variables()) project_.set(variable);
    write(home() + "/.ssh/id_key", "secret of the user\n");
    write(home() + "/.netrc", "machine 127.0.0.1 login ann password secret\n");
  }

  std::string home() const { return victim_.path(); }
  std::string mark() const { return victim_.path() + "/mark"; }
  std::string state() const { return victim_.path() + "/state"; }
  std::vector<std::string> variables() const {
    return {"WEIR_TRUST=",
            "HOME=" + home(),
            "XDG_STATE_HOME=" + state(),
            "WEIR_TEST_MARK=" + mark(),
            "MY_SECRET=secret",
            "XDG_CACHE_HOME=" + home() + "/.cache"};
  }
  static void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  void link(const std::string& target, const std::string& name) const {
    const auto path = fs::path(project_.path()) / name;
    fs::create_directories(path.parent_path());
    fs::remove(path);
    fs::create_symlink(target, path);
  }

  static std::string head() { return "weir = 1\n[project]\nname = \"a\\u001b[2Jb\"\n"; }
  std::string plugin() {
    fs::create_directories(project_.path() + "/plugins");
    fs::copy_file(WEIR_TEST_PLUGINS "/evil/element-evil.so", project_.path() + "/plugins/element-evil.so",
                  fs::copy_options::overwrite_existing);
    return "[plugins]\npath = [\"plugins\"]\n[element.evil]\nkind = \"evil\"\n";
  }
  std::string hooks() {
    project_.file("hooks/end.sh", "touch '" + project_.path() + "/hooked-at-the-end'\n");
    return "[hooks]\non-start = [\": > '" + project_.path() +
           "/hooked-at-the-start'\"]\non-run-end = [\"sh '" + project_.path() +
           "/hooks/end.sh' \\u001b[2J\"]\n";
  }
  std::string remote(const std::string& more = {}) const {
    return "[[remote]]\nurl = \"" + server_.url("/") + "\"\npush = true\nconnect-timeout = \"1s\"\n" + more;
  }
  static std::string unsandboxed() { return "[sandbox]\nroot = \"none\"\n"; }
  std::string sources() {
    link(home() + "/.ssh/id_key", "key");
    link(home() + "/.ssh", "keys");
    return "[element.key]\nkind = \"import\"\nsource = [{ kind = \"local\", path = \"key\" }]\n"
           "[element.keys]\nkind = \"import\"\nsource = [{ kind = \"local\", path = \"keys/id_key\" }]\n"
           "[element.shadow]\nkind = \"import\"\nsource = [{ kind = \"file\", url = \"/etc/shadow\", ref = "
           "\"" +
           kDigest + "\" }]\n";
  }
  // All of it at once.
  void hostile() {
    project_.file("weir.toml", head() + hooks() + unsandboxed() + remote() + plugin() + sources());
  }

  // weir as a user would start it, under strace. Its exit code.
  int traced(const std::vector<std::string>& words,
             const std::string& calls = "trace=open,openat,openat2,connect,execve,execveat") {
    std::vector<std::string> argv = {kStrace,      "-f", "-qq", "-s",        "300", "-o",
                                     trace_path(), "-e", calls, WEIR_BINARY, "-C",  project_.path()};
    argv.insert(argv.end(), words.begin(), words.end());
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "WEIR_CACHE_DIR=" + project_.cache(),
                                            "XDG_CONFIG_HOME=" + project_.path() + "/.config"};
    for (auto& variable : variables()) environment.push_back(variable);
    Program program(argv, environment);
    const int exit = program.wait();
    said_ = program.text();
    return exit;
  }
  std::string trace_path() const { return victim_.path() + "/trace"; }

  // What the judges say of the command that was traced last.
  void expect_harmless(const std::string& command) {
    std::size_t calls = 0;
    for (const auto& line : lines_of(content(trace_path()))) {
      calls += line.find("openat") != line.npos;
      const auto has = [&](const std::string& text) { return line.find(text) != line.npos; };
      EXPECT_FALSE(has(home() + "/.ssh") || has(home() + "/.netrc") || has("/etc/shadow"))
          << command << " opened " << line;
      EXPECT_FALSE(has("open") && has("element-evil.so")) << command << " opened " << line;
      EXPECT_FALSE(has("connect(") && has("htons(" + std::to_string(server_.port()) + ")"))
          << command << " connected: " << line;
      const bool runs = has("execve");
      EXPECT_FALSE(runs && (has("\"touch") || has("hooks/end.sh") || has("\"git\"") || has("/evil-tool")))
          << command << " ran " << line;
    }
    EXPECT_GT(calls, 3u) << "strace saw nothing of " << command << "\n" << said_;
    EXPECT_EQ(server_.count(), 0u) << command;
    for (const auto& file :
         {mark(), project_.path() + "/hooked-at-the-start", project_.path() + "/hooked-at-the-end"})
      EXPECT_FALSE(fs::exists(file)) << command << " left " << file;
    EXPECT_EQ(said_.find('\x1b'), said_.npos) << command << " wrote an escape sequence: " << said_;
    EXPECT_EQ(said_.find("secret of the user"), said_.npos) << command;
  }
  // Each has an exit code that it may have.
  void expect_all_harmless(const std::vector<std::pair<std::vector<std::string>, int>>& commands) {
    for (const auto& [words, exit] : commands) {
      const auto command = shown(words);
      EXPECT_EQ(traced(words), exit) << command << "\n" << said_;
      expect_harmless(command);
      if (exit != 2 || words[0] == "log") continue;
      EXPECT_NE(said_.find("`weir trust`"), said_.npos) << command << " names no remedy: " << said_;
    }
  }
  static std::string shown(const std::vector<std::string>& words) {
    std::string all = "weir";
    for (const auto& word : words) all += " " + word;
    return all;
  }
  Finished run(std::vector<std::string> words) { return weir(project_, std::move(words)); }
  void expect_refused(const Finished& run, const std::string& why) {
    EXPECT_EQ(run.exit, 2) << run.out << run.err;
    EXPECT_NE(run.err.find("is not trusted"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
  }
  bool needs_strace() const { return ::access(kStrace, X_OK) == 0; }

  TempProject project_, victim_;
  FaultyServer server_;
  std::string said_;
};

TEST_F(Trust, nothing_of_a_hostile_clone_is_run_read_or_sent) {
  ASSERT_TRUE(needs_strace()) << "install strace";
  hostile();
  expect_all_harmless({{{"show"}, 2},
                       {{"show", "--json"}, 2},
                       {{"graph"}, 2},
                       {{"why", "evil"}, 2},
                       {{"build", "--dry-run"}, 2},
                       {{"build", "--check"}, 2},
                       {{"completion", "elements"}, 0},
                       {{"doctor"}, 0},
                       {{"track"}, 2},
                       {{"fetch"}, 2},
                       {{"build"}, 2},
                       {{"test"}, 2},
                       {{"pull"}, 2},
                       {{"push"}, 2},
                       {{"shell", "evil", "--", "true"}, 2},
                       {{"checkout", "evil", victim_.path() + "/out"}, 2},
                       {{"log"}, 2},
                       {{"runs"}, 0},
                       {{"plugin", "list"}, 0},
                       {{"plugin", "check", project_.path() + "/plugins/element-evil.so"}, 2},
                       {{"trust", "--list"}, 0},
                       {{"help"}, 0}});
  EXPECT_EQ(traced({"show"}), 2);
  EXPECT_NE(said_.find("error: " + project_.path() + " is not trusted, and it\n"), said_.npos) << said_;
  for (const auto* item : {"loads a plugin into weir: plugins/element-evil.so", "/.ssh/id_key"})
    EXPECT_NE(said_.find(item), said_.npos) << said_;
  EXPECT_EQ(traced({"build"}), 2);
  for (const auto* item :
       {"weir.toml:5:13: runs a command when a job starts: : > ", "a program in a hook: hooks/end.sh",
        "without a sandbox", "pushes what was built to a server: http://127.0.0.1:", "/etc/shadow"})
    EXPECT_NE(said_.find(item), said_.npos) << item << "\n" << said_;
}

// What does not matter for looking at a project does not keep users from it.
TEST_F(Trust, a_project_that_only_runs_and_sends_may_be_looked_at_and_its_server_is_not_asked) {
  ASSERT_TRUE(needs_strace()) << "install strace";
  project_.file("weir.toml", head() + hooks() + remote() + "[element.a]\nkind = \"stack\"\n");
  expect_all_harmless({{{"show"}, 0},
                       {{"show", "--json"}, 0},
                       {{"graph"}, 0},
                       {{"why", "a"}, 0},
                       {{"build", "--dry-run"}, 0},
                       {{"doctor"}, 0},
                       {{"track"}, 2},
                       {{"fetch"}, 2},
                       {{"build"}, 2}});
  EXPECT_EQ(traced({"show"}), 0);
  EXPECT_NE(said_.find("was not asked: the project is not trusted"), said_.npos) << said_;
}

TEST_F(Trust, files_of_the_project_that_are_links_to_elsewhere_are_not_opened) {
  ASSERT_TRUE(needs_strace()) << "install strace";
  project_.file("weir.toml", head() + "[element.a]\nkind = \"stack\"\n");
  link(home() + "/.ssh/id_key", "elements/b.toml");
  expect_all_harmless({{{"show"}, 2},
                       {{"build", "--dry-run"}, 2},
                       {{"completion", "elements"}, 0},
                       {{"doctor"}, 1},
                       {{"track"}, 2}});
  fs::remove_all(project_.path() + "/elements");
  link(home() + "/.ssh", "elements");
  expect_all_harmless({{{"show"}, 2}, {{"completion", "elements"}, 0}, {{"doctor"}, 1}});
  fs::remove(project_.path() + "/elements");
  link(home() + "/.netrc", "weir.lock");
  expect_all_harmless({{{"show"}, 2}, {{"track"}, 2}, {{"build"}, 2}});
  fs::remove(project_.path() + "/weir.lock");
  link("/etc/shadow", "weir.toml");
  expect_all_harmless({{{"show"}, 2}, {{"completion", "elements"}, 0}, {{"track"}, 2}});
}

// It would be made by `weir track`, with texts that the project chooses.
TEST_F(Trust, a_lock_file_that_is_a_link_to_nothing_elsewhere_is_not_written) {
  ASSERT_EQ(run_program(project_.path(),
                        {"sh", "-c",
                         "git init -q -b main repo && cd repo && git -c user.name=a -c "
                         "user.email=a@example.org commit -q --allow-empty -m a && git rev-parse HEAD"})
                .size(),
            41u);
  project_.file("weir.toml",
                head() +
                    "[element.a]\nkind = \"import\"\nsource = [{ kind = \"git\", url = \"repo\", "
                    "track = \"main\" }]\n");
  for (const auto& target :
       {home() + "/.profile", "../" + fs::path(victim_.path()).filename().string() + "/new"}) {
    link(target, "weir.lock");
    expect_refused(run({"track"}), "weir.lock -> ");
    expect_refused(run({"build", "--track"}), "weir.lock -> ");
    EXPECT_EQ(run({"--trust", "track"}).exit, 2);
    EXPECT_FALSE(fs::exists(home() + "/.profile") || fs::exists(victim_.path() + "/new"));
  }
  fs::remove(project_.path() + "/weir.lock");
  EXPECT_EQ(run({"--trust", "track"}).exit, 0);
}

// A link that was allowed allows no other one, now or later.
TEST_F(Trust, each_link_to_elsewhere_is_asked_about) {
  write(victim_.path() + "/weir.toml", head() + "[element.a]\nkind = \"stack\"\n");
  write(victim_.path() + "/b.toml", "kind = \"stack\"\n");
  link(victim_.path() + "/weir.toml", "weir.toml");
  ASSERT_EQ(run({"trust"}).exit, 0);
  ASSERT_EQ(run({"show"}).exit, 0);
  link(victim_.path() + "/b.toml", "elements/b.toml");
  expect_refused(run({"show"}), "elements/b.toml -> ");
  const auto granted = run({"trust"});
  EXPECT_EQ(granted.exit, 0) << granted.err;
  EXPECT_NE(granted.out.find("new      elements/b.toml"), std::string::npos) << granted.out;
  EXPECT_EQ(run({"show"}).exit, 0);
}

// Whoever starts weir may be in any folder: hooks run in that of the project.
TEST_F(Trust, hooks_run_in_the_folder_of_the_project) {
  project_.file("clone/notify.sh", "pwd > '" + mark() + "'\n")
      .file("notify.sh", "touch '" + mark() + ".other'\n");
  project_.file("clone/weir.toml", head() +
                                       "[hooks]\non-run-end = [\"sh ./notify.sh\"]\n[element.a]\nkind = "
                                       "\"script\"\nconfig.commands = [\"true\"]\n");
  ASSERT_EQ(run({"-C", "clone", "trust"}).exit, 0);
  ASSERT_EQ(run({"-C", "clone", "build"}).exit, 0);
  EXPECT_EQ(content(mark()), fs::canonical(project_.path() + "/clone").string() + "\n");
  EXPECT_FALSE(fs::exists(mark() + ".other"));
}

// Maven, Bazel and others run programs that files of the working directory name.
TEST_F(Trust, tools_are_asked_for_their_versions_away_from_the_project) {
  ASSERT_TRUE(needs_strace()) << "install strace";
  project_.file("weir.toml", head() +
                                 "[sandbox]\nhost-tools = [\"perl\"]\n[element.a]\nkind = \"script\"\n"
                                 "config.commands = [\"true\"]\n");
  EXPECT_EQ(traced({"show"}, "trace=chdir,fchdir,execve"), 0) << said_;
  const auto lines = lines_of(content(trace_path()));
  const auto tool = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("perl\", \"--version") != line.npos;
  });
  ASSERT_NE(tool, lines.end()) << "perl was not asked";
  const auto child = tool->substr(0, tool->find(' ') + 1);
  EXPECT_TRUE(std::any_of(lines.begin(), tool, [&](const std::string& line) {
    return line.starts_with(child) && line.find("chdir(\"/\")") != line.npos;
  })) << *tool;
}

TEST_F(Trust, a_program_that_a_hook_finds_only_later_is_asked_about_by_null_builds_too) {
  project_.file("notify.sh", "true\n");
  project_.file("weir.toml",
                head() +
                    "[hooks]\non-run-end = [\"sh ./notify.sh; sh ./later.sh; true\"]\n[element.a]\nkind = "
                    "\"script\"\nconfig.commands = [\"true\"]\n");
  ASSERT_EQ(run({"trust"}).exit, 0);
  ASSERT_EQ(run({"build"}).exit, 0);
  ASSERT_EQ(run({"build"}).exit, 0);
  project_.file("later.sh", "touch '" + mark() + "'\n");
  expect_refused(run({"build"}), "later.sh (new)");
  fs::remove(project_.path() + "/later.sh");
  ASSERT_EQ(run({"build"}).exit, 0);
  EXPECT_FALSE(fs::exists(mark()));
}

// "link/.." is the folder of the link for people, and for the check; so it is for what uses the path.
TEST_F(Trust, a_path_of_a_remote_is_used_as_it_was_checked) {
  project_.file("clone/weir.toml",
                head() +
                    "[[remote]]\nurl = \"dir:here/../shared\"\npush = true\n[element.a]\nkind = "
                    "\"script\"\nconfig.commands = [\"true\"]\n");
  link(".", "clone/here");
  for (const auto* folder : {"/clone/shared", "/shared"}) fs::create_directories(project_.path() + folder);
  ASSERT_EQ(run({"-C", "clone", "trust"}).exit, 0);
  ASSERT_EQ(run({"-C", "clone", "build"}).exit, 0);
  EXPECT_TRUE(fs::exists(project_.path() + "/clone/shared/ac"));
  EXPECT_TRUE(fs::is_empty(project_.path() + "/shared"));
}

TEST_F(Trust, secrets_and_paths_of_tools_are_errors_whether_trusted_or_not) {
  ASSERT_TRUE(needs_strace()) << "install strace";
  project_.file("evil-tool", "#!/bin/sh\ntouch '" + mark() + "'\n");
  fs::permissions(project_.path() + "/evil-tool", fs::perms::owner_all);
  project_.file("weir.toml",
                head() + remote("token-env = \"MY_SECRET\"\n") + "[element.a]\nkind = \"stack\"\n");
  for (const auto* command : {"show", "graph", "doctor", "track"}) {
    EXPECT_NE(traced({command}), 0);
    expect_harmless(command);
    EXPECT_NE(said_.find("token-env is not allowed"), said_.npos) << said_;
  }
  const auto tool = "../.." + project_.path() + "/evil-tool";
  project_.file("weir.toml", head() + "[sandbox]\nhost-tools = [\"" + tool +
                                 "\"]\n[element.a]\nkind = \"script\"\nconfig.commands = [\"true\"]\n");
  for (const auto* command : {"show", "build"}) {
    EXPECT_EQ(traced({command}), 2) << said_;
    expect_harmless(command);
  }
}

TEST_F(Trust, after_weir_trust_the_project_does_what_it_says) {
  hostile();
  const auto granted = run({"trust"});
  ASSERT_EQ(granted.exit, 0) << granted.err;
  for (const auto* item :
       {"plugins/element-evil.so (sha256 ", "runs a command when a job starts", "hooks/end.sh (sha256",
        "without a sandbox", "pushes what was built", "/.ssh/id_key", "/etc/shadow"})
    EXPECT_NE(granted.out.find(item), std::string::npos) << item << "\n" << granted.out;
  EXPECT_FALSE(fs::exists(mark())) << "weir trust loaded the plugin";
  EXPECT_EQ(granted.out.find('\x1b'), std::string::npos);

  const auto show = run({"show"});
  EXPECT_EQ(show.exit, 0) << show.err;
  EXPECT_TRUE(fs::exists(mark()));
  EXPECT_EQ(run({"build", "evil", "key"}).exit, 0);
  EXPECT_TRUE(fs::exists(project_.path() + "/hooked-at-the-start"));
  EXPECT_TRUE(fs::exists(project_.path() + "/hooked-at-the-end"));
  EXPECT_EQ(run({"checkout", "key", project_.path() + "/out"}).exit, 0);
  EXPECT_EQ(content(project_.path() + "/out/id_key") + content(project_.path() + "/out/key"),
            "secret of the user\n");
  // What is built without a sandbox is not shared, so remotes are asked by doctor alone.
  run({"doctor"});
  EXPECT_GT(server_.count(), 0u);
  const auto list = run({"trust", "--list", "--json"});
  EXPECT_NE(list.out.find("\"folder\":\"" + fs::canonical(project_.path()).string() + "\""),
            std::string::npos)
      << list.out;
  EXPECT_NE(list.out.find("{\"key\":\"plugins.path\",\"subject\":\"plugins/element-evil.so\",\"content\":\""),
            std::string::npos);
}

TEST_F(Trust, a_change_of_what_was_trusted_asks_again_and_says_what_it_is) {
  project_.file("weir.toml", head() + hooks() + plugin());
  ASSERT_EQ(run({"trust"}).exit, 0);
  ASSERT_EQ(run({"build"}).exit, 0);
  ASSERT_EQ(run({"build"}).exit, 0);

  // The plugin: by a null build too, and it is not loaded.
  fs::remove(mark());
  std::ofstream(project_.path() + "/plugins/element-evil.so", std::ios::app) << "more";
  for (const auto* command : {"build", "show"}) {
    const auto refused = run({command});
    expect_refused(refused,
                   "loads a plugin into weir: plugins/element-evil.so (changed since it was trusted)");
    EXPECT_EQ(refused.err.find("hooks"), std::string::npos) << "only what changed is listed: " << refused.err;
  }
  EXPECT_FALSE(fs::exists(mark()));
  EXPECT_NE(run({"trust"}).out.find("changed  weir.toml"), std::string::npos);
  EXPECT_EQ(run({"build"}).exit, 0);

  // The program of a hook: for a run, and not for a look.
  project_.file("hooks/end.sh", "touch '" + mark() + ".hook'\n");
  expect_refused(run({"build"}), "hooks/end.sh (changed since it was trusted)");
  EXPECT_FALSE(fs::exists(mark() + ".hook"));
  EXPECT_EQ(run({"show"}).exit, 0);
  ASSERT_EQ(run({"trust"}).exit, 0);
  EXPECT_EQ(run({"build"}).exit, 0);
  EXPECT_TRUE(fs::exists(mark() + ".hook"));

  // Another library in the folder, another command, a file elsewhere.
  project_.file("plugins/libmore.so", "x");
  expect_refused(run({"build"}), "plugins/libmore.so (new)");
  fs::remove(project_.path() + "/plugins/libmore.so");
  const auto before = content(project_.path() + "/weir.toml");
  project_.file(
      "weir.toml",
      before + "[element.key]\nkind = \"import\"\nsource = [{ kind = \"local\", path = \"key\" }]\n");
  link(home() + "/.ssh/id_key", "key");
  expect_refused(run({"build", "evil"}), "/.ssh/id_key (new)");
  project_.file("weir.toml", before);
  EXPECT_EQ(run({"build"}).exit, 0);
}

// The fast paths of builds know of no trust but what is still there.
TEST_F(Trust, a_null_build_asks_again_when_trust_is_taken_back) {
  project_.file("weir.toml",
                head() + hooks() + "[element.a]\nkind = \"script\"\nconfig.commands = [\"true\"]\n");
  ASSERT_EQ(run({"trust"}).exit, 0);
  ASSERT_EQ(run({"build"}).exit, 0);
  ASSERT_EQ(run({"build"}).exit, 0);
  fs::remove(project_.path() + "/hooked-at-the-end");
  ASSERT_EQ(run({"trust", "--revoke"}).exit, 0);
  expect_refused(run({"build"}), "runs a command at the end of each run");
  EXPECT_FALSE(fs::exists(project_.path() + "/hooked-at-the-end"));
  EXPECT_EQ(run({"--trust", "build"}).exit, 0);
  EXPECT_TRUE(fs::exists(project_.path() + "/hooked-at-the-end"));
  expect_refused(run({"build"}), "runs a command at the end of each run");
}

TEST_F(Trust, a_weaker_sandbox_is_asked_about) {
  project_.file("weir.toml", head() +
                                 "[sandbox]\nuser-namespaces = true\n[element.a]\nkind = \"script\"\n"
                                 "config.commands = [\"true\"]\n");
  EXPECT_EQ(run({"show"}).exit, 0);
  expect_refused(run({"build"}), "lets the commands of elements create user namespaces");
  ASSERT_EQ(run({"trust"}).exit, 0);
  EXPECT_EQ(run({"build"}).exit, 0);
}

TEST_F(Trust, a_source_that_becomes_a_link_to_elsewhere_is_not_read_by_the_next_build) {
  project_.file("data/x", "x");
  project_.file(
      "weir.toml",
      head() + "[element.a]\nkind = \"import\"\nsource = [{ kind = \"local\", path = \"data\" }]\n");
  ASSERT_EQ(run({"build"}).exit, 0);
  fs::remove_all(project_.path() + "/data");
  link(home() + "/.ssh", "data");
  expect_refused(run({"build"}), "/.ssh");
  expect_refused(run({"show"}), "/.ssh");
  // A link in a source is a link in the artifact: nothing is read through it.
  fs::remove(project_.path() + "/data");
  link(home() + "/.ssh", "data/ssh");
  ASSERT_EQ(run({"build"}).exit, 0);
  ASSERT_EQ(run({"checkout", "a", project_.path() + "/out"}).exit, 0);
  EXPECT_TRUE(fs::is_symlink(project_.path() + "/out/ssh"));
}

TEST_F(Trust, elements_of_another_folder_are_read_once_that_is_allowed) {
  write(home() + "/shared/b.toml", "kind = \"script\"\nconfig.commands = [\"true\"]\n");
  write(home() + "/shared/c.toml", "kind = \"stack\"\n");
  project_.file("weir.toml", head() + "[element.a]\nkind = \"stack\"\ndepends = [\"b\"]\n");
  link(home() + "/shared/b.toml", "elements/b.toml");
  expect_refused(run({"build"}), "reads files of the project from outside its folder: elements/b.toml -> ");
  ASSERT_EQ(run({"trust"}).exit, 0);
  EXPECT_EQ(run({"build"}).exit, 0);
  EXPECT_EQ(run({"build"}).exit, 0);
  EXPECT_EQ(run({"show"}).exit, 0);
  link(home() + "/shared/c.toml", "elements/b.toml");
  expect_refused(run({"build"}), "/shared/c.toml (new)");
  expect_refused(run({"show"}), "/shared/c.toml (new)");
}

// A terminal does what escape sequences tell it to; some of them type.
TEST_F(Trust, hostile_names_come_to_the_terminal_as_text) {
  const std::string evil = "q\\u001b[2J", stack = "[element.a]\nkind = \"stack\"\n";
  const auto source = [&](const std::string& text) {
    return "[element.a]\nkind = \"import\"\nsource = [{ " + text + " }]\n";
  };
  const std::string projects[] = {
      "[element.a]\nkind = \"" + evil + "\"\n",
      source("kind = \"" + evil + "\""),
      source("kind = \"local\", path = \"" + evil + "\""),
      source("kind = \"local\", path = \"../" + evil + "\""),
      source("kind = \"local\", path = \".\", directory = \"../" + evil + "\""),
      source("kind = \"git\", url = \"u\", ref = \"" + evil + "\""),
      source("kind = \"tar\", url = \"/" + evil + "\", ref = \"" + kDigest + "\""),
      "[pipeline]\nqueues = [\"build\", \"" + evil + "\"]\n" + stack,
      "[placement]\nallocate = \"" + evil + "\"\n" + stack,
      "[plugins]\npath = [\"" + evil + "\", \"/" + evil + "/x.so\"]\n[element.a]\nkind = \"x\"\n",
      "[sandbox]\nhost-tools = [\"" + evil + "\"]\n" + stack,
      "[[remote]]\nurl = \"http" + evil + "://x/\"\n" + stack,
      "[[remote]]\nurl = \"http://127.0.0.1:1/" + evil + "\"\n" + stack,
      "[[remote]]\nurl = \"http://127.0.0.1:1/" + evil + "\"\npush = true\n" + stack,
      "[hooks]\non-start = [\"" + evil + "\"]\n" + stack,
  };
  for (const auto& text : projects) {
    project_.file("weir.toml", head() + text);
    for (const auto* command : {"show", "graph", "doctor", "trust"}) {
      const auto said = run({command});
      EXPECT_EQ((said.out + said.err).find('\x1b'), std::string::npos) << command << " of\n"
                                                                       << text << said.out << said.err;
    }
  }
}

// Opening one would wait for ever.
TEST_F(Trust, fifos_in_the_places_of_files_are_errors) {
  const auto fifo = [&](const std::string& name) {
    fs::create_directories(fs::path(project_.path() + "/" + name).parent_path());
    ASSERT_EQ(::mkfifo((project_.path() + "/" + name).c_str(), 0600), 0);
  };
  project_.file("weir.toml", head() + "[plugins]\npath = [\"plugins\"]\n[element.a]\nkind = \"x\"\n");
  fifo("plugins/element-x.so");
  expect_refused(run({"show"}), "plugins/element-x.so");
  const auto refused = run({"trust"});
  EXPECT_EQ(refused.exit, 2) << refused.out;
  EXPECT_NE(refused.err.find("element-x.so is no file"), std::string::npos) << refused.err;
  fs::remove_all(project_.path() + "/plugins");
  fifo("weir.lock");
  EXPECT_EQ(run({"show"}).exit, 2);
  EXPECT_EQ(run({"track"}).exit, 2);
  fs::remove(project_.path() + "/weir.toml");
  fifo("weir.toml");
  EXPECT_EQ(run({"show"}).exit, 2);
  EXPECT_EQ(run({"trust"}).exit, 2);
}

// A file that others may write says nothing, and a folder of another owner is another folder.
TEST_F(Trust, a_record_that_another_user_could_have_written_allows_nothing) {
  const std::string folder = "clone";
  project_.file(folder + "/weir.toml", head() + unsandboxed() + "[element.a]\nkind = \"stack\"\n");
  const std::vector<std::string> build{"-C", folder, "build"};
  ASSERT_EQ(run({"-C", folder, "trust"}).exit, 0);
  ASSERT_EQ(run(build).exit, 0);
  fs::permissions(state() + "/weir/trust", fs::perms::others_write, fs::perm_options::add);
  expect_refused(run(build), "is writable by other users");
  fs::permissions(state() + "/weir/trust", fs::perms::others_write, fs::perm_options::remove);
  EXPECT_EQ(run(build).exit, 0);
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown((project_.path() + "/" + folder).c_str(), 12345, static_cast<gid_t>(-1)), 0);
  expect_refused(run(build), "without a sandbox");
}

TEST_F(Trust, a_project_that_wants_nothing_of_it_is_never_asked_and_no_record_is_looked_for) {
  ASSERT_TRUE(needs_strace()) << "install strace";
  project_.file("weir.toml", head() + "[element.a]\nkind = \"script\"\nconfig.commands = [\"true\"]\n");
  for (const auto* command : {"show", "build", "build", "track", "doctor"}) {
    EXPECT_EQ(traced({command}), 0) << said_;
    EXPECT_EQ(content(trace_path()).find(state()), std::string::npos) << command;
  }
  const auto none = run({"trust"});
  EXPECT_EQ(none.exit, 0);
  EXPECT_NE(none.out.find("asks for nothing that needs trust"), std::string::npos) << none.out;
  EXPECT_FALSE(fs::exists(state()));
}

TEST_F(Trust, ci_says_it_with_an_option_a_variable_or_a_setting) {
  project_.file("weir.toml",
                head() + unsandboxed() + "[element.a]\nkind = \"script\"\nconfig.commands = [\"true\"]\n");
  expect_refused(run({"build"}), "without a sandbox");
  EXPECT_EQ(run({"--trust", "build"}).exit, 0);
  EXPECT_EQ(run({"build", "--trust"}).exit, 0);
  EXPECT_FALSE(fs::exists(state()));
  project_.unset_all();  // the tests' own WEIR_TRUST=1
  EXPECT_EQ(run({"build"}).exit, 0);
  project_.set("WEIR_TRUST=always");
  EXPECT_EQ(run({"build"}).exit, 0);
  project_.unset_all();
  for (const auto& variable : variables()) project_.set(variable);
  expect_refused(run({"build"}), "without a sandbox");
  project_.file(".config/weir/config.toml", "[trust]\nfolders = [\"" + project_.path() + "\"]\n");
  EXPECT_EQ(run({"build"}).exit, 0);
  project_.file(".config/weir/config.toml",
                "[trust]\nfolders = [\"" + project_.path() + "x\", \"/no/such\"]\n");
  expect_refused(run({"build"}), "without a sandbox");
  // Only the user's settings say so.
  project_.file(".config/weir/config.toml", "");
  project_.file("weir.toml", content(project_.path() + "/weir.toml") + "[trust]\nfolders = [\"/\"]\n");
  const auto refused = run({"build"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("unknown key \"trust\""), std::string::npos) << refused.err;
}

TEST_F(Trust, without_a_home_directory_nothing_is_kept) {
  project_.file("weir.toml", head() + unsandboxed() + "[element.a]\nkind = \"stack\"\n");
  const uid_t nobody_known = 23457;
  if (!can_become(nobody_known)) GTEST_SKIP() << "this root may not become another user";
  fs::copy_file(WEIR_BINARY, project_.path() + "/weir");
  for (const auto& entry : {fs::path(project_.path()), fs::path(project_.path() + "/weir.toml")})
    ASSERT_EQ(::chown(entry.c_str(), nobody_known, nobody_known), 0);
  const auto run_as_them = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all{project_.path() + "/weir"};
    all.insert(all.end(), words.begin(), words.end());
    return run_as({nobody_known, 0, project_.path(), {"WEIR_CACHE_DIR=" + project_.cache()}, 0, {}}, all);
  };
  const auto refused = run_as_them({"trust"});
  EXPECT_EQ(refused.exit, 2) << refused.out;
  EXPECT_NE(refused.err.find("--trust for one command"), std::string::npos) << refused.err;
  EXPECT_EQ(run_as_them({"trust", "--list"}).out, "");
}

TEST_F(Trust, at_a_terminal_it_is_a_question_whose_default_is_no) {
  project_.file("weir.toml", head() + plugin() + hooks());
  std::vector<std::string> words = {"/usr/bin/env", "-u", "CI"};
  for (const auto& variable : variables()) words.push_back(variable);
  const auto at_terminal = [&](const std::string& command, const std::string& answer) {
    auto all = words;
    all.insert(all.end(), {WEIR_BINARY, command});
    Terminal terminal(project_, all);
    EXPECT_TRUE(terminal.see("[y/N] ")) << terminal.screen();
    EXPECT_NE(terminal.screen().find("element-evil.so"), std::string::npos) << terminal.screen();
    terminal.type(answer + "\n");
    return terminal.wait();
  };
  EXPECT_EQ(at_terminal("show", ""), 2);
  EXPECT_EQ(at_terminal("show", "n"), 2);
  EXPECT_EQ(at_terminal("trust", "no"), 2);
  EXPECT_FALSE(fs::exists(mark()));
  EXPECT_EQ(at_terminal("show", "y"), 0);
  EXPECT_TRUE(fs::exists(mark()));
  // What was not shown was not agreed to: hooks are no matter of a look.
  EXPECT_EQ(run({"show"}).exit, 0);
  expect_refused(run({"build"}), "runs a command when a job starts");
}

}  // namespace
}  // namespace weir::test
