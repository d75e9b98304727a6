// weir plugin check, on plugins of tests/zoo and on weir's own.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/e2e/plugin_project.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

Finished check(const std::string& animal, std::vector<std::string> more = {}) {
  TempProject nowhere;
  nowhere.set("WEIR_PLUGIN_TIMEOUT=1");
  std::vector<std::string> words{"plugin", "check", in_zoo(animal)};
  words.insert(words.end(), more.begin(), more.end());
  return weir(nowhere, words);
}

// The lines that say neither ok nor that something was not done.
std::string wrong_lines(const Finished& run) {
  std::string all;
  for (const auto& line : lines_of(run.out))
    if (line.starts_with("WRONG")) all += line + "\n";
  return all;
}

struct Found {
  const char* animal;
  const char* question;
  const char* message;
};
void PrintTo(const Found& found, std::ostream* out) { *out << found.animal; }

class PluginCheck : public testing::TestWithParam<Found> {};

TEST_P(PluginCheck, finds) {
  const auto run = check(GetParam().animal);
  EXPECT_EQ(run.exit, 1) << run.out << run.err;
  EXPECT_EQ(run.err, "");
  const auto wrong = wrong_lines(run);
  EXPECT_NE(wrong.find(GetParam().question), std::string::npos) << run.out;
  EXPECT_NE(wrong.find(GetParam().message), std::string::npos) << run.out;
}

INSTANTIATE_TEST_SUITE_P(
    Animals, PluginCheck,
    testing::Values(
        Found{"no_symbol", "exports", "zoo_answer; it has to be weir_plugin_entry_v1 alone"},
        Found{"exports_two", "exports", "weir_plugin_entry_v1, zoo_second"},
        Found{"entry_two", "load", "it was built for ABI 2"},
        Found{"table_size_zero", "load", "its element table says that it has 0 bytes"},
        Found{"crash_in_constructor", "load", "crashed (SIGSEGV)"},
        Found{"hangs_in_constructor", "load", "did not answer in 1 s"},
        Found{"exits_in_constructor", "load", "ended the process"},
        Found{"wild_tools", "element animal: table", "crashed (SIGSEGV)"},
        Found{"wrong_tools", "element animal: table", "is no list of names"},
        Found{"takes_any_key", "resolve (unknown key)", "it takes the key \"weir-check-unknown\""},
        Found{"refuses_silently", "element animal: resolve", "refused and did not say why"},
        Found{"crash_stack", "element animal: resolve", "crashed (SIGSEGV)"},
        Found{"crash_abort", "element animal: resolve", "crashed (SIGABRT)"},
        Found{"hangs", "element animal: resolve", "did not answer in 1 s"},
        Found{"exits", "element animal: resolve", "ended the process (exit code 0)"},
        Found{"throws", "element animal: resolve", "threw an exception: zoo says no"},
        Found{"throws_in_sdk", "element animal: resolve", "zoo says no"},
        Found{"plans_up", "element animal: plan", "outside of its folders"},
        Found{"leaves_at_once", "element animal: plan", "ended the process (exit code 0)"},
        Found{"remembers", "element animal: plan", "<1>"},
        Found{"reads_environment", "element animal: plan",
              "in another process with another environment it answered"},
        Found{"shows_an_address", "element animal: plan",
              "in another process with another environment it answered"},
        Found{"shows_a_heap_address", "element animal: plan", "it answered"},
        Found{"opens_a_file", "element animal: plan", "it called openat"},
        Found{"writes_out", "element animal: plan", "it called write"},
        Found{"sleeps", "element animal: plan", "it called clock_nanosleep"},
        Found{"spawns", "element animal: plan", "it called clone"},
        Found{"fetches_into_another", "source animal: plan_fetch",
              "\"source/01/x\", which is outside of its folders"},
        Found{"remote_table_tiny", "load", "its remote table says that it has"},
        Found{"remote_wrong_schemes", "remote animal: table", "`schemes` of animal is no list of names"},
        Found{"remote_no_schemes", "remote animal: table", "`schemes` of animal is empty"},
        Found{"remote_opens_nothing", "remote animal: open", "it made no remote, and said that all is well"},
        Found{"remote_trusts_documents", "remote animal: open (empty document)", "crashed (SIGSEGV)"},
        Found{"remote_crash_in_cancel", "remote animal: cancel (unknown operation)", "crashed (SIGSEGV)"},
        Found{"remote_crash", "remote animal: close", "crashed (SIGSEGV)"}),
    [](const auto& one) { return one.param.animal; });

TEST(PluginChecks, good_plugins_pass) {
  for (const auto* animal : {"good", "remote_good"}) {
    const auto run = check(animal);
    EXPECT_EQ(run.exit, 0) << run.out;
    EXPECT_EQ(run.out.find("not done"), std::string::npos) << run.out;
  }
}

TEST(PluginChecks, every_kind_of_weir_passes) {
  TempProject nowhere;
  std::set<std::string> types;
  for (const auto& entry :
       fs::directory_iterator(fs::path(WEIR_BINARY).parent_path() / "../lib/weir/plugins")) {
    const auto run = weir(nowhere, {"plugin", "check", entry.path()});
    EXPECT_EQ(run.exit, 0) << run.out;
    const auto name = entry.path().filename().string();
    types.insert(name.substr(0, name.find('-')));
  }
  for (const auto* type : {"allocator", "element", "placer", "queue", "remote", "source"})
    EXPECT_TRUE(types.contains(type)) << type;
}

TEST(PluginChecks, what_needs_a_configuration_is_not_done_without_one) {
  const auto run = check("no_example");
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_NE(run.out.find("it has no example; give one with --config"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("animal: plan"), std::string::npos) << run.out;
  EXPECT_NE(check("no_example", {"--config", "{}"}).out.find("animal: plan"), std::string::npos);
  EXPECT_NE(wrong_lines(check("good", {"--config", R"({"a":1})"}))
                .find("it refuses the configuration: there is nothing to configure"),
            std::string::npos);
}

TEST(PluginChecks, a_remote_may_refuse_what_was_made_up_and_not_what_is_right) {
  const auto run = check("remote_refuses");
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_NE(run.out.find("it has no example, and refused one: there is no such place"), std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("remote animal: open (empty document)"), std::string::npos) << run.out;
  EXPECT_NE(wrong_lines(check("remote_refuses", {"--config", R"({"url":"animal://here"})"}))
                .find("it refuses the configuration"),
            std::string::npos);
}

TEST(PluginChecks, wrong_words_are_usage) {
  TempProject nowhere;
  const auto missing = weir(nowhere, {"plugin", "check", "element-nothing.so"});
  EXPECT_EQ(missing.exit, 2);
  EXPECT_NE(missing.err.find("there is no file \"element-nothing.so\""), std::string::npos) << missing.err;
  EXPECT_EQ(check("good", {"--config", "[1]"}).exit, 2);
  EXPECT_EQ(weir(nowhere, {"plugin", "check"}).exit, 2);
  EXPECT_EQ(weir(nowhere, {"plugin"}).exit, 2);
}

TEST(PluginChecks, a_file_of_this_folder_is_that_file) {
  PluginProject project;
  project.use(in_zoo("good"));
  fs::rename(project.library(), project.path() + "/element-animal.so");
  EXPECT_EQ(weir(project, {"plugin", "check", "element-animal.so"}).exit, 0)
      << "a name without a slash is not searched for";
}

TEST(PluginChecks, are_told_to_programs) {
  const auto run = check("sleeps", {"--json"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_NE(run.out.find("{\"v\":1,\"ok\":false,\"file\":"), std::string::npos) << run.out;
  EXPECT_NE(
      run.out.find(
          "{\"level\":\"wrong\",\"name\":\"element animal: plan\",\"message\":\"it called clock_nanosleep"),
      std::string::npos)
      << run.out;
}

}  // namespace
}  // namespace weir::test
