// import, stack, local sources, the sandbox roots, and whether a build can be repeated.
#include <filesystem>
#include <fstream>

#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

const std::string kKindsHead = "weir = 1\n[project]\nname = \"k\"\n";

// Relative paths of all that is below, with their content.
std::string listing(const std::string& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    auto line = entry.path().lexically_relative(folder).string();
    if (entry.is_symlink()) line += " -> " + fs::read_symlink(entry.path()).string();
    else if (entry.is_regular_file()) line += " = " + content(entry.path().string());
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

TEST(Kinds, import_places_its_sources_without_running_anything) {
  TempProject project;
  project.file("weir.toml", kKindsHead + R"([element.data]
kind = "import"
source = [{kind = "local", path = "tree", exclude = ["*.o", "skip/deep"]}]
config = {from = "sub", to = "share/x"}
)");
  project.file("tree/sub/a", "A")
      .file("tree/sub/b.o", "object")
      .file("tree/other", "no")
      .file("tree/sub/skip/deep", "kept");
  fs::create_symlink("a", project.path() + "/tree/sub/link");
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.finished.out.find("job.process"), std::string::npos);
  ASSERT_EQ(weir(project, {"checkout", "data", project.path() + "/out"}).exit, 0);
  EXPECT_EQ(listing(project.path() + "/out"),
            "share\nshare/x\nshare/x/a = A\nshare/x/link -> a\nshare/x/skip\nshare/x/skip/deep = kept\n");
}

TEST(Kinds, an_import_of_what_is_not_there_fails_in_words) {
  TempProject project;
  project.file(
      "weir.toml",
      kKindsHead +
          "[element.d]\nkind = \"import\"\nsource = [{kind=\"local\", path=\"t\"}]\nconfig.from = \"no\"\n");
  project.file("t/a", "A");
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 1);
  EXPECT_NE(run.finished.out.find("there is no \\\"no\\\" in the sources"), std::string::npos)
      << run.finished.out;
}

TEST(Kinds, a_stack_brings_all_its_dependencies) {
  TempProject project;
  project.file("weir.toml", kKindsHead + R"([element.a]
kind = "script"
config.commands = ["echo a > $WEIR_OUT/a"]
[element.b]
kind = "script"
config.commands = ["echo b > $WEIR_OUT/b"]
[element.both]
kind = "stack"
depends = ["a", "b"]
[element.user]
kind = "script"
build-depends = ["both"]
config.commands = ["cat /weir/a /weir/b > $WEIR_OUT/user"]
)");
  ASSERT_EQ(build(project, {"both"}).built, "a b both");
  ASSERT_EQ(build(project).built, "user");
  ASSERT_EQ(weir(project, {"checkout", "both", "--deps", "run", project.path() + "/out"}).exit, 0);
  EXPECT_EQ(listing(project.path() + "/out"), "a = a\n\nb = b\n\n");
  ASSERT_EQ(weir(project, {"checkout", "user", project.path() + "/user"}).exit, 0);
  EXPECT_EQ(content(project.path() + "/user/user"), "a\nb\n");
}

TEST(Kinds, several_sources_have_their_places_and_must_not_collide) {
  TempProject project;
  const auto text = [](const std::string& second) {
    return kKindsHead +
           "[element.s]\nkind = \"script\"\nsource = [{kind=\"local\", path=\"one\"}, {kind=\"local\", "
           "path=\"two\"" +
           second + "}]\nconfig.commands = [\"find . -type f | LC_ALL=C sort > $WEIR_OUT/list\"]\n";
  };
  project.file("one/f", "1").file("two/f", "2").file("weir.toml", text(", directory = \"in/side\""));
  ASSERT_EQ(build(project).finished.exit, 0);
  ASSERT_EQ(weir(project, {"checkout", "s", project.path() + "/out"}).exit, 0);
  EXPECT_EQ(content(project.path() + "/out/list"), "./f\n./in/side/f\n");
  project.file("weir.toml", text(""));
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 2);
  EXPECT_NE(run.finished.err.find("source 1 and source 2"), std::string::npos) << run.finished.err;
}

TEST(Kinds, a_cache_inside_of_a_source_is_no_part_of_it) {
  TempProject project;  // its cache is in its folder
  project.file("weir.toml",
               kKindsHead + "[element.all]\nkind = \"import\"\nsource = [{kind=\"local\", path=\".\"}]\n");
  ASSERT_EQ(build(project).built, "all");
  EXPECT_EQ(build(project).built, "");
  ASSERT_EQ(weir(project, {"checkout", "all", "--tar", "-"}).out.find(".cache"), std::string::npos);
}

TEST(Kinds, what_is_wrong_with_a_configuration_is_told_with_its_place) {
  TempProject project;
  project.file("weir.toml", kKindsHead + R"([element.a]
kind = "script"
config = {comands = ["x"]}
[element.b]
kind = "script"
config.commands = ["good", 7]
source = [{kind = "local", path = "../up"}]
[element.c]
kind = "stack"
config.x = 1
)");
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 2);
  for (const auto* part : {"weir.toml:6:11: error:", "did you mean \"commands\"?",
                           "weir.toml:9:28: error:", "leaves the project", "unknown key \"x\""})
    EXPECT_NE(run.finished.err.find(part), std::string::npos) << part << "\n" << run.finished.err;
}

TEST(Kinds, an_archive_holds_names_as_bytes) {
  TempProject project;
  project.file(
      "weir.toml",
      kKindsHead +
          "[element.n]\nkind = \"script\"\nconfig.commands = [\"\"\"touch $WEIR_OUT/$(printf 'a\\\\377b') "
          "\"$WEIR_OUT/two\nlines\" \"$WEIR_OUT/\u00e4\" \"\"\"]\n");
  ASSERT_EQ(build(project).finished.exit, 0);
  const auto first = weir(project, {"checkout", "n", "--tar", "-"});
  ASSERT_EQ(first.exit, 0) << first.err;
  for (const auto* name : {"a\xff"
                           "b",
                           "two\nlines", "\xc3\xa4"})
    EXPECT_NE(first.out.find(name), std::string::npos) << name;
  EXPECT_EQ(weir(project, {"checkout", "n", "--tar", "-"}).out, first.out) << "the same bytes every time";
}

TEST(Kinds, a_prefix_that_cannot_work_is_refused_with_its_place) {
  const auto exit_with = [](const std::string& prefix, const std::string& root) {
    TempProject project;
    project.file("weir.toml", kKindsHead + "[variables]\nprefix = \"" + prefix + "\"\n[sandbox]\nroot = \"" +
                                  root + "\"\n[element.a]\nkind = \"stack\"\n");
    const auto run = weir(project, {"build", "--dry-run"});
    if (run.exit == 2) {
      EXPECT_NE(run.err.find("weir.toml:5:10: error:"), std::string::npos) << run.err;
    }
    return run.exit;
  };
  for (const auto* bad : {"/", "x", "/weir/", "/a//b", "/a/../b", "/./a", "/build", "/tmp/x", "/proc", "/usr",
                          "/usr/lib", "/etc/x"})
    EXPECT_EQ(exit_with(bad, "host"), 2) << bad;
  for (const auto* good : {"/weir", "/opt/a b", "/usr/local", "/builds"})
    EXPECT_EQ(exit_with(good, "host"), 0) << good;
  EXPECT_EQ(exit_with("/usr", "staged"), 0);
}

TEST(Reproducible, two_directories_and_two_stores_give_the_same_outputs) {
  std::string outputs[2];
  for (auto& output : outputs) {
    TempProject project;
    project.file("weir.toml",
                 kKindsHead +
                     "[element.p]\nkind = \"script\"\nsource = [{kind=\"local\", path=\"src\"}]\n"
                     "config.commands = [\"cc -g -o $WEIR_OUT/p p.c\", \"date > $WEIR_OUT/seen || true\", "
                     "\"pwd > $WEIR_OUT/seen; env >> $WEIR_OUT/seen\"]\n");
    project.file("src/p.c", "#include <stdio.h>\nint main(void) { puts(__FILE__); }\n");
    ASSERT_EQ(build(project).finished.exit, 0);
    output = shown(project, "p", "output");
    ASSERT_EQ(output.size(), 64u) << output;
  }
  EXPECT_EQ(outputs[0], outputs[1]);
}

TEST(Reproducible, rebuild_check_names_the_element_that_is_not) {
  TempProject project;
  project.file("weir.toml", kKindsHead + R"([element.good]
kind = "script"
config.commands = ["echo same > $WEIR_OUT/good"]
[element.bad]
kind = "script"
config.commands = ["head -c 8 /dev/urandom > $WEIR_OUT/bad"]
[element.after]
kind = "script"
depends = ["good", "bad"]
config.commands = ["cat /weir/good /weir/bad > $WEIR_OUT/after"]
)");
  const auto good = build(project, {"--rebuild-check", "good"});
  EXPECT_EQ(good.finished.exit, 0) << good.finished.err;
  const auto run = build(project, {"--rebuild-check"});
  EXPECT_EQ(run.finished.exit, 1);
  EXPECT_EQ(run.built, "after after bad bad good");
  EXPECT_NE(run.finished.err.find("bad is not reproducible"), std::string::npos) << run.finished.err;
  EXPECT_EQ(run.finished.err.find("good is not"), std::string::npos) << run.finished.err;
  EXPECT_EQ(run.finished.err.find("after is not"), std::string::npos)
      << "it was built twice from the same inputs";
  EXPECT_EQ(build(project).built, "") << "what was there before the check is still there";
}

// A project without a sandbox whose elements find their programs in the folder "tools" alone.
class ToolProject : public TempProject {
 public:
  ToolProject() {
    for (const auto* tool : {"sh", "true", "mkdir", "cp"}) add(tool);
    file("src/Makefile", "all:\ninstall:\n\tmkdir -p $(DESTDIR)\n");
  }
  void add(const std::string& tool) const {
    fs::create_directories(path() + "/tools");
    for (const std::string folder : {"/usr/bin/", "/bin/"})
      if (fs::exists(folder + tool)) return fs::create_symlink(folder + tool, path() + "/tools/" + tool);
  }
  std::string head() const {
    return kKindsHead + "[sandbox]\nroot = \"none\"\n[env]\nPATH = \"" + path() + "/tools\"\n";
  }
  static std::string element(const std::string& name, const std::string& kind, const std::string& more = "") {
    return "[element." + name + "]\nkind = \"" + kind +
           "\"\nsource = [{ kind = \"local\", path = \"src\" }]\n" + more;
  }
};

TEST(HostTools, all_that_are_missing_are_told_before_anything_runs) {
  ToolProject project;
  project.file("weir.toml", project.head() +
                                ToolProject::element("first", "script", "config.commands = [\"true\"]\n") +
                                ToolProject::element("a", "make") + ToolProject::element("b", "cmake") +
                                ToolProject::element("c", "meson"));
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 2) << run.finished.err;
  EXPECT_EQ(run.finished.out, "") << "nothing was run";
  for (const auto* said :
       {"weir.toml:13:8: error: element \"a\" needs \"make\"", "install the package make",
        "element \"b\" needs \"cmake\"", "install the package cmake", "element \"c\" needs \"meson\"",
        "element \"c\" needs \"ninja\"", "install the package ninja-build", "/tools"})
    EXPECT_NE(run.finished.err.find(said), std::string::npos) << said << "\n" << run.finished.err;
  EXPECT_EQ(run.finished.err.find("\"first\""), std::string::npos) << run.finished.err;
}

TEST(HostTools, a_patch_needs_its_program) {
  ToolProject project;
  project.file("fix.patch", "");
  project.file("weir.toml",
               project.head() +
                   "[element.a]\nkind = \"script\"\nsource = [{ kind = \"patch\", path = \"fix.patch\" }]\n");
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 2) << run.finished.err;
  EXPECT_NE(run.finished.err.find("install the package patch"), std::string::npos) << run.finished.err;
}

TEST(HostTools, what_is_replaced_or_cached_or_comes_from_a_dependency_needs_none) {
  ToolProject project;
  const auto replaced =
      ToolProject::element("replaced", "make", "config = { build = [\"true\"], install = [\"true\"] }\n");
  project.file("weir.toml", project.head() + replaced);
  EXPECT_EQ(build(project).finished.exit, 0);

  project.add("make");
  project.file("weir.toml", project.head() + replaced + ToolProject::element("made", "make"));
  ASSERT_EQ(build(project).built, "made");
  fs::remove(project.path() + "/tools/make");
  const auto more = ToolProject::element("more", "script", "config.commands = [\"true\"]\n");
  project.file("weir.toml", project.head() + replaced + ToolProject::element("made", "make") + more);
  const auto cached = build(project);
  EXPECT_EQ(cached.finished.exit, 0) << cached.finished.err;
  EXPECT_EQ(cached.built, "more");

  project.file("make", "#!/bin/sh\nexec true\n");
  fs::permissions(project.path() + "/make", fs::perms(0755));
  project.file(
      "weir.toml",
      kKindsHead + "[sandbox]\nroot = \"none\"\n[env]\nPATH = \"" + project.path() +
          "/tools\"\n[element.maker]\nkind = \"import\"\nsource = [{ kind = \"local\", path = \"make\" }]\n"
          "config.to = \"bin\"\n" +
          ToolProject::element("user", "make", "build-depends = [\"maker\"]\n"));
  const auto brought = build(project);
  EXPECT_NE(brought.finished.exit, 2) << "it is not known before the dependency is built";
  EXPECT_EQ(brought.finished.err.find("install the package"), std::string::npos) << brought.finished.err;
}

TEST(HostTools, one_that_no_dependency_brings_is_told_before_a_command_runs_and_is_not_remembered) {
  ToolProject project;
  project.file("weir.toml", project.head() + ToolProject::element("lib", "import") +
                                ToolProject::element("app", "make", "build-depends = [\"lib\"]\n"));
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 4) << run.finished.err;
  EXPECT_EQ(run.failed, "app");
  EXPECT_NE(run.finished.err.find("install the package make"), std::string::npos) << run.finished.err;
  EXPECT_EQ(run.finished.out.find("\"argv\":[\"make\""), std::string::npos) << run.finished.out;
  project.add("make");
  EXPECT_EQ(build(project).finished.exit, 0);
}

}  // namespace
}  // namespace weir::test
