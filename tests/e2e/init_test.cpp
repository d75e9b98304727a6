// weir init: what it makes builds as it is, and what is there stays as it is.
#include <stdio.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

const std::string kMain = "#include <stdio.h>\nint main(void) { puts(\"it runs\"); return 0; }\n";

// Files with their content, folders with "/"; without what weir and the tests keep beside.
std::map<std::string, std::string> files_of(const TempProject& project) {
  std::map<std::string, std::string> files;
  for (auto entry = fs::recursive_directory_iterator(project.path());
       entry != fs::recursive_directory_iterator(); ++entry) {
    const auto name = entry->path().lexically_relative(project.path()).string();
    if (name == ".cache" || name == ".stderr" || name == ".config") entry.disable_recursion_pending();
    else files[name] = entry->is_directory() ? "/" : content(entry->path());
  }
  return files;
}

std::string printed_by(const std::string& program) {
  FILE* pipe = ::popen(("'" + program + "'").c_str(), "r");
  std::string text;
  char buffer[256];
  while (::fgets(buffer, sizeof buffer, pipe)) text += buffer;
  return ::pclose(pipe) == 0 ? text : text + "failed";
}

// Checks the element out and runs one of its programs.
std::string run_installed(const TempProject& project, const std::string& element,
                          const std::string& program) {
  const auto out = project.path() + "/.cache/out-" + element;
  const auto done = weir(project, {"checkout", element, out});
  return done.exit == 0 ? printed_by(out + "/bin/" + program) : done.err;
}

void copy_part_of_stack(const std::string& name, const std::string& to) {
  fs::create_directories(to);
  fs::copy(std::string(WEIR_SOURCE_DIR) + "/examples/stack/" + name, to, fs::copy_options::recursive);
}

class Template : public testing::TestWithParam<const char*> {};

TEST_P(Template, builds_as_it_is) {
  TempProject project;
  const auto made = weir(project, {"init", "--template", GetParam()});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_NE(made.out.find("wrote weir.toml\n"), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("next: weir build\n"), std::string::npos) << made.out;
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err << run.finished.out;
  const bool has_program = GetParam() != std::string("empty");
  EXPECT_EQ(has_program ? run_installed(project, "hello", "hello") : "",
            has_program ? "Hello from weir.\n" : "");
  const auto before = files_of(project);
  EXPECT_EQ(weir(project, {"init", "--template", GetParam()}).exit, 2);
  EXPECT_EQ(files_of(project), before);
}
INSTANTIATE_TEST_SUITE_P(All, Template, testing::Values("c", "cmake", "empty"));

TEST(Init, an_unknown_template_is_refused) {
  TempProject project;
  EXPECT_EQ(weir(project, {"init", "--template", "cobol"}).exit, 2);
  EXPECT_TRUE(files_of(project).empty());
}

TEST(Init, an_empty_folder_gets_something_that_builds) {
  TempProject project;
  ASSERT_EQ(weir(project, {"init"}).exit, 0);
  EXPECT_EQ(build(project).built, "hello");
}

class BuildSystem : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BuildSystem, is_recognised_and_built) {
  TempProject project;
  copy_part_of_stack(GetParam().first, project.path());
  const auto made = weir(project, {"init", "--name", "this one"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(shown(project, "this-one", "kind"), GetParam().second);
  EXPECT_EQ(field(weir(project, {"show", "--json"}).out, "project"), "this one");
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err << run.finished.out;
  EXPECT_EQ(run.built, "this-one");
}
INSTANTIATE_TEST_SUITE_P(All, BuildSystem,
                         testing::Values(std::pair("answer", "make"), std::pair("text", "autotools"),
                                         std::pair("shape", "cmake"), std::pair("sound", "meson")));

TEST(Init, each_subfolder_is_an_element) {
  TempProject project;
  copy_part_of_stack("answer", project.path() + "/answer");
  copy_part_of_stack("shape", project.path() + "/shape");
  project.file("tool/main.c", kMain).file("docs/readme", "no element");
  ASSERT_EQ(weir(project, {"init"}).exit, 0);
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err << run.finished.out;
  EXPECT_EQ(run.built, "answer shape tool") << "all are default targets";
  EXPECT_EQ(run_installed(project, "tool", "tool"), "it runs\n");
}

TEST(Init, c_files_are_a_program_or_several_or_a_library) {
  TempProject project;
  project.file("one/main.c",
               "int twice(int);\nint main (int argc, char** argv) { (void)argv; return twice(argc) - 2; }\n");
  project.file("one/twice.c", "int twice(int x) { return 2 * x; }\n");
  project.file("two/-a 'b'.c", kMain)
      .file("two/c%{jobs}.c", kMain)
      .file("two/shared.c", "int domain(int x) { return x; }\n");
  project.file("lib/area.c", "#include \"area.h\"\nint area(int x) { return x * x; }\n")
      .file("lib/area.h", "int area(int);\n");
  ASSERT_EQ(weir(project, {"init"}).exit, 0);
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err << run.finished.out;
  EXPECT_EQ(run.built, "lib one two");
  EXPECT_EQ(run_installed(project, "one", "one"), "");
  EXPECT_EQ(run_installed(project, "two", "a-b"), "it runs\n");
  ASSERT_EQ(weir(project, {"checkout", "lib", project.path() + "/.cache/lib"}).exit, 0);
  EXPECT_TRUE(fs::exists(project.path() + "/.cache/lib/lib/liblib.a"));
  EXPECT_TRUE(fs::exists(project.path() + "/.cache/lib/include/area.h"));
}

TEST(Init, a_makefile_without_install_keeps_its_programs) {
  TempProject project;
  project.file("Makefile", "tool: tool.c\n\t$(CC) -o $@ tool.c\n")
      .file("tool.c", kMain)
      .file("old", "no program of make");
  fs::permissions(project.path() + "/old", fs::perms::owner_all);
  ASSERT_EQ(weir(project, {"init", "--name", "t"}).exit, 0);
  ASSERT_EQ(build(project).finished.exit, 0);
  EXPECT_EQ(run_installed(project, "t", "tool"), "it runs\n");
  EXPECT_FALSE(fs::exists(project.path() + "/.cache/out-t/bin/old"));
}

TEST(Init, odd_names_of_folders_are_data) {
  TempProject project;
  const std::vector<std::string> odd = {"a b",         "say \"x\"", "new\nline", "\xc3\xbcml\xc3\xa4ut",
                                        "back\\slash", "-dash",     "%{jobs}",   "$(id)",
                                        "a'b",         "a.b",       "]",         "#x",
                                        "tab\there",   "*",         "%%{x}",     std::string(250, 'l')};
  for (const auto& name : odd) project.file(name + "/main.c", kMain);
  const auto made = weir(project, {"init"});
  ASSERT_EQ(made.exit, 0) << made.err;
  const auto run = build(project, {"--on-error", "continue"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err << run.finished.out
                                  << content(project.path() + "/weir.toml");
  EXPECT_EQ(std::count(run.built.begin(), run.built.end(), ' ') + 1, static_cast<long>(odd.size()))
      << run.built;
  EXPECT_EQ(run_installed(project, "say-x", "say-x"), "it runs\n");
  EXPECT_EQ(made.out.find("new\nline"), std::string::npos) << "what is said is fit for a terminal";
}

TEST(Init, the_folder_itself_may_have_an_odd_name) {
  TempProject project;
  for (const std::string name : {"-odd \"folder\"\n", "\xff\xfe", "..."}) {
    project.file(name + "/main.c", kMain);
    const auto made = weir(project, {"-C", "./" + name, "init"});
    ASSERT_EQ(made.exit, 0) << made.err;
    const auto run = weir(project, {"-C", "./" + name, "build"});
    EXPECT_EQ(run.exit, 0) << run.err;
  }
}

TEST(Init, a_name_that_toml_cannot_hold_is_left_out_and_told) {
  TempProject project;
  project.file("\xff/main.c", kMain).file("good/main.c", kMain);
  const auto made = weir(project, {"init"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_NE(made.err.find("\\xff"), std::string::npos) << made.err;
  EXPECT_EQ(build(project).built, "good");
}

TEST(Init, nothing_is_overwritten) {
  TempProject project;
  project.file("weir.toml", "mine").file("main.c", kMain);
  auto before = files_of(project);
  auto refused = weir(project, {"init"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("weir.toml is in the way"), std::string::npos) << refused.err;
  EXPECT_EQ(files_of(project), before);

  fs::remove(project.path() + "/weir.toml");
  fs::create_symlink("/nowhere", project.path() + "/weir.toml");
  EXPECT_EQ(weir(project, {"init"}).exit, 2) << "nor written through a link";
  fs::remove(project.path() + "/weir.toml");

  project.file("hello/hello.c", "mine");
  before = files_of(project);
  refused = weir(project, {"init", "--template", "c"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("hello/hello.c is in the way"), std::string::npos) << refused.err;
  EXPECT_EQ(files_of(project), before);
}

TEST(Init, what_was_begun_is_taken_back) {
  TempProject project;
  project.file("hello", "a file where a folder should be");
  const auto before = files_of(project);
  const auto refused = weir(project, {"init", "--template", "cmake"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("hello is in the way"), std::string::npos) << refused.err;
  EXPECT_EQ(files_of(project), before) << "the folder greeting was made before, and is gone";
  EXPECT_EQ(weir(project, {"init", "hello"}).exit, 2);
}

TEST(Init, files_that_would_become_elements_are_in_the_way) {
  TempProject project;
  project.file("elements/x.toml", "kind = 7").file("main.c", kMain);
  const auto refused = weir(project, {"init"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("elements/x.toml"), std::string::npos) << refused.err;
}

TEST(Init, the_folder_is_made) {
  TempProject project;
  const auto made = weir(project, {"init", "new/deep er", "--template", "c"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_NE(made.out.find("next: weir -C 'new/deep er' build"), std::string::npos) << made.out;
  EXPECT_EQ(weir(project, {"-C", "new/deep er", "build"}).exit, 0);
}

TEST(Init, a_bad_name_is_refused) {
  TempProject project;
  EXPECT_EQ(weir(project, {"init", "--name", "\xff"}).exit, 2);
  EXPECT_EQ(weir(project, {"init", "--name", std::string(300, 'n')}).exit, 2);
  EXPECT_EQ(weir(project, {"init", "--name", "%{x}"}).exit, 2);
  EXPECT_TRUE(files_of(project).empty());
  EXPECT_EQ(weir(project, {"init", "--name", "a \"b\"\n\\ \xc3\xbc"}).exit, 0);
  EXPECT_EQ(build(project).finished.exit, 0);
}

// What builds of other tools left is no source, but sources may be in a folder of that name.
TEST(Init, output_in_a_folder_named_build_is_no_source) {
  TempProject project;
  project.file("main.c", kMain).file("build/CMakeCache.txt", "").file("build/x", "").file(".git/config", "");
  ASSERT_EQ(weir(project, {"init", "--name", "p"}).exit, 0);
  EXPECT_EQ(build(project).built, "p");
  project.file("build/x", "changed")
      .file(".git/config", "changed")
      .file("weir.toml", content(project.path() + "/weir.toml") + "# more\n");
  EXPECT_EQ(
      weir(project, {"shell", "p", "--", "sh", "-c", "ls -a | grep -x -e build -e .git -e weir.toml"}).exit,
      1);

  TempProject other;
  other.file("CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.16)\nproject(o C)\ninclude(build/rules.cmake)\n");
  other.file("build/rules.cmake", "add_executable(o main.c)\ninstall(TARGETS o DESTINATION bin)\n")
      .file("main.c", kMain);
  ASSERT_EQ(weir(other, {"init", "--name", "o"}).exit, 0);
  ASSERT_EQ(build(other).finished.exit, 0);
  EXPECT_EQ(run_installed(other, "o", "o"), "it runs\n");
}

}  // namespace
}  // namespace weir::test
