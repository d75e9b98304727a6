// Jobs that together need more memory than there is.
#include <functional>

#include "tests/e2e/run_facts.h"
#include "tests/support/memory_cgroup.h"

namespace weir::test {
namespace {

constexpr std::uint64_t kMebibyte = 1024 * 1024;
constexpr std::uint64_t kLimit = 384 * kMebibyte;
constexpr std::uint64_t kThird = 110 * kMebibyte;  // with perl itself a third of it, or nearly so

// Takes the memory and keeps it until there is that file, if one is named.
std::string hog(const std::string& name, std::uint64_t bytes, const std::string& file = "/") {
  return "[element." + name +
         "]\nkind = \"script\"\nconfig.commands = ['perl -e \"my \\$x = chr(97) x shift; my \\$file = shift; "
         "select undef, undef, undef, 0.01 until -e \\$file\" " +
         std::to_string(bytes) + " " + file + "']\n";
}

TempProject& eight(TempProject& project, const std::string& file) {
  std::string text = "weir = 1\n[project]\nname = \"t\"\n[retry]\ndelay = \"100ms\"\n";
  for (int i = 0; i < 8; ++i) text += hog("job" + std::to_string(i), kThird, file);
  return project.file("weir.toml", text);
}

struct Run {
  RunFacts facts;
  std::uint64_t kills = 0;  // by the kernel
  std::size_t most_at_once = 0;
  std::uint64_t least_asked = ~std::uint64_t{0};  // of memory, by any job
};

std::uint64_t memory_asked(const std::string& line) {
  const auto at = line.find("\"memory\":");
  return at == line.npos ? 0 : std::strtoull(line.c_str() + at + 9, nullptr, 10);
}

Run run_in(
    const MemoryCgroup& cgroup, const TempProject& project, const std::vector<std::string>& more,
    const std::function<void()>& meanwhile = [] {}) {
  Run run;
  const auto before = cgroup.kills();
  std::vector<std::string> words = {"-q", "build", "--events", "-"};
  words.insert(words.end(), more.begin(), more.end());
  EXPECT_TRUE(cgroup.enter());
  WeirProcess process(project, std::move(words));
  EXPECT_TRUE(cgroup.leave());
  meanwhile();
  run.facts = facts_of(process.wait());
  run.kills = cgroup.kills() - before;
  std::size_t running = 0;
  for (const auto& line : lines_of(run.facts.finished.out)) {
    if (field(line, "ev") == "job.start") {
      run.most_at_once = std::max(run.most_at_once, ++running);
      run.least_asked = std::min(run.least_asked, memory_asked(line));
    }
    if (field(line, "ev") == "job.end") --running;
  }
  return run;
}

std::optional<MemoryCgroup> small_machine() { return MemoryCgroup::make(kLimit); }

TEST(Memory, eight_jobs_of_a_third_each_are_not_killed_on_the_second_run) {
  const auto cgroup = small_machine();
  if (!cgroup)
    GTEST_SKIP()
        << "no cgroup with a limit of memory can be made here (needs root, and the controller of v1 or v2)";
  TempProject project;
  eight(project, project.path() + "/go");
  // Nobody knows anything: four at once are too many. Who is killed runs again, alone; the others keep their
  // memory until then.
  const auto first = run_in(*cgroup, project, {"-j", "4", "--sandbox", "none"}, [&] {
    EXPECT_TRUE(eventually([&] { return cgroup->kills() > 0; })) << "then this test says nothing";
    project.file("go", "");
  });
  EXPECT_EQ(first.facts.finished.exit, 0) << first.facts.finished.out;
  EXPECT_EQ(first.least_asked, 0U);

  const auto second = run_in(*cgroup, project, {"-j", "4", "--sandbox", "none", "--force"});
  EXPECT_EQ(second.facts.finished.exit, 0) << second.facts.finished.out;
  EXPECT_EQ(second.kills, 0U);
  EXPECT_EQ(second.facts.failed, "");
  EXPECT_EQ(second.most_at_once, 2U);
  EXPECT_GE(second.least_asked, kThird);
}

// A shell makes exit code 137 of a child that was killed, make 2; both are what they are.
TEST(Memory, a_kill_behind_a_shell_is_known_as_such_and_the_job_runs_again_once) {
  const auto cgroup = small_machine();
  if (!cgroup)
    GTEST_SKIP()
        << "no cgroup with a limit of memory can be made here (needs root, and the controller of v1 or v2)";
  TempProject project;
  const auto whole = hog("huge", 2 * kLimit);
  project.file("weir.toml", "weir = 1\n[project]\nname = \"t\"\n[retry]\ndelay = \"10ms\"\n" +
                                whole.substr(0, whole.rfind("']")) + " || exit 2']\n");
  const auto run = run_in(*cgroup, project, {"--sandbox", "none"});
  EXPECT_EQ(run.facts.finished.exit, 5) << run.facts.finished.out;
  EXPECT_EQ(run.facts.failed, "huge huge");
  EXPECT_NE(run.facts.finished.out.find("\"failure\":\"oom\""), std::string::npos) << run.facts.finished.out;
}

// What a project says stays an error, what was learnt never is.
TEST(Memory, a_job_that_needs_more_than_there_is_runs_if_nobody_said_so) {
  TempProject project;
  project.file("weir.toml", "weir = 1\n[project]\nname = \"t\"\n[resources]\nmemory = \"32M\"\n" +
                                hog("big", 60 * kMebibyte));
  EXPECT_EQ(build(project, {"--sandbox", "none"}).finished.exit, 0);
  const auto again = build(project, {"--sandbox", "none", "--force"});
  EXPECT_EQ(again.finished.exit, 0) << again.finished.err;
  EXPECT_NE(again.finished.out.find("\"memory\":" + std::to_string(32 * kMebibyte)), std::string::npos)
      << again.finished.out;
  project.file("weir.toml", "weir = 1\n[project]\nname = \"t\"\n[resources]\nmemory = \"32M\"\n" +
                                hog("big", 60 * kMebibyte) + "memory = \"60M\"\n");
  const auto said = build(project, {"--sandbox", "none"});
  EXPECT_EQ(said.finished.exit, 2);
  EXPECT_NE(said.finished.err.find("of memory"), std::string::npos) << said.finished.err;
}

}  // namespace
}  // namespace weir::test
