// A FIFO, a folder or a symlink that leads nowhere in the place of files of the cache: the
// next build does the work again. Every file that weir keeps is tried, whatever it is called.
#include <sys/stat.h>

#include <functional>
#include <map>
#include <regex>

#include "tests/e2e/git_repository.h"
#include "tests/e2e/guest.h"
#include "tests/e2e/project_texts.h"
#include "tests/e2e/weir_process.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

struct Replacement {
  const char* name;
  std::function<void(const fs::path&)> make;
};

void make_folder(const fs::path& path) {
  fs::create_directory(path);
  std::ofstream(path / "inner") << "not of weir\n";
}

const Replacement kReplacements[] = {
    {"fifo", [](const fs::path& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0644), 0); }},
    {"folder", make_folder},
    {"dangling_link", [](const fs::path& path) { fs::create_symlink("/nonexistent/file", path); }},
};

class OddFiles : public ::testing::TestWithParam<Replacement> {
 protected:
  OddFiles() : upstream_(project_.path() + "/upstream") {
    fs::create_directory(project_.path() + "/remote");
    project_.file("weir.toml",
                  "weir = 1\n[sandbox]\nroot = \"none\"\n[retry]\ndelay = \"1ms\"\n[[remote]]\nurl = " +
                      toml_text("dir:" + project_.path() + "/remote") +
                      "\npush = true\n"
                      "[element.lib]\nkind = \"import\"\nsource = [{kind = \"git\", url = " +
                      toml_text("file://" + upstream_.path()) +
                      ", track = \"main\"}]\n"
                      "[element.archive]\nkind = \"import\"\nsource = [{kind = \"tar\", url = \"a.tar\"}]\n" +
                      script("app", "cat $CMAKE_PREFIX_PATH/file in > $WEIR_OUT/file",
                             "build-depends = [\"lib\"]\nsource = [{kind = \"local\", path = \"src\"}]\n"));
    upstream_.commit("other", "never changed\n");
    edit_and_build();
    edit_and_build();
  }

  // All sources have something new, so that every step is done again.
  void edit_and_build() {
    const auto text = std::to_string(++edits_) + "\n";
    upstream_.commit("file", text);
    project_.file("src/in", text).file("packed/from-archive", text);
    run_program(project_.path(), {"tar", "-cf", "a.tar", "-C", "packed", "."});
    const auto built = weir(project_, {"build", "--track"});
    EXPECT_EQ(built.exit, 0) << built.out << built.err;
    EXPECT_EQ(built_file(project_, "file"), text + text);
  }

  // Files that differ only in digests, keys and numbers of runs are of one group.
  std::map<std::string, std::vector<fs::path>> groups() const {
    const std::regex changing("[0-9a-f]{2,}|[0-9]+");
    std::map<std::string, std::vector<fs::path>> all;
    for (const auto& entry : fs::recursive_directory_iterator(project_.cache()))
      if (entry.symlink_status().type() == fs::file_type::regular) {
        const auto name =
            std::regex_replace(fs::relative(entry.path(), project_.cache()).string(), changing, "*");
        if (name != "store/format") all[name].push_back(entry.path());  // without it the folder is not weir's
      }
    return all;
  }

  TempProject project_;
  GitRepository upstream_;
  int edits_ = 0;
};

TEST_P(OddFiles, builds_replace_whatever_is_in_the_place_of_their_files) {
  const auto known = groups();
  ASSERT_GE(known.size(), 15u);
  for (const auto& [name, files] : known) {
    SCOPED_TRACE(name);
    for (const auto& file : files)
      if (fs::remove(file)) GetParam().make(file);
    edit_and_build();
    const auto collected = weir(project_, {"cache", "gc"});
    EXPECT_EQ(collected.exit, 0) << collected.err;
    if (HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(, OddFiles, ::testing::ValuesIn(kReplacements),
                         [](const auto& tested) { return std::string(tested.param.name); });

// What is remembered of a failure is read by every command that asks for the state of an element.
TEST_P(OddFiles, a_failure_is_remembered_again) {
  TempProject project;
  project.file("weir.toml", kHead + script("app", "false"));
  ASSERT_EQ(weir(project, {"build"}).exit, 1);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(project.cache() + "/projects"))
    if (entry.path().parent_path().filename() == "failures") files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1u);
  fs::remove(files[0]);
  GetParam().make(files[0]);
  for (const auto* command : {"show", "why"}) {
    const auto shown = weir(project, {command, "app"});
    EXPECT_EQ(shown.exit, 0) << shown.err;
  }
  EXPECT_EQ(weir(project, {"build"}).exit, 1);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(files[0])));
  EXPECT_TRUE(says(weir(project, {"show", "app"}).out, "failed")) << weir(project, {"show", "app"}).out;
}

// 137 if it waited for something.
Finished run_in_time(const TempProject& project, std::vector<std::string> words) {
  words.insert(words.begin(), {"/usr/bin/timeout", "-s", "KILL", "30", WEIR_BINARY});
  return run_as({std::nullopt,
                 0,
                 project.path(),
                 {"PATH=/usr/bin:/bin", "HOME=" + project.path(), "WEIR_CACHE_DIR=" + project.cache(),
                  "XDG_CONFIG_HOME=" + project.path() + "/.config", "WEIR_TRUST=1"}},
                std::move(words));
}

// Commands that only read wait for no writer either, whichever file it is.
TEST(OddReads, no_command_waits_for_a_fifo_in_the_place_of_a_file_of_the_cache) {
  TempProject project;
  project.file("weir.toml",
               kHead + script("bad", "echo said; false") + script("app", "echo made > $WEIR_OUT/file"));
  ASSERT_EQ(weir(project, {"build", "--on-error", "continue"}).exit, 1);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(project.cache()))
    if (entry.symlink_status().type() == fs::file_type::regular) files.push_back(entry.path());
  ASSERT_GE(files.size(), 10u);
  for (const auto& file : files) {
    fs::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0644), 0);
  }
  for (const auto& words : std::vector<std::vector<std::string>>{{"show"},
                                                                 {"why", "app"},
                                                                 {"log", "app"},
                                                                 {"log"},
                                                                 {"runs"},
                                                                 {"report", "-o", "page.html"},
                                                                 {"graph"},
                                                                 {"doctor"},
                                                                 {"checkout", "app", "out"},
                                                                 {"cache", "stat"},
                                                                 {"cache", "verify"},
                                                                 {"ctl", "status"},
                                                                 {"shell", "--failed", "bad"},
                                                                 {"build", "--dry-run"},
                                                                 {"build"},
                                                                 {"cache", "gc"}})
    EXPECT_LT(run_in_time(project, words).exit, 128) << words[0];
}

TEST(OddProject, a_file_that_is_none_is_an_error_with_its_name) {
  const std::vector<Replacement> kinds = {
      kReplacements[0],
      {"device", [](const fs::path& path) { fs::create_symlink("/dev/zero", path); }},
      {"terminal", [](const fs::path& path) { fs::create_symlink("/dev/ptmx", path); }}};
  for (const auto& kind : kinds)
    for (const std::string name :
         {"weir.toml", "elements/lib.toml", "weir.lock", ".config/weir/config.toml"}) {
      SCOPED_TRACE(std::string(kind.name) + " " + name);
      TempProject project;
      project.file("weir.toml", kHead + script("app", "true"))
          .file("elements/lib.toml", "kind = \"stack\"\n");
      fs::create_directories(project.path() + "/.config/weir");
      fs::remove(project.path() + "/" + name);
      kind.make(project.path() + "/" + name);
      const auto shown = run_in_time(project, {"show"});
      EXPECT_EQ(shown.exit, 2);
      EXPECT_TRUE(says(shown.err, name) && says(shown.err, "it is no regular file")) << shown.err;
    }
}

TEST(OddLog, a_fifo_in_the_place_of_the_log_of_a_running_job_does_not_stop_the_build) {
  TempProject project;
  const auto logs = project.cache() + "/projects/*/runs/*/logs/*.log";
  project.file("weir.toml",
               kHead + "[sandbox]\nroot = \"none\"\n" +
                   script("app", "echo hello; until ls " + logs + " 2>/dev/null; do :; done; for log in " +
                                     logs + "; do rm $log; mkfifo $log; done; echo made > $WEIR_OUT/file"));
  const auto built = weir(project, {"build"});
  EXPECT_EQ(built.exit, 0) << built.err;
  EXPECT_EQ(built_file(project, "file"), "made\n");
}

}  // namespace
}  // namespace weir::test
