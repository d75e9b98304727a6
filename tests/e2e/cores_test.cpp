// Real makes that share the cores of a run, and a weir that shares those of a make. Compilers are small
// scripts that write down when they begin and end; how many ran at once is counted from that. The times say
// nothing of how fast anything was.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/e2e/run_facts.h"
#include "tests/support/program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

const std::string kCoresHead = "weir = 1\n[project]\nname = \"cores\"\n";

// Some work: a few milliseconds of counting.
const std::string kCompiler = R"sh(#!/bin/sh
echo "+ $(date +%s%N)" >> "$1"
i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done
echo "- $(date +%s%N)" >> "$1"
)sh";

std::string makefile(int units) {
  std::string text = "UNITS =";
  for (int i = 0; i < units; ++i) text += " u" + std::to_string(i);
  return text +
         "\nall: $(UNITS)\n$(UNITS):\n\t@./cc times\ninstall:\n\tmkdir -p $(DESTDIR)$(PREFIX)\n\tcp times "
         "$(DESTDIR)$(PREFIX)/times\n";
}

// Half of the units, two commands that wait for each other, and the other half: it does not end with one
// core.
std::string makefile_for_two_cores(int units) {
  std::string first = "FIRST =", second = "SECOND =";
  for (int i = 0; i < units; ++i) (i % 2 ? second : first) += " u" + std::to_string(i);
  return first + "\n" + second +
         "\nall: $(SECOND)\n$(FIRST) $(SECOND):\n\t@./cc times\n$(SECOND): one other\n"
         "one: meet\n\techo x > meet\nother: meet\n\tread x < meet\nmeet: $(FIRST)\n\tmkfifo meet\n"
         "install:\n\tmkdir -p $(DESTDIR)$(PREFIX)\n\tcp times $(DESTDIR)$(PREFIX)/times\n";
}

void add_compiler(TempProject& project, const std::string& folder) {
  project.file(folder + "/cc", kCompiler);
  fs::permissions(project.path() + "/" + folder + "/cc",
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
}

void add_element(TempProject& project, const std::string& name, int units) {
  project.file(name + "/Makefile", "# " + name + ": equal sources would be one artifact\n" + makefile(units));
  add_compiler(project, name);
}

struct Moment {
  std::int64_t when;
  int change;
  bool operator<(const Moment& other) const {
    return std::pair(when, change) < std::pair(other.when, other.change);
  }
};

void read_times(const std::string& path, std::vector<Moment>& moments) {
  std::istringstream lines(content(path));
  std::string sign;
  for (std::int64_t when; lines >> sign >> when;) moments.push_back({when, sign == "+" ? 1 : -1});
}

int most_at_once(std::vector<Moment> moments) {
  std::sort(moments.begin(), moments.end());
  int running = 0, most = 0;
  for (const auto& moment : moments) most = std::max(most, running += moment.change);
  EXPECT_EQ(running, 0) << "not all have ended";
  return most;
}

std::vector<Moment> times_of(const TempProject& project, const std::vector<std::string>& elements,
                             const std::vector<std::string>& options) {
  std::vector<Moment> moments;
  for (const auto& element : elements) {
    const auto out = project.path() + "/out-" + element;
    std::vector<std::string> words = {"checkout", element, out};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(weir(project, words).exit, 0);
    read_times(out + "/times", moments);
  }
  return moments;
}

std::uint64_t most_cores(const Finished& finished) {
  std::uint64_t most = 0;
  for (const auto& line : lines_of(finished.out))
    if (field(line, "ev") == "job.cores")
      most = std::max<std::uint64_t>(most,
                                     std::strtoull(line.c_str() + line.find("\"cores\":") + 8, nullptr, 10));
  return most;
}

class Cores : public testing::TestWithParam<std::string> {
 protected:
  std::vector<std::string> sandbox() const { return {"--sandbox", GetParam()}; }
  std::vector<std::string> with(std::vector<std::string> words) const {
    words.push_back("--sandbox");
    words.push_back(GetParam());
    return words;
  }
};

TEST_P(Cores, four_makes_never_run_more_compilers_than_there_are_cores) {
  TempProject project;
  std::string text = kCoresHead;
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  for (const auto& name : names) {
    add_element(project, name, 15);
    text += "[element." + name + "]\nkind = \"make\"\nsource = [{kind = \"local\", path = \"" + name +
            "\"}]\ncpu = \"1..2\"\n";
  }
  project.file("a/Makefile", makefile_for_two_cores(40));  // so it is the last, and grows
  project.file("weir.toml", text);
  const auto run = build(project, with({"-j2"}));
  ASSERT_EQ(run.finished.exit, 0) << run.finished.out << run.finished.err;
  EXPECT_EQ(run.built, "a b c d");
  const auto moments = times_of(project, names, sandbox());
  EXPECT_EQ(moments.size(), 2u * (40 + 3 * 15));
  EXPECT_LE(most_at_once(moments), 2);
  EXPECT_EQ(most_cores(run.finished), 2u) << "that one had both";
}

// Each waits for the other: with one core they would wait for ever.
TEST_P(Cores, a_make_alone_has_all_cores_without_being_told) {
  TempProject project;
  project.file("weir.toml",
               kCoresHead + "[element.e]\nkind = \"make\"\nsource = [{kind = \"local\", path = \"e\"}]\n");
  project.file(
      "e/Makefile",
      "all: a b\na: meet\n\techo x > meet\nb: meet\n\tread x < meet\nmeet:\n\tmkfifo meet\ninstall:\n");
  const auto run = build(project, with({"-j2"}));
  EXPECT_EQ(run.finished.exit, 0) << run.finished.out;
  EXPECT_EQ(most_cores(run.finished), 2u);
}

// A make that runs makes, in a script.
TEST_P(Cores, a_script_shares_its_cores_with_makes_below_makes) {
  TempProject project;
  project.file("weir.toml", kCoresHead + R"([element.e]
kind = "script"
cpu = 2
source = [{kind = "local", path = "e"}]
config.commands = ["make", "cp times $WEIR_OUT/"]
)");
  project.file("e/Makefile", "all: x y z\nx y z:\n\t$(MAKE) -f units.mk\n.PHONY: x y z\n");
  project.file("e/units.mk", makefile(6) + ".PHONY: $(UNITS)\n");
  add_compiler(project, "e");
  const auto run = build(project, with({"-j4"}));
  ASSERT_EQ(run.finished.exit, 0) << run.finished.out;
  const auto moments = times_of(project, {"e"}, sandbox());
  EXPECT_EQ(moments.size(), 2u * 18);
  EXPECT_LE(most_at_once(moments), 2);
}

TEST_P(Cores, how_many_cores_there_are_is_no_part_of_a_key) {
  TempProject project;
  const auto element = [&](const std::string& more) {
    project.file(
        "weir.toml",
        kCoresHead + "[element.e]\nkind = \"make\"\nsource = [{kind = \"local\", path = \"e\"}]\n" + more);
  };
  add_element(project, "e", 2);
  element("");
  const auto key = shown(project, "e", "key", sandbox());
  EXPECT_EQ(key.size(), 64u) << key;
  for (const auto* more : {"cpu = 1\n", "cpu = 2\n", "cpu = \"1..2\"\n"}) {
    element(more);
    EXPECT_EQ(shown(project, "e", "key", sandbox()), key) << more;
  }
  ASSERT_EQ(build(project, with({"-j1"})).finished.exit, 0);
  EXPECT_EQ(build(project, with({"-j4"})).built, "");
}

INSTANTIATE_TEST_SUITE_P(, Cores, testing::Values("host", "none"),
                         [](const auto& root) { return root.param; });

// weir among the commands of a make, with compilers of that make beside it.
class UnderMake : public testing::Test {
 protected:
  UnderMake() {
    std::string text = kCoresHead;
    for (const auto* name : {"a", "b", "c", "d"}) {
      add_element(project, name, 15);
      text += std::string("[element.") + name + "]\nkind = \"make\"\nsource = [{kind = \"local\", path = \"" +
              name + "\"}]\n";
    }
    project.file("weir.toml", text);
    add_compiler(project, "outer");
  }
  // `weir`: the line that runs it.
  void outer(const std::string& line) {
    std::string text = "UNITS =";
    for (int i = 0; i < 30; ++i) text += " u" + std::to_string(i);
    text +=
        "\nall: weir $(UNITS)\n$(UNITS):\n\t@./cc times\nweir:\n\t" + line + "\n.PHONY: all weir $(UNITS)\n";
    project.file("outer/Makefile", text);
  }
  std::string weir_line(const std::string& more = {}) const {
    return std::string(WEIR_BINARY) + " -C " + project.path() + " -q build -j4 --sandbox none " + more;
  }
  int make(const std::vector<std::string>& words) {
    std::vector<std::string> argv = {"/usr/bin/env", "-C", project.path() + "/outer", "make"},
                             environment = {"PATH=/usr/bin:/bin", "HOME=" + project.path(),
                                            "WEIR_CACHE_DIR=" + project.cache()};
    argv.insert(argv.end(), words.begin(), words.end());
    Program program(argv, environment);
    const int exit = program.wait();
    said = program.text();
    return exit;
  }
  TempProject project;
  std::string said;
};

TEST_F(UnderMake, both_together_run_no_more_compilers_than_that_make_may) {
  outer("+" + weir_line());
  ASSERT_EQ(make({"-j3"}), 0) << said;
  EXPECT_EQ(said.find("INTERNAL"), std::string::npos) << said;  // make counts its tokens at its end
  auto moments = times_of(project, {"a", "b", "c", "d"}, {"--sandbox", "none"});
  EXPECT_EQ(moments.size(), 2u * 60);
  read_times(project.path() + "/outer/times", moments);
  EXPECT_EQ(moments.size(), 2u * 90);
  EXPECT_LE(most_at_once(moments), 3);
}

TEST_F(UnderMake, all_tokens_come_back_from_a_run_that_fails) {
  project.file("b/Makefile", "all:\n\texit 1\ninstall:\n");
  outer("+" + weir_line());
  EXPECT_EQ(make({"-j3", "-k"}), 2) << said;
  EXPECT_EQ(said.find("INTERNAL"), std::string::npos) << said;
}

TEST_F(UnderMake, all_tokens_come_back_from_a_run_that_is_stopped) {
  for (const auto* signal : {"INT", "TERM"}) {
    // Stops weir as soon as a job of it runs, and tells what became of it.
    const auto begun = project.path() + "/begun";
    fs::remove(begun);
    ASSERT_EQ(::mkfifo(begun.c_str(), 0600), 0);
    project.file("a/Makefile", "all:\n\techo > " + begun + "; sleep 1000\ninstall:\n");
    outer("+{ " + weir_line() + " & read x < " + begun + "; kill -" + signal +
          " $$!; wait $$!; echo weir ended with $$?; }");
    EXPECT_EQ(make({"-j3"}), 0) << said;
    EXPECT_NE(said.find(std::string("weir ended with ") + (signal == std::string("INT") ? "130" : "143")),
              std::string::npos)
        << said;
    EXPECT_EQ(said.find("INTERNAL"), std::string::npos) << said;
  }
}

TEST_F(UnderMake, a_jobserver_that_make_keeps_to_itself_is_a_warning) {
  outer(weir_line("2>&1"));
  ASSERT_EQ(make({"-j3"}), 0) << said;
  EXPECT_NE(said.find("the jobserver of make cannot be used"), std::string::npos) << said;
  EXPECT_NE(said.find("put a + before the command"), std::string::npos) << said;
}

}  // namespace
}  // namespace weir::test
