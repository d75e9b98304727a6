// Plugins that cannot be used or misbehave (tests/zoo): weir says which file it is, what is wrong and what to
// do; it runs nothing, leaves nothing behind and is never ended by a signal.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/plugin_project.h"
#include "tests/support/program.h"

extern "C" char** environ;

namespace weir::test {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotBeUsed = 2;
constexpr int kMisbehaves = 70;

struct Expected {
  int exit;
  std::string what;    // is wrong
  std::string remedy;  // what to do
};

void expect_told(const PluginProject& project, const Finished& run, const Expected& expected) {
  EXPECT_EQ(run.exit, expected.exit) << run.err;
  for (const auto& part : {project.library(), expected.what, expected.remedy})
    EXPECT_NE(run.err.find(part), std::string::npos) << "not told: " << part << "\n" << run.err;
  EXPECT_EQ(run.out.find("job.start"), std::string::npos) << "something was run\n" << run.out;
}

void allow_core_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_CORE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_CORE, &limit);
}

void expect_no_core_file(const PluginProject& project) {
  for (const auto& entry : fs::directory_iterator(project.path()))
    EXPECT_NE(entry.path().filename().string().substr(0, 4), "core") << entry.path();
}

void expect_build(PluginProject& project, const Expected& expected) {
  allow_core_files();
  expect_told(project, build(project).finished, expected);
  expect_no_core_file(project);
}

struct Animal {
  const char* name;
  Expected expected;
};
std::string name_of(const testing::TestParamInfo<Animal>& info) { return info.param.name; }
void PrintTo(const Animal& animal, std::ostream* out) { *out << animal.name; }

class Zoo : public testing::TestWithParam<Animal> {};

TEST_P(Zoo, is_told_of) {
  PluginProject project;
  project.use(in_zoo(GetParam().name));
  project.set("WEIR_PLUGIN_TIMEOUT=1");
  expect_build(project, GetParam().expected);
}

const char kFillSize[] = "fill in `size` with sizeof of the struct";
const char kBuildAgain[] = "build it again with the headers of this weir";

INSTANTIATE_TEST_SUITE_P(
    Tables, Zoo,
    testing::Values(
        Animal{"no_symbol", {kCannotBeUsed, "it has no symbol weir_plugin_entry_v1", "use WEIR_EXPORT"}},
        Animal{"null_plugin",
               {kCannotBeUsed, "its entry returned no table", "it has to return a weir_plugin"}},
        Animal{"null_offers", {kCannotBeUsed, "it offers no kinds", "fill in weir_plugin.offers"}},
        Animal{"no_offers", {kCannotBeUsed, "it offers no kinds", "fill in weir_plugin.offers"}},
        Animal{"many_offers", {kCannotBeUsed, "it offers 2147483647 kinds", "fill in offer_count"}},
        Animal{"wild_offers",
               {kMisbehaves, "crashed (SIGSEGV) when it was asked to describe itself", "weir plugin check"}},
        Animal{"null_table",
               {kCannotBeUsed, "no table for a kind of type weir.element/1", "fill in weir_offer.table"}},
        Animal{"plugin_size_zero", {kCannotBeUsed, "its weir_plugin says that it has 0 bytes", kFillSize}},
        Animal{"plugin_size_tiny", {kCannotBeUsed, "its weir_plugin says that it has 8 bytes", kFillSize}},
        Animal{"plugin_size_huge",
               {kCannotBeUsed, "its weir_plugin says that it has 4294967295 bytes", kFillSize}},
        Animal{"table_size_zero", {kCannotBeUsed, "its element table says that it has 0 bytes", kFillSize}},
        Animal{"table_size_tiny", {kCannotBeUsed, "its element table says that it has 8 bytes", kFillSize}},
        Animal{"table_size_huge",
               {kCannotBeUsed, "its element table says that it has 4294967295 bytes", kFillSize}},
        Animal{"major_two", {kCannotBeUsed, "it was built for ABI 2, and this weir has ABI 1", kBuildAgain}},
        Animal{"entry_two", {kCannotBeUsed, "it was built for ABI 2, and this weir has ABI 1", kBuildAgain}},
        Animal{"offered_twice",
               {kCannotBeUsed, "it offers the element kind animal twice", "a kind has one name"}},
        Animal{"named_weir",
               {kCannotBeUsed, "only weir's own are called \"weir\"", "give it a name of its own"}},
        Animal{"nameless", {kCannotBeUsed, "it has no name", "fill in weir_plugin.name"}},
        Animal{"version_zero", {kCannotBeUsed, "the kind animal has version 0", "versions begin with 1"}},
        Animal{"strange_name",
               {kCannotBeUsed, "\"../animal\" is no name for a kind", "names have a-z, 0-9 and -"}},
        Animal{"missing_resolve",
               {kCannotBeUsed, "the kind animal has no function `resolve`", "it is required"}},
        Animal{"missing_plan", {kCannotBeUsed, "the kind animal has no function `plan`", "it is required"}},
        Animal{"wild_tools", {kMisbehaves, "crashed (SIGSEGV)", "weir plugin check"}},
        Animal{"wrong_tools", {kCannotBeUsed, "`host_tools` of animal is no list of names", "[\"cc\"]"}},
        Animal{"needs_symbol",
               {kCannotBeUsed, "undefined symbol: zoo_function_that_is_nowhere",
                "it needs something that is not here"}}),
    name_of);

const char kBug[] = "this is a bug of the plugin";

INSTANTIATE_TEST_SUITE_P(
    Answers, Zoo,
    testing::Values(
        Animal{"throws", {kMisbehaves, "asked to resolve: threw an exception: zoo says no", kBug}},
        Animal{"throws_a_number", {kMisbehaves, "asked to resolve: threw an exception", kBug}},
        Animal{"throws_in_sdk", {kMisbehaves, "asked to resolve: zoo says no", kBug}},
        Animal{
            "throws_in_entry",
            {kMisbehaves, "its entry threw an exception: zoo says no", "exceptions must not leave a plugin"}},
        Animal{"throws_in_constructor", {kMisbehaves, "crashed (SIGABRT) when it was asked to load", kBug}},
        Animal{"huge_length", {kMisbehaves, "gave a document of 18446744073709551615 bytes", kBug}},
        Animal{"null_with_length", {kMisbehaves, "gave a document of 100 bytes at NULL", kBug}},
        Animal{"unmapped_length", {kMisbehaves, "crashed (SIGSEGV) when it was asked to resolve", kBug}},
        Animal{"wild_complaint", {kMisbehaves, "crashed (SIGSEGV) when it was asked to resolve", kBug}},
        Animal{"invalid_json",
               {kMisbehaves, "answered with something that is no JSON, or is nested too deep", kBug}},
        Animal{"json_array", {kMisbehaves, "answered with something that is no JSON object", kBug}},
        Animal{"invalid_utf8", {kMisbehaves, "gave a document that is no UTF-8", kBug}},
        Animal{"deep_json",
               {kMisbehaves, "answered with something that is no JSON, or is nested too deep", kBug}},
        Animal{"later_no_object", {kMisbehaves, "answered with a `later` that is no object", kBug}},
        Animal{"answers_twice", {kMisbehaves, "asked to resolve: answered twice", kBug}},
        Animal{"answers_nothing", {kMisbehaves, "asked to resolve: gave no answer", kBug}},
        Animal{"unknown_status", {kMisbehaves, "asked to resolve: returned 77, which is no status", kBug}},
        Animal{"refuses_silently", {kMisbehaves, "asked to resolve: refused and did not say why", kBug}},
        Animal{"breaks_silently", {kMisbehaves, "asked to resolve: failed and did not say why", kBug}},
        Animal{"complains_and_is_well", {kMisbehaves, "complained, and said that all is well", kBug}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Plans, Zoo,
    testing::Values(
        Animal{"plans_up", {kMisbehaves, "it plans to use the path \"install/../../etc/x\"", kBug}},
        Animal{"plans_absolute", {kMisbehaves, "it plans to use the path \"/etc/x\"", kBug}},
        Animal{"plans_in_project", {kMisbehaves, "it plans to use the path \"project/x\"", kBug}},
        Animal{"plans_near", {kMisbehaves, "it plans to use the path \"install.x\"", kBug}},
        Animal{"plans_numbers", {kMisbehaves, "a word of a run step is no text", kBug}},
        Animal{"plans_text", {kMisbehaves, "it answered without a list of `steps`", kBug}},
        Animal{"plans_texts", {kMisbehaves, "a step is neither run, copy, write, download nor unpack", kBug}},
        Animal{"plans_no_words", {kMisbehaves, "a run step has no words", kBug}},
        Animal{"plans_unknown_step",
               {kMisbehaves, "a step is neither run, copy, write, download nor unpack", kBug}},
        Animal{"plans_wrong_exit", {kMisbehaves, "`exit` of a run step is", kBug}},
        Animal{"bad_environment",
               {kMisbehaves, "the variable \"A=B\" of its environment cannot be set", kBug}},
        Animal{"number_in_environment",
               {kMisbehaves, "the variable \"A\" of its environment cannot be set", kBug}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Crashes, Zoo,
    testing::Values(
        Animal{"crash_null", {kMisbehaves, "crashed (SIGSEGV) when it was asked to resolve", kBug}},
        Animal{"crash_abort", {kMisbehaves, "crashed (SIGABRT) when it was asked to resolve", kBug}},
        Animal{"crash_stack", {kMisbehaves, "crashed (SIGSEGV) when it was asked to resolve", kBug}},
        Animal{"crash_division", {kMisbehaves, "crashed (SIGFPE) when it was asked to resolve", kBug}},
        Animal{"crash_in_constructor", {kMisbehaves, "crashed (SIGSEGV) when it was asked to load", kBug}},
        Animal{"crash_in_entry",
               {kMisbehaves, "crashed (SIGSEGV) when it was asked to describe itself", kBug}},
        Animal{"crash_in_plan", {kMisbehaves, "crashed (SIGSEGV) when it was asked to plan", kBug}},
        Animal{"hangs", {kMisbehaves, "did not answer when it was asked to resolve", kBug}},
        Animal{"hangs_in_constructor", {kMisbehaves, "did not answer when it was asked to load", kBug}},
        Animal{"exits", {kMisbehaves, "called exit() when it was asked to resolve", kBug}},
        Animal{"exits_quickly", {kMisbehaves, "called exit() when it was asked to resolve", kBug}},
        Animal{"exits_at_once", {kMisbehaves, "called _exit() when it was asked to resolve", kBug}},
        Animal{"exits_on_a_thread", {kMisbehaves, "called _exit() on a thread of its own", kBug}},
        Animal{"crashes_on_a_thread", {kMisbehaves, "crashed (SIGSEGV) on a thread of its own", kBug}},
        Animal{"exits_in_constructor", {kMisbehaves, "called exit() when it was asked to load", kBug}}),
    name_of);

// When weir ends it has an exit code already, and such a plugin would make it 0.
class ZooExit : public testing::TestWithParam<const char*> {};

TEST_P(ZooExit, at_the_end_of_weir_is_no_success) {
  PluginProject project;
  project.use(in_zoo(GetParam()));
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"build"}, {"show"}, {"track"}, {"build", "none"}}) {
    const auto done = weir(project, words);
    EXPECT_EQ(done.exit, kMisbehaves) << words[0] << done.err;
    EXPECT_NE(done.err.find(project.library() + " called _exit() although it was not asked"),
              std::string::npos)
        << done.err;
  }
}

INSTANTIATE_TEST_SUITE_P(, ZooExit, testing::Values("exits_in_destructor", "exits_in_atexit"),
                         [](const auto& tested) { return std::string(tested.param); });

struct RemoteAnimal {
  const char* name;
  const char* said;
};
class ZooRemote : public testing::TestWithParam<RemoteAnimal> {};

TEST_P(ZooRemote, is_named_with_its_operation) {
  PluginProject project("remote-animal.so");
  project.file("weir.toml",
               "weir = 1\n[plugins]\npath = [\"plugins\"]\n[[remote]]\nurl = \"animal://there\"\n"
               "[element.a]\nkind = \"script\"\nconfig.commands = [\"true\"]\n");
  project.use(in_zoo(GetParam().name));
  const auto done = weir(project, {"build"});
  EXPECT_EQ(done.exit, kMisbehaves) << done.err;
  for (const auto& part : {project.library() + " " + GetParam().said, std::string(kBug)})
    EXPECT_NE(done.err.find(part), std::string::npos) << part << "\n" << done.err;
}

INSTANTIATE_TEST_SUITE_P(
    , ZooRemote,
    testing::Values(
        RemoteAnimal{"remote_crashes_on_a_thread",
                     "crashed (SIGSEGV) on a thread of its own, after it was asked to get_record"},
        RemoteAnimal{"remote_exits_on_a_thread",
                     "called exit() on a thread of its own, after it was asked to get_record"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(ZooKeeper, a_good_animal_is_built) {
  PluginProject project;
  project.use(in_zoo("good"));
  EXPECT_EQ(build(project).built, "a");
}

// How they end is the plugin's affair; weir said that the plugin had ended it, and gave them another exit
// code.
TEST(ZooKeeper, children_of_a_plugin_may_end) {
  PluginProject project;
  project.use(in_zoo("forks_and_fails"));
  const auto run = build(project);
  EXPECT_EQ(run.built, "a") << run.finished.err;
  EXPECT_EQ(run.finished.err.find("exit()"), std::string::npos) << run.finished.err;
}

TEST(ZooFile, a_kind_of_weir_cannot_be_replaced) {
  PluginProject project("element-make.so", "make");
  project.use(in_zoo("good"));
  expect_build(project, {kCannotBeUsed, "the element kind make is weir's own", "give it another name"});
}

TEST(ZooFile, a_name_that_says_another_kind) {
  PluginProject project("element-other.so", "other");
  project.use(in_zoo("good"));
  expect_build(project, {kCannotBeUsed, "has no element kind other", "weir plugin list"});
}

TEST(ZooFile, a_library_that_is_named_itself_may_not_pass_for_weirs_own_either) {
  PluginProject project("anything.so");
  project.file("weir.toml",
               "weir = 1\n[plugins]\npath = [\"plugins/anything.so\"]\n[element.a]\nkind = \"animal\"\n");
  project.use(in_zoo("named_weir"));
  expect_build(project, {kCannotBeUsed, "only weir's own are called \"weir\"", "give it a name of its own"});
}

TEST(ZooFile, no_elf_file) {
  PluginProject project;
  project.write_library("#!/bin/sh\necho no library\n");
  expect_build(project, {kCannotBeUsed, "is no shared library (not an ELF file)", "weir_add_plugin()"});
}

TEST(ZooFile, an_empty_file) {
  PluginProject project;
  project.write_library("");
  expect_build(project, {kCannotBeUsed, "is empty", "copy or build it again"});
}

class CutShort : public testing::TestWithParam<int> {};

// In tenths; the last tenth may be nothing that is loaded (names of sections), so it is not cut alone.
TEST_P(CutShort, is_told_of) {
  const auto whole = content(in_zoo("good"));
  PluginProject project;
  project.write_library(whole.substr(0, whole.size() * static_cast<std::size_t>(GetParam()) / 10));
  expect_build(project, {kCannotBeUsed, "the file is cut short", "copy or build it again"});
}
INSTANTIATE_TEST_SUITE_P(Tenths, CutShort, testing::Values(1, 2, 3, 5));

TEST(ZooFile, cut_to_its_header) {
  PluginProject project;
  project.write_library(content(in_zoo("good")).substr(0, 64));
  expect_build(project, {kCannotBeUsed, "the file is cut short", "copy or build it again"});
}

TEST(ZooFile, cut_inside_of_its_header) {
  PluginProject project;
  project.write_library(content(in_zoo("good")).substr(0, 20));
  expect_build(project, {kCannotBeUsed, "the file is cut short", "copy or build it again"});
}

std::string good_with(std::size_t offset, char byte) {
  auto bytes = content(in_zoo("good"));
  bytes.at(offset) = byte;
  return bytes;
}

TEST(ZooFile, for_another_machine) {
  PluginProject project;
  project.write_library(good_with(18, '\x16'));  // e_machine: S/390
  expect_build(project, {kCannotBeUsed, "is for another machine (S/390", "build it for this one"});
}

TEST(ZooFile, with_other_words) {
  PluginProject project;
  project.write_library(good_with(4, '\x01'));  // EI_CLASS: 32 bits
  expect_build(project, {kCannotBeUsed, "is for another machine (32-bit", "build it for this one"});
}

TEST(ZooFile, a_program) {
  PluginProject project;
  project.write_library(good_with(16, '\x02'));  // e_type: ET_EXEC
  expect_build(project, {kCannotBeUsed, "is no shared library", "link it with -shared"});
}

TEST(ZooFile, a_folder) {
  PluginProject project;
  fs::create_directory(project.library());
  expect_build(project, {kCannotBeUsed, "is no file", "put the library there"});
}

TEST(ZooFile, a_fifo) {
  PluginProject project;
  ASSERT_EQ(::mkfifo(project.library().c_str(), 0644), 0);
  expect_build(project, {kCannotBeUsed, "is no file", "put the library there"});
}

TEST(ZooFile, a_symlink_loop) {
  PluginProject project;
  fs::create_symlink("element-animal.so", project.library());
  expect_build(project,
               {kCannotBeUsed, "cannot be read: Too many levels of symbolic links", "put the library there"});
}

TEST(ZooFile, a_symlink_to_nothing) {
  PluginProject project;
  fs::create_symlink("nowhere", project.library());
  expect_build(project,
               {kCannotBeUsed, "cannot be read: No such file or directory", "put the library there"});
}

TEST(ZooFile, unreadable) {
  PluginProject project;
  project.use(in_zoo("good"));
  fs::permissions(project.library(), fs::perms::none);
  std::vector<std::string> words, environment{"WEIR_CACHE_DIR=" + project.cache(), "WEIR_TRUST=1"};
  for (char** variable = environ; *variable; ++variable) environment.emplace_back(*variable);
  // Root may read anything, unless that is taken away.
  if (::geteuid() == 0) words = {"/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search"};
  words.insert(words.end(), {WEIR_BINARY, "-C", project.path(), "build"});
  Program program(words, environment);
  const int exit = program.wait();
  expect_told(project, {exit, "", program.text()},
              {kCannotBeUsed, "cannot be read: Permission denied", "chmod"});
}

}  // namespace
}  // namespace weir::test
