// weir shell: what a command finds, what becomes of it, and a person at a terminal.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/e2e/git_repository.h"
#include "tests/e2e/run_facts.h"
#include "tests/e2e/terminal.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

const std::string kShellHead = "weir = 1\n[project]\nname = \"s\"\n[env]\nOF_PROJECT = \"p\"\n";

const std::string kShellProject = kShellHead + R"([element.lib]
kind = "script"
config.commands = ["mkdir -p $WEIR_OUT/bin", "echo word > $WEIR_OUT/word", "printf '#!/bin/sh\necho tool\n' > $WEIR_OUT/bin/tool", "chmod +x $WEIR_OUT/bin/tool"]
[element.app]
kind = "script"
depends = ["lib"]
cpu = 2
env = {OF_ELEMENT = "e", CORES = "%{jobs}"}
source = [{kind = "local", path = "src"}]
config.commands = ["cat text", "env > $WEIR_OUT/env"]
)";

// Writes a file, and fails if there is one named "bad" in its sources.
const std::string kFailing = kShellHead + R"([element.app]
kind = "script"
env = {OF_ELEMENT = "e"}
source = [{kind = "local", path = "src"}]
config.commands = ["echo left > left", "echo installed > $WEIR_OUT/installed", "test ! -e bad"]
)";

// The lines in order, without what shells set for themselves.
std::string variables(const std::string& text) {
  auto lines = lines_of(text);
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("PWD=") || line.starts_with("OLDPWD=") || line.starts_with("SHLVL=") ||
           line.starts_with("_=");
  });
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const auto& line : lines) all += line + "\n";
  return all;
}

std::string folder_of(const TempProject& project) {
  return fs::directory_iterator(project.cache() + "/projects")->path().string();
}

bool no_shell_left(const TempProject& project) {
  const auto shells = folder_of(project) + "/shells";
  return (!fs::exists(shells) || fs::is_empty(shells)) && !fs::exists(folder_of(project) + "/bare/app");
}

class Shell : public testing::TestWithParam<const char*> {
 protected:
  Shell() { project.file("weir.toml", kShellProject).file("src/text", "of the source\n"); }
  std::vector<std::string> words(std::vector<std::string> more) {
    std::vector<std::string> all = {"shell", "--sandbox", GetParam()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Finished shell(std::vector<std::string> more) { return weir(project, words(std::move(more))); }
  RunFacts build_here(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--sandbox", GetParam()});
    return build(project, more);
  }
  TempProject project;
};

TEST_P(Shell, a_command_finds_what_the_build_finds) {
  ASSERT_EQ(build_here().finished.exit, 0);
  ASSERT_EQ(weir(project, {"checkout", "--sandbox", GetParam(), "app", project.path() + "/out"}).exit, 0);
  const auto env = shell({"app", "--", "env"});
  ASSERT_EQ(env.exit, 0) << env.err;
  EXPECT_EQ(variables(env.out), variables(content(project.path() + "/out/env")));
  EXPECT_NE(env.out.find("OF_PROJECT=p\n"), std::string::npos);
  EXPECT_NE(env.out.find("WEIR_JOBS=2\n"), std::string::npos);
  EXPECT_EQ(shell({"app", "--", "cat", "text"}).out, "of the source\n");
  EXPECT_EQ(shell({"app", "--", "tool"}).out, "tool\n") << "dependencies are in PATH";
  EXPECT_EQ(
      shell({"app", "--", "sh", "-c", "echo x > new && test -d $WEIR_OUT && echo y > $WEIR_OUT/new"}).exit,
      0);
  EXPECT_TRUE(no_shell_left(project));
  EXPECT_FALSE(fs::exists(project.path() + "/src/new")) << "the sources are a copy";
}

TEST_P(Shell, the_exit_code_is_that_of_the_command) {
  ASSERT_EQ(build_here({"lib"}).finished.exit, 0);
  EXPECT_EQ(shell({"app", "--", "true"}).exit, 0);
  EXPECT_EQ(shell({"app", "--", "sh", "-c", "exit 42"}).exit, 42);
  EXPECT_EQ(shell({"app", "--", "sh", "-c", "kill -9 $$"}).exit, 128 + SIGKILL);
  const auto missing = shell({"app", "--", "no-such-program"});
  EXPECT_EQ(missing.exit, 127);
  EXPECT_NE(missing.err.find("no-such-program"), std::string::npos) << missing.err;
  EXPECT_EQ(shell({"app", "--", "./text"}).exit, 126);
}

TEST_P(Shell, words_are_never_interpreted) {
  ASSERT_EQ(build_here({"lib"}).finished.exit, 0);
  const std::vector<std::string> odd = {"a b",   "$HOME",     "`id`",       "-x", "--failed", "--",
                                        "[a,b]", "new\nline", "\xc3\xbc",   "\"", "'",        "*",
                                        "",      "%{jobs}",   "%{nothing}", "\\", "-C",       "a=b"};
  std::vector<std::string> all = {"app", "--", "printf", "<%s>"};
  all.insert(all.end(), odd.begin(), odd.end());
  std::string expected;
  for (const auto& word : odd) expected += "<" + word + ">";
  const auto run = shell(all);
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, expected);
}

TEST_P(Shell, what_is_not_built_is_named_and_not_built) {
  const auto run = shell({"app", "--", "true"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_NE(run.err.find(std::string("weir build --sandbox ") + GetParam() + " lib\n"), std::string::npos)
      << run.err;
  EXPECT_TRUE(fs::is_empty(project.cache() + "/projects"));
}

TEST_P(Shell, a_failed_build_is_there_as_it_was_left) {
  project.file("weir.toml", kFailing).file("src/bad", "");
  ASSERT_EQ(build_here().finished.exit, 1);
  EXPECT_EQ(shell({"app", "--failed", "--", "cat", "left"}).out, "left\n");
  EXPECT_EQ(shell({"app", "--failed", "--", "sh", "-c", "cat $WEIR_OUT/installed; echo $OF_ELEMENT"}).out,
            "installed\ne\n");
  EXPECT_EQ(shell({"app", "--failed", "--", "sh", "-c", "echo more >> left"}).exit, 0);
  EXPECT_EQ(shell({"app", "--", "ls"}).out, "bad\ntext\n") << "without --failed it is the sources";
  const auto same = shell({"app", "--failed", "--", "cat", "left"});
  EXPECT_EQ(same.out, "left\nmore\n") << "in place, and still there";
  EXPECT_EQ(same.err.find("has changed"), std::string::npos) << same.err;
  project.file("weir.toml", kFailing + "# \n[element.other]\nkind = \"stack\"\n");
  EXPECT_EQ(shell({"app", "--failed", "--", "true"}).err.find("has changed"), std::string::npos);
  project.file("src/text", "another");
  const auto changed = shell({"app", "--failed", "--", "cat", "left"});
  EXPECT_EQ(changed.out, "left\nmore\n");
  EXPECT_NE(changed.err.find("has changed since run 1"), std::string::npos) << changed.err;
}

TEST_P(Shell, a_build_that_did_not_fail_or_is_gone_is_an_error_with_a_remedy) {
  project.file("weir.toml", kFailing);
  ASSERT_EQ(build_here().finished.exit, 0);
  const auto never = shell({"app", "--failed", "--", "cat", "left"});
  EXPECT_EQ(never.exit, 2);
  EXPECT_NE(never.err.find("weir build app"), std::string::npos) << never.err;
  project.file("src/bad", "");
  ASSERT_EQ(build_here().finished.exit, 1);
  fs::remove(project.path() + "/src/bad");
  project.file("src/good", "");
  ASSERT_EQ(build_here().finished.exit, 0);
  const auto gone = shell({"app", "--failed", "--", "cat", "left"});
  EXPECT_EQ(gone.exit, 2);
  EXPECT_NE(gone.err.find("weir build --retry-failed app"), std::string::npos) << gone.err;
}

TEST_P(Shell, a_failed_build_stays_until_the_element_is_built_again) {
  project.file("weir.toml", kFailing + "[element.other]\nkind = \"stack\"\n").file("src/bad", "");
  ASSERT_EQ(build_here().finished.exit, 1);
  ASSERT_EQ(build_here().finished.exit, 1) << "it failed before, and nothing is run";
  ASSERT_EQ(build_here({"other"}).finished.exit, 0);
  ASSERT_EQ(weir(project, {"track"}).exit, 0);
  EXPECT_EQ(shell({"app", "--failed", "--", "cat", "left"}).out, "left\n");
}

TEST_P(Shell, kill_9_of_weir_leaves_no_process) {
  const auto tag = "weir-shell-" + std::to_string(::getpid()) + GetParam();
  project.file("weir.toml", kFailing);
  WeirProcess process(project, words({"app", "--", "sh", "-c",
                                      "setsid sh -c 'echo here; sleep 1000' & sleep 1000; : " + tag}));
  ASSERT_NE(process.wait_for_line("here"), "");
  ASSERT_FALSE(processes_with(tag).empty());
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().exit, 128 + SIGKILL);
  EXPECT_TRUE(
      eventually([&] { return processes_with(tag).empty() && processes_with(project.path()).empty(); }));
  EXPECT_EQ(shell({"app", "--", "true"}).exit, 0);
  EXPECT_TRUE(no_shell_left(project)) << "what the killed one had is gone with the next";
}

TEST_P(Shell, term_ends_the_command_and_removes_its_files) {
  const auto tag = "weir-shell-term-" + std::to_string(::getpid()) + GetParam();
  project.file("weir.toml", kFailing);
  WeirProcess process(project,
                      words({"app", "--", "sh", "-c", "trap '' TERM; echo here; sleep 1000; : " + tag}));
  ASSERT_NE(process.wait_for_line("here"), "");
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().exit, 143);
  EXPECT_TRUE(eventually([&] { return processes_with(tag).empty(); }));
  EXPECT_TRUE(no_shell_left(project));
}

// What a person needs: a prompt, an environment, Ctrl-C for what the shell runs, an exit code.
TEST_P(Shell, a_person_at_a_terminal) {
  const auto tag = "weir-shell-pty-" + std::to_string(::getpid()) + GetParam();
  project.file("weir.toml", kFailing);
  Terminal terminal(project, {WEIR_BINARY, "shell", "--sandbox", GetParam(), "app"});
  ASSERT_TRUE(terminal.see("[weir app] ")) << terminal.screen();
  terminal.type("TAG=" + tag + " sleep 1000\n");
  ASSERT_TRUE(eventually([&] {
    const auto found = processes_with("TAG=" + tag);
    return std::any_of(found.begin(), found.end(), [](pid_t pid) {
      return content("/proc/" + std::to_string(pid) + "/comm") == "sleep\n";
    });
  })) << terminal.screen();
  terminal.type("\x03");
  ASSERT_TRUE(terminal.see("[weir app] ")) << terminal.screen();
  EXPECT_TRUE(processes_with("TAG=" + tag).empty());
  terminal.type("echo went on $((40 + 2)) with $OF_ELEMENT\n");
  EXPECT_TRUE(terminal.see("went on 42 with e\r\n")) << terminal.screen();
  terminal.type("echo $WEIR_PREFIX; exit 3\n");
  EXPECT_TRUE(terminal.see("/weir\r\n")) << terminal.screen();
  EXPECT_EQ(terminal.wait(), 3) << terminal.screen();
  EXPECT_EQ(terminal.screen().find("job control"), std::string::npos) << terminal.screen();
  EXPECT_TRUE(no_shell_left(project));
}

TEST_P(Shell, ctrl_c_is_for_the_command_alone) {
  project.file("weir.toml", kFailing);
  Terminal ended(project, {WEIR_BINARY, "shell", "--sandbox", GetParam(), "app", "--", "sh", "-c",
                           "echo ready; exec sleep 1000"});
  ASSERT_TRUE(ended.see("ready")) << ended.screen();
  ended.type("\x03");
  EXPECT_EQ(ended.wait(), 130);
  // `wait`, since a shell that is just forking may lose the signal; weir ends the sleep.
  Terminal caught(project, {WEIR_BINARY, "shell", "--sandbox", GetParam(), "app", "--", "sh", "-c",
                            "trap 'echo caught; exit 5' INT; sleep 1000 & echo ready; wait"});
  ASSERT_TRUE(caught.see("ready")) << caught.screen();
  caught.type("\x03");
  EXPECT_TRUE(caught.see("caught")) << caught.screen();
  EXPECT_EQ(caught.wait(), 5);
}

// The incident: the inner shell cannot give the terminal back to a group outside of its namespace.
TEST_P(Shell, who_called_has_the_terminal_again) {
  project.file("weir.toml", kFailing);
  Terminal terminal(
      project, {"/bin/sh", "-c", "\"$0\" shell --sandbox \"$1\" app; echo left $?; read word; echo got $word",
                WEIR_BINARY, GetParam()});
  ASSERT_TRUE(terminal.see("[weir app] ")) << terminal.screen();
  terminal.type("exit 4\n");
  ASSERT_TRUE(terminal.see("left 4")) << terminal.screen();
  terminal.type("something\n");
  EXPECT_TRUE(terminal.see("got something")) << terminal.screen();
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_P(Shell, a_shell_that_was_killed_takes_no_failed_build_with_it) {
  project.file("weir.toml", kFailing).file("src/bad", "");
  ASSERT_EQ(build_here().finished.exit, 1);
  WeirProcess process(project, words({"app", "--", "sh", "-c", "echo here; sleep 1000"}));
  ASSERT_NE(process.wait_for_line("here"), "");
  process.signal(SIGKILL);
  process.wait();
  EXPECT_TRUE(eventually([&] { return shell({"app", "--failed", "--", "cat", "left"}).out == "left\n"; }));
}

INSTANTIATE_TEST_SUITE_P(Sandboxes, Shell, testing::Values("host", "none"));

TEST(ShellSandbox, nobody_inside_types_for_the_user) {
  TempProject project;
  project.file("weir.toml", kFailing).file("src/text", "");
  const std::string type = "my $x = 'x'; exit(ioctl(STDIN, 0x5412, $x) ? 1 : $! + 0 == 1 ? 7 : 8)";
  Terminal terminal(project, {WEIR_BINARY, "shell", "app", "--", "perl", "-e", type});
  EXPECT_EQ(terminal.wait(), 7) << terminal.screen();
}

TEST(ShellSandbox, a_command_has_the_standard_streams_and_nothing_else_of_the_machine) {
  TempProject project;
  project.file("weir.toml", kFailing).file("src/text", "");
  const auto run =
      weir(project, {"shell", "app", "--", "sh", "-c",
                     "ls /proc/self/fd | wc -l; chmod 600 /proc/self/fd/0; test -e " + project.path()});
  EXPECT_EQ(run.out, "4\n") << "0, 1, 2 and that of ls";
  EXPECT_EQ(run.exit, 1);
  struct stat info {};
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_EQ(info.st_mode & 0777, mode_t{0666});
}

TEST(ShellSandbox, a_run_beside_it_leaves_the_failed_build_alone) {
  TempProject project;
  project.file("weir.toml", kFailing).file("src/bad", "");
  ASSERT_EQ(build(project).finished.exit, 1);
  const auto kept = folder_of(project) + "/runs/1/elements/app/build";
  WeirProcess process(
      project, {"shell", "app", "--failed", "--", "sh", "-c", "mkfifo door; echo here; cat door left"});
  ASSERT_NE(process.wait_for_line("here"), "");
  ASSERT_EQ(build(project, {"--retry-failed"}).failed, "app");
  std::ofstream(kept + "/door") << "open\n";
  EXPECT_EQ(process.wait().out, "here\nopen\nleft\n");
  ASSERT_EQ(build(project, {"--retry-failed"}).failed, "app");
  EXPECT_FALSE(fs::exists(kept)) << "once the shell is gone it is removed as usual";
}

TEST(ShellSandbox, a_build_that_failed_without_a_sandbox_is_found_there) {
  TempProject project;
  project.file("weir.toml", kFailing).file("src/bad", "");
  ASSERT_EQ(build(project, {"--sandbox", "none"}).finished.exit, 1);
  const auto run = weir(project, {"shell", "app", "--failed", "--", "cat", "left"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_NE(run.err.find("weir shell --failed --sandbox none app"), std::string::npos) << run.err;
}

TEST(ShellSandbox, sources_from_elsewhere_have_to_be_fetched_and_patches_are_applied) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one\n");
  project.file("fix.patch", "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+two\n");
  project.file("weir.toml",
               kShellHead +
                   "[element.app]\nkind = \"script\"\nconfig.commands = [\"cp file $WEIR_OUT/\"]\n"
                   "source = [{kind = \"git\", url = \"remote\", track = \"main\"}, {kind = \"patch\", path "
                   "= \"fix.patch\"}]\n");
  const auto unpinned = weir(project, {"shell", "app", "--", "cat", "file"});
  EXPECT_EQ(unpinned.exit, 2);
  EXPECT_NE(unpinned.err.find("weir track app"), std::string::npos) << unpinned.err;
  ASSERT_EQ(weir(project, {"track"}).exit, 0);
  const auto missing = weir(project, {"shell", "app", "--", "cat", "file"});
  EXPECT_EQ(missing.exit, 2);
  EXPECT_NE(missing.err.find("weir fetch app"), std::string::npos) << missing.err;
  ASSERT_EQ(weir(project, {"fetch"}).exit, 0);
  const auto run = weir(project, {"shell", "app", "--", "cat", "file"});
  EXPECT_EQ(run.out, "two\n") << run.err;
  EXPECT_EQ(weir(project, {"shell", "--sandbox", "none", "app", "--", "cat", "file"}).out, "two\n");
  project.file("fix.patch", "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-three\n+two\n");
  EXPECT_EQ(weir(project, {"shell", "app", "--", "cat", "file"}).exit, 2) << "a patch that does not apply";
}

TEST(ShellSandbox, kinds_that_run_nothing_have_their_sources) {
  TempProject project;
  project
      .file("weir.toml",
            kShellHead + "[element.data]\nkind = \"import\"\nsource = [{kind = \"local\", path = \"src\"}]\n")
      .file("src/a", "A");
  EXPECT_EQ(weir(project, {"shell", "data", "--", "cat", "a"}).out, "A");
}

TEST(ShellSandbox, a_staged_root_has_only_what_dependencies_bring) {
  TempProject project;
  project.file(
      "weir.toml",
      "weir = 1\n[project]\nname = \"s\"\n[sandbox]\nroot = \"staged\"\n"
      "[element.base]\nkind = \"import\"\nsource = [{kind = \"local\", path = \"root\"}]\nconfig.to = \"/\"\n"
      "[element.app]\nkind = \"script\"\nbuild-depends = [\"base\"]\nsource = [{kind = \"local\", path = "
      "\"src\"}]\n"
      "config.commands = [\"true\"]\n");
  project.file("src/text", "T");
  const auto bin = project.path() + "/root/bin/";
  fs::create_directories(bin);
  fs::copy_file("/bin/busybox", bin + "busybox");
  for (const auto* tool : {"sh", "cat", "ls"}) fs::create_symlink("busybox", bin + tool);
  ASSERT_EQ(build(project, {"base"}).finished.exit, 0);
  EXPECT_EQ(weir(project, {"shell", "app", "--", "cat", "text"}).out, "T");
  EXPECT_EQ(weir(project, {"shell", "app", "--", "ls", "/"}).out, "bin\nbuild\ndev\ninstall\nproc\ntmp\n");
  EXPECT_EQ(weir(project, {"shell", "app", "--", "cc"}).exit, 127);
  Terminal terminal(project, {WEIR_BINARY, "shell", "app"});
  ASSERT_TRUE(terminal.see("[weir app] ")) << terminal.screen();
  terminal.type("echo $((6 * 7)); exit 9\n");
  EXPECT_TRUE(terminal.see("42\r\n")) << terminal.screen();
  EXPECT_EQ(terminal.wait(), 9);
}

TEST(ShellSandbox, one_element_is_named) {
  TempProject project;
  project.file("weir.toml", kShellProject).file("src/text", "");
  EXPECT_EQ(weir(project, {"shell", "--", "true"}).exit, 2);
  EXPECT_EQ(weir(project, {"shell", "*", "--", "true"}).exit, 2);
  EXPECT_EQ(weir(project, {"shell", "appp", "--", "true"}).exit, 2);
  EXPECT_EQ(weir(project, {"shell", "app", "true"}).exit, 2) << "a command stands behind --";
}

}  // namespace
}  // namespace weir::test
