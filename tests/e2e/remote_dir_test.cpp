// Artifacts shared through a folder: two who write at once, and what becomes of files that are not what they
// should be.
#include <fstream>
#include <functional>
#include <regex>

#include "tests/e2e/shared_project.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

// Where a folder has a blob or a record.
std::string path_in(const std::string& folder, const std::string& kind, const std::string& name) {
  return folder + "/" + kind + "/" + name.substr(0, 2) + "/" + name;
}

std::vector<fs::path> files_below(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

void expect_whole(const std::string& folder) {
  for (const auto& file : files_below(folder + "/cas"))
    EXPECT_EQ(store::digest_of(content(file)).hex(), file.filename().string());
  EXPECT_EQ(files_below(folder + "/tmp").size(), 0u);
}

class RemoteDir : public ::testing::Test {
 protected:
  std::string folder() const { return home_.path(); }  // has to be there: it may be a mount
  void fill(TempProject& project) const {
    project.file("weir.toml", "weir = 1\n[project]\nname = \"shared\"\n" + remote_table("dir:" + folder()) +
                                  shared_elements(R"({kind = "local", path = "more"})"));
    project.file("more/file", "more\n");
    add_shared_files(project);
  }
  void share() {
    fill(first_);
    const auto run = build(first_);
    ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
    ASSERT_EQ(pushed(run), "all app data lib tool");
    expect_whole(folder());
  }
  // All of it, by someone who has nothing, without a word.
  void expect_all_can_be_pulled() const {
    TempProject other;
    fill(other);
    const auto run = build(other, {"**"});
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(pulled(run), "all app data lib tool");
    EXPECT_EQ(run.built, "");
    EXPECT_EQ(events_of(run, "diagnostic"), std::vector<std::string>());
    EXPECT_EQ(events_of(run, "remote.state"), std::vector<std::string>());
    for (const auto* element : {"all", "app", "data", "lib", "tool"})
      EXPECT_EQ(artifact_picture(other, element), artifact_picture(first_, element)) << element;
    expect_whole(folder());
  }
  // Said once, and nothing of it kept.
  static void expect_told_once(const TempProject& project, const RunFacts& run) {
    const auto told = events_of(run, "diagnostic"), states = events_of(run, "remote.state");
    ASSERT_EQ(told.size(), 1u) << run.finished.out;
    EXPECT_EQ(field(told[0], "level"), "warning");
    ASSERT_EQ(states.size(), 1u) << run.finished.out;
    EXPECT_EQ(field(states[0], "state"), "up");
    EXPECT_EQ(weir(project, {"cache", "verify"}).exit, 0);
  }
  std::string record_of(const std::string& element) const {
    return path_in(folder(), "ac", shown(first_, element, "key", {"--no-remote"}));
  }
  // The blobs that a record names: its log, its recipe and its tree. A digest is a text of 64 ('@')
  // characters.
  std::string blob_of(const std::string& element, std::size_t which) const {
    const auto bytes = content(record_of(element));
    const std::regex digest("@([0-9a-f]{64})");
    std::sregex_iterator at(bytes.begin(), bytes.end(), digest);
    std::advance(at, which);
    return path_in(folder(), "cas", (*at)[1].str());
  }
  std::string file_of_lib() const { return path_in(folder(), "cas", store::digest_of("tool: text\n").hex()); }
  std::string recipe_of_lib() const { return blob_of("lib", 1); }
  std::string tree_of_lib() const { return blob_of("lib", 2); }

  TemporaryFolder home_;
  TempProject first_;
};

TEST_F(RemoteDir, two_who_push_to_one_folder_at_once_leave_it_whole) {
  std::string text = "weir = 1\n[project]\nname = \"pair\"\n" + remote_table("dir:" + folder());
  std::string names;
  for (int i = 10; i < 34; ++i) {
    const auto name = "e" + std::to_string(i);
    names += (names.empty() ? "" : " ") + name;
    // One file of its own and one that half of the others have as well.
    text += "[element." + name + "]\nkind = \"script\"\nconfig.commands = [\"seq " +
            std::to_string(i * 1000) + " > $WEIR_OUT/" + name + "\", \"seq " +
            std::to_string(i % 2 * 9000 + 100) + " > $WEIR_OUT/common-" + std::to_string(i % 2) + "\"]\n" +
            (i >= 20 ? "depends = [\"e" + std::to_string(i / 2) + "\"]\n" : "");
  }
  TempProject one, two;
  one.file("weir.toml", text);
  two.file("weir.toml", text);
  WeirProcess here(one, {"-q", "build", "--events", "-", "**"}),
      there(two, {"-q", "build", "--events", "-", "**"});
  for (auto* process : {&here, &there}) {
    const auto run = facts_of(process->wait());
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(count_of(run, "built") + count_of(run, "pulled"), 24);
    EXPECT_EQ(events_of(run, "diagnostic"), std::vector<std::string>());
  }
  expect_whole(folder());
  EXPECT_EQ(files_below(folder() + "/ac").size(), 24u);
  TempProject three;
  three.file("weir.toml", text);
  const auto run = build(three, {"**"});
  EXPECT_EQ(pulled(run), names);
  EXPECT_EQ(run.built, "");
}

struct Damage {
  const char* name;
  void (*make)(const std::string& file);
};
const Damage kDamages[] = {
    {"flipped",
     [](const std::string& file) {
       auto bytes = content(file);
       bytes.at(bytes.size() / 2) ^= 1;
       std::ofstream(file, std::ios::binary) << bytes;
     }},
    {"truncated", [](const std::string& file) { fs::resize_file(file, fs::file_size(file) / 2); }},
    {"emptied", [](const std::string& file) { fs::resize_file(file, 0); }},
    {"longer", [](const std::string& file) { std::ofstream(file, std::ios::app) << "more"; }},
    {"gone", [](const std::string& file) { fs::remove(file); }},
};
// Debian's test tools print a parameter by its bytes.
void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

class DamagedDir : public RemoteDir, public ::testing::WithParamInterface<Damage> {
 protected:
  void make_writable_and_damage(const std::string& file) const {
    ASSERT_TRUE(fs::exists(file)) << file;
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    GetParam().make(file);
  }
};

TEST_P(DamagedDir, a_damaged_blob_is_built_again_told_once_and_replaced_by_the_same_run) {
  ASSERT_NO_FATAL_FAILURE(share());
  for (const auto& file : {file_of_lib(), recipe_of_lib(), tree_of_lib()}) {
    SCOPED_TRACE(file);
    make_writable_and_damage(file);
    TempProject second;
    fill(second);
    const auto run = build(second, {"**"});
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(run.built, "lib");
    EXPECT_EQ(pulled(run), "all app data tool");
    EXPECT_EQ(pushed(run), "lib");
    expect_told_once(second, run);
    expect_all_can_be_pulled();
  }
}

TEST_P(DamagedDir, who_may_not_push_at_once_can_do_it_later) {
  ASSERT_NO_FATAL_FAILURE(share());
  make_writable_and_damage(file_of_lib());
  TempProject second;
  fill(second);
  const auto run = build(second, {"--no-push", "**"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.built, "lib");
  EXPECT_EQ(elements_in(run.finished, "push"), "");
  expect_told_once(second, run);
  const auto later = run_weir(second, {"push"});
  EXPECT_EQ(later.finished.exit, 0) << later.finished.err;
  EXPECT_EQ(pushed(later), "lib");
  EXPECT_EQ(events_of(later, "diagnostic"), std::vector<std::string>());
  expect_all_can_be_pulled();
}

TEST_P(DamagedDir, two_damaged_artifacts_are_told_of_once) {
  ASSERT_NO_FATAL_FAILURE(share());
  make_writable_and_damage(file_of_lib());
  make_writable_and_damage(path_in(folder(), "cas", store::digest_of("tool: text\ntool: text\n").hex()));
  TempProject second;
  fill(second);
  const auto run = build(second, {"**"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.built, "app lib");
  EXPECT_EQ(pushed(run), "app lib");
  expect_told_once(second, run);
  expect_all_can_be_pulled();
}

INSTANTIATE_TEST_SUITE_P(A, DamagedDir, ::testing::ValuesIn(kDamages),
                         [](const auto& damage) { return std::string(damage.param.name); });

TEST_F(RemoteDir, a_record_that_is_no_record_or_of_something_else_is_replaced) {
  ASSERT_NO_FATAL_FAILURE(share());
  const auto other = content(record_of("tool"));
  for (const auto& wrong :
       {std::string("no record"), std::string(300, '\xff'), std::string(2 << 20, 'x'), other}) {
    SCOPED_TRACE(wrong.substr(0, 9));
    const auto file = record_of("lib");
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    std::ofstream(file, std::ios::binary) << wrong;
    TempProject second;
    fill(second);
    const auto run = build(second, {"**"});
    EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(run.built, "lib");
    EXPECT_EQ(pushed(run), "lib");
    expect_told_once(second, run);
    expect_all_can_be_pulled();
  }
}

}  // namespace
}  // namespace weir::test
