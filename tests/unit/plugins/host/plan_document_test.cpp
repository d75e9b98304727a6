#include "plugins/host/plan_document.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

sdk::Json json(std::string_view text) { return sdk::Json::parse(text).value(); }

// What is wrong with steps; "good" if nothing is.
std::string verdict(std::string_view steps, const Folders& folders = {"build", "install"}) {
  const auto read = read_steps(json(std::string("{\"steps\":") + std::string(steps) + "}"), folders);
  return read ? "good" : read.error().message;
}

TEST(PlanDocument, steps_are_read_as_they_are) {
  const auto plan = read_plan(json(R"({"environment":{"A":"b"},"steps":[
    {"run":["make","-j%{jobs}"],"in":"build/sub","exit":{"78":"network"}}, {"run":["true"]},
    {"copy":"build/a","to":"install/b"}, {"write":"build/c","content":"text","executable":true}]})"),
                              {"build", "install"});
  ASSERT_TRUE(plan) << plan.error().message;
  const auto brought = read_steps(json(R"({"steps":[
    {"download":"https://x","to":"source/0.d","sha256":"ab"}, {"unpack":"source/0.d","to":"source/0","strip":1}]})"),
                                  {"source/0"}, "source");
  ASSERT_TRUE(brought) << brought.error().message;
  EXPECT_TRUE(*brought == (std::vector<Step>{DownloadStep{"https://x", "source/0.d", "ab", false},
                                             UnpackStep{"source/0.d", "source/0", 1}}));
  EXPECT_EQ(plan->environment, (std::vector<std::pair<std::string, std::string>>{{"A", "b"}}));
  const std::vector<Step> expected{RunStep{{"make", "-j%{jobs}"}, "build/sub", {{78, Failure::network}}},
                                   RunStep{{"true"}, "build", {}}, CopyStep{"build/a", "install/b"},
                                   WriteStep{"build/c", "text", true}};
  EXPECT_TRUE(plan->steps == expected);
}

TEST(PlanDocument, members_that_are_not_known_are_ignored) {
  EXPECT_EQ(verdict(R"([{"run":["true"],"colour":"red"}])"), "good");
  EXPECT_TRUE(read_plan(json(R"({"steps":[],"more":1})"), {}));
}

TEST(PlanDocument, paths_stay_in_their_folders) {
  const auto written_to = [](const std::string& path, const Folders& folders) {
    return verdict("[{\"write\":\"" + path + "\",\"content\":\"\"}]", folders) == "good";
  };
  for (const auto* good : {"build/a", "build/..a", "build/.a", "install/a/b"})
    EXPECT_TRUE(written_to(good, {"build", "install"})) << good;
  for (const auto* bad :
       {"", "/", "/build", "builds", "build.x", "build/..", "build/../x", "install/a/../../b", "project/x",
        "source/0", "./build", "build/a\\u0000b", "../build"})
    EXPECT_FALSE(written_to(bad, {"build", "install"})) << bad;
  for (const auto* good : {"source/0", "source/0/a", "source/0.track"})
    EXPECT_TRUE(written_to(good, {"source/0"})) << good;
  for (const auto* bad : {"source", "source/1", "source/00", "source/0x", "source/0/../1"})
    EXPECT_FALSE(written_to(bad, {"source/0"})) << bad;
}

TEST(PlanDocument, jobs_of_sources_start_in_source_and_write_to_what_is_their_own) {
  const auto read = [](const std::string& step) {
    return read_steps(*sdk::Json::parse("{\"steps\":[" + step + "]}"), {"source/1", "cache/git/a"}, "source");
  };
  EXPECT_EQ(std::get<RunStep>(read(R"({"run":["git"]})")->front()).directory, "source");
  EXPECT_EQ(std::get<RunStep>(read(R"({"run":["git"],"in":"source/1"})")->front()).directory, "source/1");
  for (const auto* good : {"source/1", "source/1.archive", "source/1/a", "cache/git/a/b"})
    EXPECT_TRUE(read(std::string(R"({"write":")") + good + R"(","content":""})")) << good;
  for (const auto* bad :
       {"source", "source/15", "source/2", "source/1/../2", "cache", "cache/git/ab", "build/x", "project/x"})
    EXPECT_FALSE(read(std::string(R"({"write":")") + bad + R"(","content":""})")) << bad;
  for (const auto* bad : {"build", "cache", "project", "source/../x"})
    EXPECT_FALSE(read(std::string(R"({"run":["x"],"in":")") + bad + "\"}")) << bad;
}

TEST(PlanDocument, what_could_not_be_run_is_refused_when_it_is_planned) {
  EXPECT_EQ(verdict(R"([{"copy":"build","to":"build/sub"}])"), "it plans to copy \"build\" into itself");
  EXPECT_EQ(verdict(R"([{"copy":"build/a","to":"build/a"}])"), "it plans to copy \"build/a\" into itself");
  EXPECT_EQ(
      verdict(
          R"([{"copy":"build/a","to":"build/ab"},{"copy":"build/a","to":"build/a.old"},{"copy":"build","to":"install/"}])"),
      "good");
  EXPECT_EQ(verdict(R"([{"run":[""]}])"), "a run step has no words");
  EXPECT_EQ(verdict(R"([{"download":"https://x","to":"build/d"}])"),
            "download and unpack are steps of plan_track and plan_fetch alone");
  EXPECT_EQ(verdict(R"([{"write":"build","content":""}])"), "\"build\" is no name for a file");
  for (const auto* strange : {"build//a", "build/./a", "build/."})
    EXPECT_NE(verdict("[{\"write\":\"" + std::string(strange) + "\",\"content\":\"\"}]"), "good") << strange;
}

TEST(PlanDocument, wrong_types_are_told) {
  const std::pair<const char*, const char*> all[] = {
      {"1", "it answered without a list of `steps`"},
      {"[1]", "a step is neither run, copy, write, download nor unpack"},
      {R"([{"run":"make"}])", "a run step has no words"},
      {R"([{"run":[1]}])", "a run step has no words"},
      {R"([{"run":["a",1]}])", "a word of a run step is no text"},
      {R"([{"run":["a\u0000b"]}])", "a word of a run step is no text"},
      {R"([{"run":["a"],"exit":[1]}])", "`exit` of a run step is no object"},
      {R"([{"write":"build/a","content":7}])", "`content` of a step is no text"},
      {R"([{"write":"build/a","content":"","executable":1}])",
       "`executable` of a step is neither true nor false"},
  };
  for (const auto* strip : {"-1", "1e9", "\"1\""}) {
    const auto document =
        json(std::string(R"({"steps":[{"unpack":"source/0.a","to":"source/0","strip":)") + strip + "}]}");
    EXPECT_EQ(read_steps(document, {"source/0"}, "source").error().message,
              "`strip` of a step is no small number")
        << strip;
  }
  for (const auto& [steps, message] : all) EXPECT_EQ(verdict(steps), message) << steps;
  for (const auto* exits : {R"({"0":"command"})", R"({"256":"command"})", R"({"1x":"command"})",
                            R"({"":"command"})", R"({"1":"fate"})", R"({"1":1})"})
    EXPECT_NE(
        verdict(std::string(R"([{"run":["a"],"exit":)") + exits + "}]").find("`exit` of a run step is {"),
        std::string::npos)
        << exits;
}

TEST(PlanDocument, variables_can_be_set) {
  const auto good = [](std::string_view environment) {
    return read_plan(json("{\"steps\":[],\"environment\":" + std::string(environment) + "}"), {}).has_value();
  };
  EXPECT_TRUE(good(R"({"A":"", "b_2":"x=y"})"));
  for (const auto* bad :
       {"[]", R"({"":"x"})", R"({"A=B":"x"})", R"({"A":1})", R"({"A":"x\u0000y"})", R"({"A\u0000B":"x"})"})
    EXPECT_FALSE(good(bad)) << bad;
}

TEST(PlanDocument, words_and_counts_of_tables) {
  EXPECT_EQ(*read_words(""), std::vector<std::string>());
  EXPECT_EQ(*read_words(R"(["cc","ld"])"), (std::vector<std::string>{"cc", "ld"}));
  for (const auto* bad : {"{}", "[1]", R"([""])", R"(["/bin/cc"])", R"(["a b"])", "["})
    EXPECT_FALSE(read_words(bad)) << bad;
  const auto counts = read_counts(json(R"({"scanner":2,"net":0})"));
  ASSERT_TRUE(counts);
  EXPECT_EQ((*counts)[1].token, "scanner");
  EXPECT_EQ((*counts)[1].amount, 2);
  for (const auto* bad :
       {"[]", R"({"a":-1})", R"({"a":1.5})", R"({"a":"1"})", R"({"":1})", R"({"a":99999999999})"})
    EXPECT_FALSE(read_counts(json(bad))) << bad;
}

}  // namespace
}  // namespace weir
