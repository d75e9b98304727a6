// A build after a build: what has not changed is neither loaded nor looked up, and nobody can tell but by the
// clock and one event.
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/e2e/project_texts.h"
#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

// base <- left, right <- top; one that nobody needs; a name for some of them.
constexpr auto kSnapshotDiamond = R"(weir = 1
[project]
name = "diamond"
[element.base]
kind = "script"
source = [{kind = "local", path = "base"}]
config.commands = ["grep -v '^#' text > $WEIR_OUT/base"]
[element.left]
kind = "script"
depends = ["base"]
source = [{kind = "local", path = "left"}]
config.commands = ["cat /weir/base * > $WEIR_OUT/left"]
[element.right]
kind = "script"
build-depends = ["base"]
config.commands = ["cat /weir/base > $WEIR_OUT/right"]
[element.top]
kind = "script"
depends = ["left", "right"]
config.commands = ["cat /weir/left /weir/right > $WEIR_OUT/top"]
[element.alone]
kind = "script"
source = [{kind = "local", path = "alone.txt"}]
config.commands = ["cp alone.txt $WEIR_OUT/alone"]
[element.all]
kind = "stack"
depends = ["top", "alone"]
)";

struct Facts {
  int exit = -1;
  std::string err;
  std::string built;      // in order of names
  std::string unchanged;  // the event, if there is one
  std::string end;
  std::vector<std::string> events;  // their names
};

// Of the newest run, from what is always kept of it: --events would have every element looked at.
Facts facts_of_newest(const TempProject& project, const Finished& finished) {
  fs::path newest;
  std::uint64_t highest = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::directory_iterator(project.cache() + "/projects")->path() / "runs"))
    if (const auto number = std::stoull(entry.path().filename().string()); number > highest) {
      highest = number;
      newest = entry.path();
    }
  auto kept = finished;
  kept.out = content(newest / "events.jsonl");
  Facts facts{finished.exit, finished.err, facts_of(kept).built, {}, {}, {}};
  for (const auto& line : lines_of(kept.out)) {
    facts.events.push_back(field(line, "ev"));
    if (facts.events.back() == "run.unchanged") facts.unchanged = line;
    if (facts.events.back() == "run.end") facts.end = line;
  }
  return facts;
}

class AfterABuild : public ::testing::Test {
 protected:
  AfterABuild() {
    project_.file("weir.toml", kSnapshotDiamond)
        .file("base/text", "base\n")
        .file("left/text", "left\n")
        .file("alone.txt", "alone\n");
  }
  Facts run(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"-q", "build"});
    return facts_of_newest(project_, weir(project_, std::move(more)));
  }
  std::vector<fs::path> snapshots() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(project_.cache() + "/snapshots"))
      all.push_back(entry.path());
    return all;
  }
  fs::path snapshot() const {
    for (const auto& path : snapshots())
      if (!path.has_extension()) return path;
    return {};
  }
  std::string output(const std::string& element) {
    const auto folder = project_.path() + "/../out-" + fs::path(project_.path()).filename().string();
    fs::remove_all(folder);
    EXPECT_EQ(weir(project_, {"checkout", element, folder}).exit, 0);
    auto text = content(folder + "/" + element);
    fs::remove_all(folder);
    return text;
  }
  TempProject project_;
};

using Events = std::vector<std::string>;
const Events kNothing = {"run.start", "run.plan", "run.unchanged", "run.end"};
#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(AfterABuild, nothing_is_done_and_one_event_says_so_of_all_elements) {
  const auto first = run();
  EXPECT_EQ(first.built, "all alone base left right top") << first.err;
  EXPECT_EQ(first.unchanged, "");
  const auto second = run();
  EXPECT_EQ(second.exit, 0) << second.err;
  EXPECT_EQ(second.events, kNothing);
  EXPECT_HAS(second.unchanged, R"("elements":6,"cached":6)");
  EXPECT_HAS(second.end, R"("built":0,"cached":6)");
  EXPECT_EQ(run().events, kNothing);
}

TEST_F(AfterABuild, the_counts_are_those_of_a_run_that_looks_at_everything) {
  run();
  const auto quick = run();
  const auto all = build(project_);
  for (const auto& line : lines_of(all.finished.out))
    if (field(line, "ev") == "run.end") {
      for (const std::string name : {"\"built\":", "\"cached\":", "\"skipped\":"}) {
        const auto at = line.find(name);
        EXPECT_HAS(quick.end, line.substr(at, line.find(',', at) - at));
      }
    }
}

TEST_F(AfterABuild, exactly_what_a_change_reaches_is_built_and_a_revert_builds_nothing) {
  run();
  project_.file("left/text", "changed\n");
  const auto changed = run();
  EXPECT_EQ(changed.built, "left top");
  EXPECT_HAS(changed.unchanged, R"("elements":)");
  EXPECT_EQ(output("top"), "base\nchanged\nbase\n");
  EXPECT_EQ(run().events, kNothing);
  project_.file("left/text", "left\n");
  EXPECT_EQ(run().built, "");
  EXPECT_EQ(output("top"), "base\nleft\nbase\n");
  EXPECT_EQ(run().events, kNothing);
  project_.file("base/text", "other\n");
  EXPECT_EQ(run().built, "base left right top");
  EXPECT_EQ(output("top"), "other\nleft\nother\n");
}

TEST_F(AfterABuild, a_change_that_leaves_the_output_the_same_ends_there) {
  run();
  project_.file("base/text", "# a remark\nbase\n");
  EXPECT_EQ(run().built, "base");
  EXPECT_EQ(run().events, kNothing);
}

TEST_F(AfterABuild, a_file_that_is_only_touched_is_no_change) {
  run();
  fs::last_write_time(project_.path() + "/base/text", fs::file_time_type::clock::now());
  project_.file("weir.toml", kSnapshotDiamond);
  EXPECT_EQ(run().events, kNothing);
}

TEST_F(AfterABuild, files_that_come_and_go_in_a_source_are_seen) {
  run();
  project_.file("left/more", "more\n");
  EXPECT_EQ(run().built, "left top");
  EXPECT_EQ(output("left"), "base\nmore\nleft\n");
  EXPECT_EQ(run().built, "");
  project_.file("left/deep/inner/file", "deep\n");
  fs::remove(project_.path() + "/left/more");
  EXPECT_EQ(run().exit, 1);  // cat of a folder fails
  fs::remove_all(project_.path() + "/left/deep");
  EXPECT_EQ(run().built, "");
  EXPECT_EQ(output("left"), "base\nleft\n");
  EXPECT_EQ(run().events, kNothing);
}

TEST_F(AfterABuild, the_executable_bit_is_part_of_a_file) {
  run();
  fs::permissions(project_.path() + "/alone.txt", fs::perms::owner_exec, fs::perm_options::add);
  EXPECT_EQ(run().built, "alone");
}

TEST_F(AfterABuild, what_failed_is_tried_when_it_was_mended_and_not_before) {
  run();
  project_.file("base/text", "# nothing is left\n");
  const auto failed = run();
  EXPECT_EQ(failed.exit, 1);
  EXPECT_EQ(failed.built, "base");
  const auto again = run();
  EXPECT_EQ(again.exit, 1);
  EXPECT_EQ(again.built, "");  // it is remembered
  project_.file("base/text", "mended\n");
  const auto mended = run();
  EXPECT_EQ(mended.exit, 0) << mended.err;
  EXPECT_EQ(mended.built, "base left right top");
  EXPECT_EQ(run().events, kNothing);
}

TEST_F(AfterABuild, what_failed_without_a_source_that_could_change_is_still_missing) {
  project_.file("weir.toml",
                "weir = 1\n[project]\nname = \"bad\"\n[element.bad]\nkind = \"script\"\nconfig.commands = "
                "[\"false\"]\n");
  EXPECT_EQ(run().exit, 1);
  const auto again = run();
  EXPECT_EQ(again.exit, 1);
  EXPECT_EQ(again.built, "");
  EXPECT_EQ(weir(project_, {"build", "--check"}).exit, 3);
}

TEST_F(AfterABuild, a_source_that_is_gone_is_an_error_with_its_place) {
  run();
  fs::remove(project_.path() + "/alone.txt");
  const auto gone = weir(project_, {"build"});
  EXPECT_EQ(gone.exit, 2);
  EXPECT_HAS(gone.err, "weir.toml:");
  EXPECT_HAS(gone.err, "alone.txt");
}

TEST_F(AfterABuild, what_was_removed_from_the_store_is_built_again) {
  run();
  const auto forget = [&](const std::string& element) {
    ASSERT_EQ(weir(project_, {"cache", "rm", shown(project_, element, "key")}).exit, 0) << element;
  };
  forget("alone");
  EXPECT_EQ(run().built, "alone");
  EXPECT_EQ(run().events, kNothing);
  for (const auto& entry : fs::directory_iterator(project_.cache() + "/store/records"))
    fs::remove(entry.path());
  ASSERT_EQ(weir(project_, {"cache", "gc"}).exit, 0);
  EXPECT_EQ(run().built, "all alone base left right top");
  fs::remove_all(project_.cache() + "/store");
  EXPECT_EQ(run().built, "all alone base left right top");
}

TEST_F(AfterABuild, a_checkout_that_misses_a_record_has_the_next_build_look_for_it) {
  run();
  for (const auto& entry : fs::directory_iterator(project_.cache() + "/store/records"))
    fs::remove(entry.path());
  EXPECT_EQ(run().events, kNothing) << "records that vanish by themselves are not looked for";
  const auto missed = weir(project_, {"checkout", "alone", project_.path() + "/out"});
  EXPECT_EQ(missed.exit, 2) << missed.err;
  EXPECT_HAS(missed.err, "alone is not built");
  EXPECT_EQ(run().built, "all alone base left right top");
  EXPECT_EQ(output("alone"), "alone\n");
}

TEST_F(AfterABuild, what_another_process_removes_during_a_build_is_built_by_the_next) {
  const auto go = project_.path() + "/go";
  project_.file("weir.toml",
                std::string(kSnapshotDiamond) + "[sandbox]\nroot = \"none\"\n" +
                    script("slow", "until test -e " + go + "; do sleep 0.01; done; touch $WEIR_OUT/slow"));
  EXPECT_EQ(run({"alone"}).built, "alone");
  WeirProcess build(project_, {"build", "slow", "alone", "--events", "-"});
  ASSERT_NE(build.wait_for_line("job.start"), "");
  ASSERT_EQ(weir(project_, {"cache", "rm", shown(project_, "alone", "key")}).exit, 0);
  project_.file("go", "");
  ASSERT_EQ(build.wait().exit, 0);
  EXPECT_EQ(run({"slow", "alone"}).built, "alone");
}

TEST_F(AfterABuild, another_question_has_another_answer) {
  run();
  EXPECT_EQ(run({"--sandbox", "none"}).built.find("alone") != std::string::npos, true);
  EXPECT_EQ(run({"left"}).built, "");
  EXPECT_EQ(run({"left"}).events, kNothing);
  const auto all = run();
  EXPECT_EQ(all.built, "");
  EXPECT_EQ(run().events, kNothing);
}

TEST_F(AfterABuild, a_project_that_says_something_else_is_looked_at_as_a_whole) {
  run();
  auto text = std::string(kSnapshotDiamond);
  project_.file("weir.toml", text + "[env]\nGREETING = \"hello\"\n");
  EXPECT_EQ(run().built, "alone base left right top");
  EXPECT_EQ(run().events, kNothing);
  project_.file(
      "weir.toml",
      text + "[element.new]\nkind = \"script\"\nconfig.commands = [\"echo new > $WEIR_OUT/new\"]\n");
  EXPECT_EQ(run().built, "new");
  project_.file("weir.toml", text + "nonsense");
  EXPECT_EQ(weir(project_, {"build"}).exit, 2);
  EXPECT_EQ(weir(project_, {"build"}).exit, 2);
  project_.file("weir.toml", text);
  EXPECT_EQ(run().built, "");
}

TEST_F(AfterABuild, element_files_that_come_change_and_go_are_seen) {
  const auto element = [](const std::string& word) {
    return "kind = \"script\"\nconfig.commands = [\"echo " + word + " > $WEIR_OUT/word\"]\n";
  };
  project_.file("elements/one.toml", element("one")).file("elements/deep/two.toml", element("two"));
  run();
  EXPECT_EQ(run().events, kNothing);
  project_.file("elements/one.toml", element("other"));
  EXPECT_EQ(run().built, "one");
  EXPECT_EQ(run().events, kNothing);
  project_.file("elements/deep/three.toml", element("three"));
  EXPECT_EQ(run().built, "deep/three");
  fs::remove(project_.path() + "/elements/one.toml");
  const auto fewer = run();
  EXPECT_EQ(fewer.built, "");
  EXPECT_EQ(run().events, kNothing);
  project_.file("elements/deep/two.toml", "kind = \"script\"\ndepends = [\"nobody\"]\n");
  EXPECT_EQ(weir(project_, {"build"}).exit, 2);
}

TEST_F(AfterABuild, a_file_that_is_saved_by_rename_is_no_new_element) {
  project_.file("elements/one.toml",
                "kind = \"script\"\nconfig.commands = [\"echo one > $WEIR_OUT/word\"]\n");
  run();
  fs::copy_file(project_.path() + "/elements/one.toml", project_.path() + "/elements/.one.toml.new");
  fs::rename(project_.path() + "/elements/.one.toml.new", project_.path() + "/elements/one.toml");
  EXPECT_EQ(run().events, kNothing);
}

// Flipped bits, cuts and what another program wrote: noticed, never believed, and never told.
TEST_F(AfterABuild, a_damaged_snapshot_is_as_good_as_none) {
  run();
  project_.file("left/text", "changed\n");
  run();  // so that there are patches
  const auto whole = content(snapshot());
  const auto patches = content(snapshot().string() + ".delta");
  ASSERT_FALSE(whole.empty());
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    auto bytes = whole, beside = patches;
    auto& hit = i % 4 == 3 && !beside.empty() ? beside : bytes;
    if (i % 5 == 4) hit.resize(random() % hit.size());
    else hit[random() % hit.size()] ^= static_cast<char>(1 << random() % 8);
    std::ofstream(snapshot(), std::ios::binary) << bytes;
    std::ofstream(snapshot().string() + ".delta", std::ios::binary) << beside;
    const auto after = run();
    ASSERT_EQ(after.exit, 0) << "byte flip " << i << ": " << after.err;
    ASSERT_EQ(after.err, "");
    ASSERT_EQ(after.built, "") << i;
  }
  std::ofstream(snapshot(), std::ios::binary) << "not a snapshot at all";
  EXPECT_EQ(run().built, "");
  EXPECT_EQ(run().events, kNothing);
}

TEST_F(AfterABuild, check_and_dry_run_say_the_same_with_it) {
  EXPECT_EQ(weir(project_, {"build", "--check"}).exit, 3);
  run();
  EXPECT_EQ(weir(project_, {"build", "--check"}).exit, 0);
  EXPECT_EQ(weir(project_, {"build", "--dry-run"}).out, "");
  EXPECT_EQ(weir(project_, {"build", "--dry-run", "--json"}).out,
            "{\"v\":1,\"project\":\"diamond\",\"outstanding\":[]}\n");
  project_.file("left/text", "changed\n");
  EXPECT_EQ(weir(project_, {"build", "--check"}).exit, 3);
  EXPECT_EQ(weir(project_, {"build", "--dry-run"}).out, "left\ntop\n");
}

TEST_F(AfterABuild, only_so_many_sets_of_targets_are_remembered) {
  run();
  for (const auto* target : {"base", "left", "right", "top", "alone", "all"}) run({target});
  EXPECT_LE(snapshots().size(), 8u);  // four, with patches beside them
}

TEST_F(AfterABuild, a_run_of_a_part_can_be_asked_for_what_is_in_it) {
  run();
  EXPECT_EQ(weir(project_, {"why", "left"}).exit, 0);
  project_.file("left/text", "changed\n");
  run();
  EXPECT_HAS(weir(project_, {"why", "left"}).out, "text: changed from");
}

// Random projects and random edits: what is built with a snapshot is what is built without one, and so is
// what comes out.
TEST(RandomEdits, are_built_alike_with_and_without_a_snapshot) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  TempProject with, without;
  constexpr std::size_t kElements = 14;
  std::vector<std::string> words(kElements, "0");
  std::vector<std::string> needs(kElements), commands(kElements, "");
  const auto write = [&](TempProject& project) {
    std::string text = "weir = 1\n[project]\nname = \"random\"\n";
    for (std::size_t i = 0; i < kElements; ++i) {
      const auto name = "e" + std::to_string(i);
      text += "[element." + name + "]\nkind = \"script\"\n" + needs[i] +
              "source = [{kind = \"local\", path = \"src/" + name + "\"}]\n" +
              "config.commands = [\"cat word | cut -c1 > $WEIR_OUT/" + name + commands[i] + "\"]\n";
    }
    project.file("weir.toml", text);
    for (std::size_t i = 0; i < kElements; ++i)
      project.file("src/e" + std::to_string(i) + "/word", words[i] + "\n");
  };
  for (std::size_t i = 1; i < kElements; ++i) {
    constexpr const char* kKinds[] = {"depends", "build-depends", "runtime-depends"};
    if (below(4) > 0)
      needs[i] = std::string(kKinds[below(3)]) + " = [\"e" + std::to_string(below(i)) + "\"]\n";
  }
  for (int round = 0; round < 12; ++round) {
    for (auto edits = below(3); edits > 0; --edits) {
      const auto element = below(kElements);
      if (below(6) == 0) commands[element] = commands[element].empty() ? ".x" : "";
      else
        words[element] =
            std::to_string(below(3)) + std::to_string(below(2));  // the second digit does not come out
    }
    write(with);
    write(without);
    const auto quick = facts_of_newest(with, weir(with, {"-q", "build"}));
    const auto whole = build(without);
    ASSERT_EQ(quick.exit, 0) << quick.err;
    ASSERT_EQ(quick.built, whole.built) << "round " << round;
    ASSERT_EQ(weir(with, {"show"}).out, weir(without, {"show"}).out) << "round " << round;
  }
}

}  // namespace
}  // namespace weir::test
