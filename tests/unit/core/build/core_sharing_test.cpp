#include "core/build/core_sharing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr Element::Cores kNotSaid{};

struct Planned {
  std::vector<Step> steps;
  Environment environment = {};
  CoreTools tools = {"GNU Make 4.3", "1.11.1"};
  // "2..4 jobs 2 pipe: <make>"
  std::string with(const Element::Cores& asked, std::uint32_t there = 8) {
    const auto plan = plan_cores(asked, there, tools, steps, environment);
    static constexpr const char* kNames[] = {"none", "pipe", "fifo", "affinity"};
    auto text = fmt::format("{}..{} jobs {} {}:", plan.least, plan.most, plan.jobs,
                            kNames[static_cast<int>(plan.sharing)]);
    for (const auto& step : steps)
      if (const auto* run = std::get_if<RunStep>(&step))
        text += fmt::format(" <{}>", fmt::join(run->argv, "|"));
    return text;
  }
};

const std::vector<Step> kMake = {RunStep{{"make", "-j%{jobs}", "V=1"}}, RunStep{{"make", "install"}}};
const std::vector<Step> kNinja = {RunStep{{"ninja", "-C", "t", "-j", "%{jobs}"}}};

TEST(CoreSharing, make_gets_a_jobserver_instead_of_a_number_and_installs_one_by_one) {
  EXPECT_EQ(Planned{kMake}.with({1, 4}), "1..4 jobs 1 pipe: <make|V=1> <make|--eval=.NOTPARALLEL:|install>");
  EXPECT_EQ(Planned{kMake}.with({2, 2}), "2..0 jobs 2 pipe: <make|V=1> <make|--eval=.NOTPARALLEL:|install>");
}

TEST(CoreSharing, a_replaced_phase_of_a_kind_that_runs_make_has_all_cores_too) {
  Planned replaced{{RunStep{{"sh", "-e", "-c", "make"}}, RunStep{{"make", "install"}}}};
  EXPECT_EQ(Planned{replaced}.with(kNotSaid), "1..0 jobs 1 none: <sh|-e|-c|make> <make|install>");
  replaced.tools.kind_runs_make = true;
  EXPECT_EQ(Planned{replaced}.with(kNotSaid),
            "1..8 jobs 1 pipe: <sh|-e|-c|make> <make|--eval=.NOTPARALLEL:|install>");
  replaced.steps = {RunStep{{"sh", "-e", "-c", "make -j%{jobs}"}}};
  EXPECT_EQ(Planned{replaced}.with(kNotSaid), "1..0 jobs 1 none: <sh|-e|-c|make -j%{jobs}>")
      << "it counts for itself";
}

TEST(CoreSharing, make_may_have_all_cores_unless_the_project_says_otherwise) {
  EXPECT_EQ(Planned{kMake}.with(kNotSaid),
            "1..8 jobs 1 pipe: <make|V=1> <make|--eval=.NOTPARALLEL:|install>");
  EXPECT_EQ(Planned{kMake}.with({1, 1}), "1..0 jobs 1 none: <make|-j%{jobs}|V=1> <make|install>");
  EXPECT_EQ(Planned{kMake}.with(kNotSaid, 1), "1..0 jobs 1 none: <make|-j%{jobs}|V=1> <make|install>");
}

TEST(CoreSharing, no_job_is_planned_with_more_cores_than_there_are) {
  EXPECT_EQ(Planned{kMake}.with({4, 16}, 2),
            "2..0 jobs 2 pipe: <make|V=1> <make|--eval=.NOTPARALLEL:|install>");
  EXPECT_EQ(Planned{kMake}.with({1, 16}, 3),
            "1..3 jobs 1 pipe: <make|V=1> <make|--eval=.NOTPARALLEL:|install>");
}

TEST(CoreSharing, scripts_have_a_jobserver_and_stay_as_they_are) {
  const std::vector<Step> script = {RunStep{{"sh", "-e", "-c", "make && make install"}}};
  EXPECT_EQ(Planned{script}.with(kNotSaid), "1..0 jobs 1 none: <sh|-e|-c|make && make install>");
  EXPECT_EQ(Planned{script}.with({1, 4}), "1..4 jobs 1 pipe: <sh|-e|-c|make && make install>");
  EXPECT_EQ(Planned{script}.with({2, 2}), "2..0 jobs 2 pipe: <sh|-e|-c|make && make install>");
}

TEST(CoreSharing, a_script_that_says_the_number_counts_for_itself) {
  const std::vector<Step> script = {RunStep{{"sh", "-e", "-c", "make -j%{jobs}"}}};
  EXPECT_EQ(Planned{script}.with(kNotSaid), "1..0 jobs 1 none: <sh|-e|-c|make -j%{jobs}>");
  EXPECT_EQ(Planned{script}.with({3, 3}), "3..0 jobs 3 none: <sh|-e|-c|make -j%{jobs}>");
  EXPECT_EQ(Planned{script}.with({1, 4}), "1..4 jobs 4 affinity: <sh|-e|-c|make -j%{jobs}>");
  Planned in_environment{kMake, {{"FLAGS", "-j%{jobs}"}}};
  EXPECT_EQ(in_environment.with({2, 2}), "2..0 jobs 2 none: <make|-j%{jobs}|V=1> <make|install>");
}

TEST(CoreSharing, ninja_counts_for_itself_until_it_knows_jobservers) {
  EXPECT_EQ(Planned{kNinja}.with(kNotSaid), "1..0 jobs 1 none: <ninja|-C|t|-j|%{jobs}>");
  EXPECT_EQ(Planned{kNinja}.with({1, 4}), "1..4 jobs 4 affinity: <ninja|-C|t|-j|%{jobs}>");
  EXPECT_EQ((Planned{kNinja, {}, {"", "1.13.1"}}.with({1, 4})), "1..4 jobs 1 fifo: <ninja|-C|t>");
  EXPECT_EQ((Planned{kNinja, {}, {"", ""}}.with({2, 2})), "2..0 jobs 2 none: <ninja|-C|t|-j|%{jobs}>");
}

TEST(CoreSharing, no_make_that_would_end_at_the_sight_of_a_fifo_gets_one) {
  std::vector<Step> both = kNinja;
  both.push_back(RunStep{{"make", "-j%{jobs}"}});
  EXPECT_EQ((Planned{both, {}, {"GNU Make 4.3", "1.13.0"}}.with({1, 4})),
            "1..4 jobs 4 affinity: <ninja|-C|t|-j|%{jobs}> <make|-j%{jobs}>");
  EXPECT_EQ((Planned{both, {}, {"GNU Make 4.4.1", "1.13.0"}}.with({1, 4})),
            "1..4 jobs 1 fifo: <ninja|-C|t> <make>");
}

TEST(CoreSharing, cmake_for_make_is_make) {
  const auto cmake = [](const std::string& generator) -> std::vector<Step> {
    return {RunStep{{"cmake", "-S", ".", "-B", "t", "-G", "Unix Makefiles", "-G", generator}},
            RunStep{{"cmake", "--build", "t", "--parallel", "%{jobs}"}},
            RunStep{{"cmake", "--install", "t"}}};
  };
  EXPECT_EQ(Planned{cmake("Unix Makefiles")}.with({1, 4}),
            "1..4 jobs 1 pipe: <cmake|-S|.|-B|t|-G|Unix Makefiles|-G|Unix Makefiles> <cmake|--build|t> "
            "<cmake|--install|t>");
  EXPECT_EQ(Planned{cmake("Ninja")}.with({2, 2}),
            "2..0 jobs 2 none: <cmake|-S|.|-B|t|-G|Unix Makefiles|-G|Ninja> "
            "<cmake|--build|t|--parallel|%{jobs}> <cmake|--install|t>");
}

}  // namespace
}  // namespace weir
