// Files of the cache that something other than weir changed: what is built, checked out and reported
// afterwards.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/e2e/eventually.h"
#include "tests/e2e/project_texts.h"

namespace weir::test {

namespace fs = std::filesystem;

namespace {

const std::string kText = "the text of the library\n";
const std::string kCopy = "THE TEXT OF THE LIBRARY\n";

// A library, and `app` that converts a file of it.
class Damaged : public ::testing::Test {
 protected:
  Damaged() {
    write("1");
    EXPECT_EQ(weir(project_, {"build"}).exit, 0);
  }
  // Another `salt` makes app another build with the same dependency.
  void write(const std::string& salt) {
    project_.file("weir.toml",
                  kHead + script("lib", "printf 'the text of the library\\n' > $WEIR_OUT/text") +
                      script("app", "tr a-z A-Z < $CMAKE_PREFIX_PATH/text > $WEIR_OUT/copy; echo " + salt,
                             "build-depends = [\"lib\"]"));
  }
  fs::path file_with_text(const std::string& below) const {
    for (const auto& entry : fs::recursive_directory_iterator(project_.cache() + "/store/" + below))
      if (entry.is_regular_file() && content(entry.path()) == kText) return entry.path();
    ADD_FAILURE() << "no file with the text below " << below;
    return {};
  }
  // Keeps size and mtime.
  static void flip(const fs::path& path) {
    struct stat before {};
    ASSERT_EQ(::stat(path.c_str(), &before), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    std::fstream(path, std::ios::in | std::ios::out) << 'x';
    ASSERT_EQ(::chmod(path.c_str(), before.st_mode & 07777), 0);
    const timespec times[2] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  // Build folders of app whose command has begun, of any run.
  std::vector<std::string> waiting_builds() const {
    std::vector<std::string> found;
    std::error_code gone;
    for (const auto& project : fs::directory_iterator(project_.cache() + "/projects", gone))
      for (const auto& run : fs::directory_iterator(project.path() / "runs", gone)) {
        const auto build = run.path() / "elements/app/build";
        if (fs::exists(build / "started", gone)) found.push_back(build);
      }
    return found;
  }
  void expect_no_input(const std::function<void()>& damage_stage);
  void expect_right_artifacts() {
    const auto built = weir(project_, {"build"});
    ASSERT_EQ(built.exit, 0) << built.err;
    EXPECT_EQ(built_file(project_, "copy"), kCopy);
    EXPECT_EQ(weir(project_, {"cache", "verify"}).exit, 0);
  }
  TempProject project_;
};

}  // namespace

TEST_F(Damaged, an_object_that_was_changed_in_place_is_not_built_with) {
  flip(file_with_text("objects"));
  write("2");
  const auto built = weir(project_, {"build"});
  EXPECT_EQ(built.exit, 0) << built.err;
  EXPECT_TRUE(says(built.err, "dropped; building again")) << built.err;
  expect_right_artifacts();
}

TEST_F(Damaged, a_build_that_is_repeated_has_one_summary_and_all_its_events) {
  flip(file_with_text("objects"));
  write("2");
  const auto events = project_.path() + "/events", junit = project_.path() + "/junit.xml";
  const auto built = weir(project_, {"build", "--json", "--events", events, "--junit", junit});
  EXPECT_EQ(built.exit, 0) << built.err;
  EXPECT_TRUE(says(built.err, "dropped; building again")) << built.err;
  EXPECT_EQ(std::count(built.out.begin(), built.out.end(), '\n'), 1) << built.out;
  EXPECT_TRUE(says(built.out, "\"exit\":0")) << built.out;
  const auto lines = content(events);
  const auto first = lines.find("\"run.start\"");
  ASSERT_NE(first, lines.npos);
  EXPECT_NE(lines.find("\"run.start\"", first + 1), lines.npos) << "of the repetition";
  EXPECT_FALSE(says(content(junit), "<failure")) << content(junit);
}

TEST_F(Damaged, an_object_that_was_changed_in_place_is_not_checked_out) {
  flip(file_with_text("objects"));
  const auto out = project_.path() + "/out";
  const auto refused = weir(project_, {"checkout", "lib", out});
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_TRUE(says(refused.err, "weir build")) << refused.err;
  EXPECT_FALSE(fs::exists(out + "/text"));
  expect_right_artifacts();
}

TEST_F(Damaged, artifacts_of_damaged_ones_are_dropped_and_built_again) {
  flip(file_with_text("objects"));
  const auto found = weir(project_, {"cache", "verify"});
  EXPECT_EQ(found.exit, 1) << found.err;
  EXPECT_TRUE(says(found.out, "damaged object, dropped")) << found.out;
  EXPECT_TRUE(says(found.out, "built with a damaged artifact, dropped")) << found.out;
  EXPECT_FALSE(says(weir(project_, {"show"}).out, "cached")) << weir(project_, {"show"}).out;
  expect_right_artifacts();
}

TEST_F(Damaged, a_kept_stage_that_lost_a_file_is_made_again) {
  fs::remove(file_with_text("stage"));
  write("2");
  expect_right_artifacts();
}

// The command of app waits for a file of its build folder, in each run of weir.
void Damaged::expect_no_input(const std::function<void()>& damage_stage) {
  for (const std::string then : {"true", "false"}) {  // whether the command fails by it or not
    project_.file("weir.toml", kHead + script("lib", "printf 'the text of the library\\n' > $WEIR_OUT/text") +
                                   script("app",
                                          "touch started; until test -e go; do sleep 0.01; done; "
                                          "tr a-z A-Z < $CMAKE_PREFIX_PATH/text > $WEIR_OUT/copy || " +
                                              then,
                                          "build-depends = [\"lib\"]"));
    WeirProcess run(project_, {"build"});
    ASSERT_TRUE(eventually([&] { return !waiting_builds().empty(); }));
    damage_stage();
    std::jthread go([&](const std::stop_token& stop) {
      while (!stop.stop_requested())
        for (const auto& build : waiting_builds()) std::ofstream(build + "/go");
    });
    const auto ended = run.wait();
    EXPECT_EQ(ended.exit, 0) << then << ended.err;
    EXPECT_TRUE(says(ended.err, "dropped; building again")) << then << ended.err;
    EXPECT_EQ(built_file(project_, "copy"), kCopy) << then;
  }
}

TEST_F(Damaged, dependencies_that_are_lost_while_a_command_uses_them_are_no_input) {
  expect_no_input([this] { fs::remove(file_with_text("stage")); });
}

// weir itself may read it as root, its jobs may not.
TEST_F(Damaged, dependencies_that_cannot_be_read_while_a_command_uses_them_are_no_input) {
  expect_no_input([this] {
    // Also in what the round before left behind.
    for (const auto& entry : fs::recursive_directory_iterator(project_.cache() + "/store/stage"))
      if (entry.is_regular_file() && content(entry.path()) == kText) {
        ASSERT_EQ(::chmod(entry.path().c_str(), 0), 0);
      }
  });
}

TEST_F(Damaged, a_kept_stage_that_lost_a_file_is_found_by_verify) {
  fs::remove(file_with_text("stage"));
  const auto found = weir(project_, {"cache", "verify"});
  EXPECT_EQ(found.exit, 1) << found.err;
  EXPECT_TRUE(says(found.out, "damaged stage, dropped")) << found.out;
  write("2");
  expect_right_artifacts();
}

}  // namespace weir::test
