// What is built again and what is not.
#include <filesystem>

#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

// base <- left, right <- top; and one that nobody needs.
constexpr auto kDiamond = R"(weir = 1
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
config.commands = ["cat /weir/base text > $WEIR_OUT/left"]
[element.right]
kind = "script"
depends = ["base"]
config.commands = ["cat /weir/base > $WEIR_OUT/right"]
[element.top]
kind = "script"
depends = ["left", "right"]
config.commands = ["cat /weir/left /weir/right > $WEIR_OUT/top"]
[element.alone]
kind = "script"
config.commands = ["echo alone > $WEIR_OUT/alone"]
)";

class Incremental : public ::testing::Test {
 protected:
  Incremental() { fill(project_); }
  static void fill(TempProject& project) {
    project.file("weir.toml", kDiamond).file("base/text", "base\n").file("left/text", "left\n");
  }
  TempProject project_;
};

TEST_F(Incremental, exactly_what_a_change_reaches_is_built_again_and_a_revert_builds_nothing) {
  ASSERT_EQ(build(project_).built, "alone base left right top");
  EXPECT_EQ(build(project_).built, "");
  project_.file("left/text", "changed\n");
  EXPECT_EQ(build(project_).built, "left top");
  project_.file("left/text", "left\n");
  EXPECT_EQ(build(project_).built, "");
  project_.file("base/text", "other\n");
  EXPECT_EQ(build(project_).built, "base left right top");
  project_.file("base/text", "base\n");
  const auto reverted = build(project_);
  EXPECT_EQ(reverted.built, "");
  EXPECT_EQ(reverted.finished.exit, 0);
}

TEST_F(Incremental, the_start_of_a_build_tells_its_key) {
  const auto run = build(project_, {"base"});
  for (const auto& line : lines_of(run.finished.out)) {
    if (field(line, "ev") == "job.start") {
      EXPECT_EQ(field(line, "key"), shown(project_, "base", "key"));
    }
  }
}

TEST_F(Incremental, a_change_that_leaves_the_output_the_same_builds_one_element_only) {
  build(project_);
  project_.file("base/text", "# a remark\nbase\n");
  EXPECT_EQ(build(project_).built, "base");
  EXPECT_EQ(build(project_).built, "");
  EXPECT_EQ(shown(project_, "top", "state"), "cached");
}

TEST_F(Incremental, touching_a_file_or_the_mode_of_a_folder_builds_nothing) {
  build(project_);
  std::filesystem::last_write_time(project_.path() + "/base/text",
                                   std::filesystem::file_time_type::clock::now());
  std::filesystem::permissions(project_.path() + "/base", std::filesystem::perms::owner_all);
  EXPECT_EQ(build(project_).built, "");
}

TEST_F(Incremental, a_target_that_is_cached_needs_none_of_its_dependencies) {
  build(project_);
  const auto key = shown(project_, "base", "key");
  ASSERT_EQ(key.size(), 64u) << key;
  const auto run = build(project_, {"right"});
  EXPECT_EQ(run.built, "");
  EXPECT_EQ(run.finished.out.find("\"element\":\"alone\""), std::string::npos);
}

TEST_F(Incremental, force_builds_the_targets_again_and_nothing_else) {
  build(project_);
  EXPECT_EQ(build(project_, {"--force", "top"}).built, "top");
  EXPECT_EQ(build(project_).built, "");
}

TEST_F(Incremental, keys_are_the_same_in_another_directory_and_in_another_order_of_elements) {
  TempProject other;
  fill(other);
  std::string reversed = kDiamond;
  const auto alone = reversed.find("[element.alone]");
  const auto base = reversed.find("[element.base]");
  reversed = reversed.substr(0, base) + reversed.substr(alone) + reversed.substr(base, alone - base);
  const auto at = reversed.find(R"(["left", "right"])");
  reversed.replace(at, 17, R"(["right", "left"])");
  other.file("weir.toml", reversed);
  for (const auto* element : {"base", "left", "right", "top", "alone"}) {
    const auto key = shown(project_, element, "key");
    EXPECT_EQ(key.size(), 64u) << key;
    EXPECT_EQ(key, shown(other, element, "key")) << element;
  }
}

TEST_F(Incremental, what_decides_on_the_output_is_in_the_key_and_the_rest_is_not) {
  const auto key_with = [&](const std::string& more, const std::string& global = "") {
    TempProject project;
    project.file("weir.toml",
                 "weir = 1\n" + global + "[project]\nname = \"k\"\n[element.a]\nkind = \"script\"\n" + more);
    return shown(project, "a", "key");
  };
  const std::string commands = "config.commands = [\"make -j%{jobs}\"]\n";
  const auto plain = key_with(commands);
  ASSERT_EQ(plain.size(), 64u) << plain;
  for (const auto* same : {"timeout = \"5m\"\n", "cpu = 2\n", "cpu = \"1..4\"\n", "memory = \"10M\"\n",
                           "description = \"x\"\n", "lane = \"l\"\n", "retry = {oom = 3}\n"})
    EXPECT_EQ(key_with(commands + same), plain) << same;
  EXPECT_NE(key_with("config.commands = [\"make\"]\n"), plain);
  EXPECT_NE(key_with(commands + "env = {CFLAGS = \"-O2\"}\n"), plain);
  EXPECT_NE(key_with(commands + "[variables]\nprefix = \"/opt\"\n"), plain);
  EXPECT_NE(key_with(commands + "[sandbox]\nuid = 1000\n"), plain);
  EXPECT_NE(key_with(commands + "[sandbox]\nroot = \"staged\"\n"), plain);
  EXPECT_NE(key_with(commands + "[sandbox]\nhost-tools = [\"tar\"]\n"), plain);
}

TEST_F(Incremental, check_and_dry_run_say_what_is_left_and_do_nothing) {
  const auto before = weir(project_, {"build", "--check", "top"});
  EXPECT_EQ(before.exit, 3);
  EXPECT_EQ(weir(project_, {"build", "--dry-run", "top"}).out, "base\nleft\nright\ntop\n");
  EXPECT_EQ(weir(project_, {"build", "--dry-run", "top"}).exit, 0);
  EXPECT_EQ(shown(project_, "base", "state"), "buildable");
  EXPECT_EQ(shown(project_, "top", "state"), "waiting");
  build(project_);
  const auto after = weir(project_, {"build", "--check"});
  EXPECT_EQ(after.exit, 0);
  EXPECT_EQ(after.out, "");
}

TEST_F(Incremental, a_failure_is_remembered_until_its_inputs_change_or_somebody_asks) {
  project_.file(
      "weir.toml",
      "weir = 1\n[project]\nname = \"f\"\n[element.a]\nkind = \"script\"\nconfig.commands = [\"exit 3\"]\n");
  const auto first = build(project_);
  EXPECT_EQ(first.finished.exit, 1);
  EXPECT_EQ(first.built, "a");
  EXPECT_EQ(shown(project_, "a", "state"), "failed");
  const auto again = build(project_);
  EXPECT_EQ(again.finished.exit, 1);
  EXPECT_EQ(again.built, "");
  EXPECT_NE(again.finished.err.find("--retry-failed"), std::string::npos) << again.finished.err;
  EXPECT_EQ(build(project_, {"--retry-failed"}).built, "a");
  project_.file(
      "weir.toml",
      "weir = 1\n[project]\nname = \"f\"\n[element.a]\nkind = \"script\"\nconfig.commands = [\"true\"]\n");
  EXPECT_EQ(build(project_).finished.exit, 0);
}

TEST_F(Incremental, two_dependencies_with_different_content_at_one_path_are_named) {
  project_.file("weir.toml", R"(weir = 1
[project]
name = "conflict"
[element.one]
kind = "script"
config.commands = ["echo 1 > $WEIR_OUT/same"]
[element.two]
kind = "script"
config.commands = ["echo 2 > $WEIR_OUT/same"]
[element.user]
kind = "script"
depends = ["one", "two"]
config.commands = ["true"]
)");
  const auto run = build(project_);
  EXPECT_EQ(run.finished.exit, 1);
  EXPECT_EQ(run.failed, "user");
  const auto& events = run.finished.out;
  const auto at = events.find("weir/same comes from both one and two");
  EXPECT_NE(at, std::string::npos) << events;
  EXPECT_EQ(events.find("\"ev\":\"job.process\"", at), std::string::npos) << "no command of user ran";
  const auto& said = weir(project_, {"build", "--retry-failed"}).err;
  EXPECT_EQ(said.find("a command failed"), std::string::npos) << said;
  EXPECT_NE(said.find("the dependencies overlap: weir/same"), std::string::npos) << said;
  EXPECT_NE(said.find("`overlaps` of user"), std::string::npos) << said;
}

TEST_F(Incremental, a_folder_and_a_link_at_one_path_are_named_and_cannot_be_allowed) {
  for (const std::string sandbox : {"host", "none"}) {
    project_.file("weir.toml", R"(weir = 1
[project]
name = "conflict"
[element.one]
kind = "script"
config.commands = ["mkdir $WEIR_OUT/lib; echo 1 > $WEIR_OUT/lib/a"]
[element.two]
kind = "script"
config.commands = ["ln -s lib64 $WEIR_OUT/lib"]
[element.user]
kind = "script"
depends = ["one", "two"]
overlaps = ["%{prefix}/**"]
config.commands = ["echo ran"]
)");
    const auto run = weir(project_, {"build", "--sandbox", sandbox});
    EXPECT_EQ(run.exit, 1) << run.err;
    EXPECT_NE(run.err.find("weir/lib is a folder in one and a symlink in two"), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("| ran"), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("list it in `overlaps`"), std::string::npos) << run.err;
  }
}

TEST_F(Incremental, of_files_that_may_overlap_the_last_dependency_in_the_list_wins) {
  const auto with = [](const std::string& depends, const std::string& glob) {
    return R"(weir = 1
[project]
name = "overlaps"
[element.one]
kind = "script"
config.commands = ["echo 1 > $WEIR_OUT/same", "echo one > $WEIR_OUT/one"]
[element.two]
kind = "script"
config.commands = ["echo 2 > $WEIR_OUT/same"]
[element.user]
kind = "script"
build-depends = [)" +
           depends + "]\noverlaps = [\"" + glob + R"("]
config.commands = ["cat ${CPATH%/include}/same > $WEIR_OUT/said"]
)";
  };
  const auto said = [&](const std::string& sandbox) {
    const auto folder = project_.path() + "/out";
    std::filesystem::remove_all(folder);
    weir(project_, {"checkout", "user", folder, "--sandbox", sandbox});
    return content(folder + "/said");
  };
  for (const std::string sandbox : {"host", "none"}) {
    project_.file("weir.toml", with("'one', 'two'", "%{prefix}/sa*"));
    ASSERT_EQ(build(project_, {"--sandbox", sandbox}).finished.exit, 0) << sandbox;
    EXPECT_EQ(said(sandbox), "2\n") << sandbox;
    project_.file("weir.toml", with("'two', 'one'", "%{prefix}/sa*"));
    EXPECT_EQ(build(project_, {"--sandbox", sandbox}).built, "user")
        << sandbox << ": the order is in the key";
    EXPECT_EQ(said(sandbox), "1\n") << sandbox;
  }
  project_.file("weir.toml", with("'two', 'one'", "%{prefix}/other"));
  EXPECT_EQ(build(project_).finished.exit, 1);
}

TEST_F(Incremental, a_missing_local_source_is_told_with_its_place_and_nothing_is_run) {
  std::filesystem::remove_all(project_.path() + "/left");
  const auto run = build(project_);
  EXPECT_EQ(run.finished.exit, 2);
  EXPECT_NE(run.finished.err.find("weir.toml:11:"), std::string::npos) << run.finished.err;
  EXPECT_EQ(run.finished.out, "");
}

}  // namespace
}  // namespace weir::test
