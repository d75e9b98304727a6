#include "core/project/load.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/project/targets.h"
#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

TEST(Load, every_section_of_the_format_is_read) {
  std::ifstream in(WEIR_SOURCE_DIR "/tests/fuzz/corpus/project/full");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto cut = text.find("=== elements/base/zlib.toml\n");
  const auto loaded = load_project_texts(
      {{"weir.toml", text.substr(0, cut)}, {"elements/base/zlib.toml", "kind = \"stack\"\n"}}, 2);
  ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
  const auto& p = loaded.project;
  EXPECT_EQ(p.name, "full");
  EXPECT_EQ(p.queues.size(), 6u);
  EXPECT_EQ(p.sandbox.root, SandboxRoot::staged);
  EXPECT_EQ(p.sandbox.uid, 1000u);
  EXPECT_TRUE(p.sandbox.user_namespaces);
  EXPECT_EQ(p.on_error, OnError::go_on);
  EXPECT_EQ(p.resource("license")->amount, (Amount{false, 2}));
  EXPECT_EQ(p.resource("memory")->amount, (Amount{false, 8ull << 30}));
  EXPECT_TRUE(p.resource("process")->amount.automatic);
  EXPECT_EQ(p.remotes.at(0).push, Push::required);
  EXPECT_EQ(p.placement.pick, "random");
  EXPECT_EQ(p.placement.rebalance_threshold, 12.5);
  EXPECT_EQ(p.classes.at(1).load, 30.5);
  EXPECT_EQ(p.workers.at(0).slots, 4u);
  EXPECT_EQ(p.hooks.on_run_end.at(0).text, "cat");
  EXPECT_EQ(p.env.at(0).second, "-O2 -g");

  const auto& app = *p.find("app");
  EXPECT_EQ(app.description, "the full");
  EXPECT_EQ(app.cpu, (Element::Cores{1, 4}));
  EXPECT_EQ(app.memory, 600u << 20);
  EXPECT_EQ(app.timeout, std::chrono::minutes(10));
  EXPECT_EQ(app.access, Access::read);
  EXPECT_EQ(app.retry.of(Failure::oom), 2);
  EXPECT_EQ(app.retry.of(Failure::network), 3);
  EXPECT_EQ(app.sources.at(0).url, "https://example.org/app.git");
  EXPECT_EQ(to_json(app.sources.at(0).config), R"({"submodules":true})");
  EXPECT_EQ(to_json(app.config),
            R"({"build-args":["V=1","-j%{jobs}"],"deep":{"a":[1,2.5,true,"1979-05-27T07:32:00Z"]}})");
  EXPECT_EQ(environment_of(p, app), (TextMap{{"CFLAGS", "-O3 -g %{literal}"}, {"LANG", "C.UTF-8"}}));
  ASSERT_EQ(app.dependencies.size(), 3u);
  EXPECT_EQ(p[app.dependencies[0].to].name, "base/zlib");
  EXPECT_EQ(app.dependencies[1].kind, DependencyKind::build);
  EXPECT_EQ(app.dependencies[2].kind, DependencyKind::runtime);
}

TEST(Load, errors_of_all_files_come_at_once_with_line_and_caret) {
  const auto loaded = load_texts(
      "[projct]\n"
      "[element.app]\n"
      "kind = \"make\"\n"
      "dependz = [\"lib\"]\n"
      "[element.lib]\n"
      "kind = \"script\"\n",
      {{"elements/one.toml", "kind = \"stack\"\ntimeout = 5\n"},
       {"elements/two.toml", "kind = \n"},
       {"elements/zlib.toml", "kind = \"stack\"\ndepends = [\"libb\"]\n"}});
  EXPECT_EQ(errors_of(loaded), R"(weir.toml:2:2: error: unknown key "projct" in weir.toml
    2 | [projct]
      |  ^
  did you mean "project"?
weir.toml:5:1: error: unknown key "dependz" in element "app"
    5 | dependz = ["lib"]
      | ^
  did you mean "depends"?
elements/one.toml:2:11: error: timeout of element "one" must be a duration such as "10s", not an integer
    2 | timeout = 5
      |           ^
elements/two.toml:1:8: error: while parsing key-value pair: expected value, saw '\n'
    1 | kind = 
      |        ^
elements/zlib.toml:2:12: error: "zlib" depends on "libb", and there is no such element
    2 | depends = ["libb"]
      |            ^
  did you mean "lib"?
5 errors; nothing was run
)");
}

TEST(Load, a_broken_weir_toml_does_not_hide_errors_of_element_files) {
  const auto loaded =
      load_project_texts({{"weir.toml", "weir = 1\n[project\n"}, {"elements/a.toml", "knd = \"x\"\n"}});
  const auto text = errors_of(loaded);
  EXPECT_NE(text.find("weir.toml:2:"), text.npos) << text;
  EXPECT_NE(text.find("elements/a.toml:1:1: error: unknown key \"knd\""), text.npos) << text;
}

TEST(Load, an_element_that_may_be_in_a_broken_file_is_not_called_missing) {
  const auto loaded = load_texts("[element.app]\nkind = \"stack\"\ndepends = [\"something\"]\n",
                                 {{"elements/something.toml", "kind = \n"}});
  EXPECT_EQ(loaded.diagnostics.errors(), 1u) << errors_of(loaded);
}

TEST(Load, a_newer_format_is_refused_in_words_and_nothing_else_is_said) {
  const auto loaded = load_project_texts({{"weir.toml", "weir = 2\n[unheard-of]\n"}});
  EXPECT_EQ(errors_of(loaded),
            "weir.toml:1:8: error: this project has format 2, and this weir knows formats up to 1\n"
            "    1 | weir = 2\n      |        ^\n  use a newer weir\n");
}

TEST(Load, cycles_print_the_ring_with_the_place_of_each_edge) {
  const auto loaded = load_texts("[element.a]\nkind = \"stack\"\ndepends = [\"b\"]\n",
                                 {{"elements/b.toml", "kind = \"stack\"\nbuild-depends = [\"c\"]\n"},
                                  {"elements/c.toml", "kind = \"stack\"\nruntime-depends = [\"a\", \"c\"]\n"},
                                  {"elements/self.toml", "kind = \"stack\"\ndepends = [\"self\"]\n"}});
  EXPECT_EQ(errors_of(loaded), R"(weir.toml:4:12: error: 3 elements depend on each other in a ring
    4 | depends = ["b"]
      |            ^
  weir.toml:4:12: "a" depends on "b"
    4 | depends = ["b"]
      |            ^
  elements/b.toml:2:18: "b" depends on "c"
    2 | build-depends = ["c"]
      |                  ^
  elements/c.toml:2:20: "c" depends on "a"
    2 | runtime-depends = ["a", "c"]
      |                    ^
  take one of these dependencies away
elements/self.toml:2:12: error: "self" depends on itself
    2 | depends = ["self"]
      |            ^
  take one of these dependencies away
2 errors; nothing was run
)");
}

TEST(Load, an_element_defined_twice_names_both_places) {
  const auto loaded =
      load_texts("[element.a]\nkind = \"stack\"\n", {{"elements/a.toml", "kind = \"stack\"\n"}});
  const auto text = errors_of(loaded);
  EXPECT_NE(text.find("elements/a.toml:1:1: error: a second element \"a\""), text.npos) << text;
  EXPECT_NE(text.find("  weir.toml:2:1: the first one"), text.npos) << text;
}

TEST(Load, overlaps_are_patterns_below_the_root_of_artifacts) {
  const auto good =
      load_texts("[element.a]\nkind = \"stack\"\noverlaps = [\"%{prefix}/share/*\", \"etc/motd\"]\n");
  EXPECT_EQ(errors_of(good), "");
  const auto bad = load_texts("[element.a]\nkind = \"stack\"\noverlaps = [\"/\"]\n");
  const auto text = errors_of(bad);
  EXPECT_NE(text.find("weir.toml:4:13: error: overlaps of element \"a\" has an empty pattern"), text.npos)
      << text;
}

TEST(Load, resources_that_are_needed_must_exist_and_suffice) {
  const auto loaded = load_texts(
      "[resources]\nlicense = 2\n[element.a]\nkind = \"stack\"\nneeds = { licence = 1, license = 3 }\n"
      "exclusive = [\"cach\"]\n");
  const auto text = errors_of(loaded);
  EXPECT_NE(text.find("unknown resource \"licence\""), text.npos) << text;
  EXPECT_NE(text.find("did you mean \"license\"?"), text.npos) << text;
  EXPECT_NE(text.find("needs 3 of \"license\", and there are 2"), text.npos) << text;
  EXPECT_NE(text.find("did you mean \"cache\"?"), text.npos) << text;
}

TEST(Load, names_that_could_not_be_paths_are_refused) {
  for (const std::string name :
       {"", "..", "a/../b", "/a", "a/", "a//b", "-f", "a b", "a*", "a\\n", ".hidden"}) {
    const auto loaded = load_texts("[element.\"" + name + "\"]\nkind = \"stack\"\n");
    EXPECT_EQ(loaded.diagnostics.errors(), 1u) << name << errors_of(loaded);
  }
  EXPECT_TRUE(load_texts("[element.\"gtk+/3.0_x-y@z\"]\nkind = \"stack\"\n").ok());
}

TEST(Load, the_project_does_not_depend_on_the_order_of_files_or_the_number_of_threads) {
  std::vector<TextFile> files;
  for (int i = 0; i < 500; ++i)
    files.push_back(
        {"elements/e" + std::to_string(i) + ".toml",
         "kind = \"stack\"\ndepends = [" + (i ? "\"e" + std::to_string(i / 2) + "\"" : "") + "]\n"});
  const auto names = [](const LoadedProject& loaded) {
    const auto targets = select_targets(loaded.project, {});
    const auto graph = make_graph(loaded.project, *targets);
    std::string all;
    for (std::uint32_t i = 0; i < graph.graph.size(); ++i)
      all += std::string(graph.graph.name(ElementId{i})) + " ";
    return all;
  };
  auto forwards = files, backwards = std::vector<TextFile>(files.rbegin(), files.rend());
  forwards.push_back({"weir.toml", "weir = 1\n"});
  backwards.push_back({"weir.toml", "weir = 1\n"});
  EXPECT_EQ(names(load_project_texts(forwards, 1)), names(load_project_texts(backwards, 4)));
}

TEST(Load, a_missing_project_is_one_error_with_a_remedy) {
  const TemporaryFolder folder;
  const auto loaded = load_project({.directory = folder.path()});
  EXPECT_EQ(errors_of(loaded), "error: no weir.toml in \"" + folder.path() +
                                   "\" or in a folder above it\n"
                                   "  `-C DIR` works in another folder\n");
}

TEST(Load, a_project_is_found_from_a_folder_below_it) {
  const TemporaryFolder folder;
  folder.write("weir.toml", "weir = 1\n[element.a]\nkind = \"stack\"\n");
  folder.write("src/deep/file", "");
  const auto loaded = load_project({.directory = folder / "src/deep"});
  ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
  EXPECT_EQ(loaded.project.root, std::filesystem::canonical(folder.path()));
  EXPECT_FALSE(load_project({.directory = folder / "src/deep", .search_upwards = false}).ok());
  EXPECT_FALSE(load_project({.directory = folder / "nowhere"}).ok());
}

TEST(Load, odd_files_are_told_and_do_not_hang_or_crash) {
  const TemporaryFolder folder;
  folder.write("weir.toml", "weir = 1\n");
  folder.write("elements/good.toml", "kind = \"stack\"\n");
  folder.write("elements/.hidden.toml", "not toml at all");
  folder.write("elements/README.md", "not toml at all");
  folder.write("elements/dir.toml/inner.toml", "kind = \"stack\"\n");
  folder.write("elements/bad name.toml", "kind = \"stack\"\n");
  ASSERT_EQ(symlink("..", (folder / "elements/loop").c_str()), 0);
  ASSERT_EQ(symlink("self.toml", (folder / "elements/self.toml").c_str()), 0);
  ASSERT_EQ(symlink("nowhere", (folder / "elements/dangling.toml").c_str()), 0);
  ASSERT_EQ(symlink("good.toml", (folder / "elements/alias.toml").c_str()), 0);
  ASSERT_EQ(mkfifo((folder / "elements/fifo.toml").c_str(), 0600), 0);
  const auto loaded = load_project({.directory = folder.path()});
  const auto text = errors_of(loaded);
  for (const std::string part : {"\"elements/loop\" is a link to a folder and is not followed",
                                 "\"elements/dir.toml\" is a folder, not an element",
                                 "self.toml: error: cannot be read: Too many levels",
                                 "dangling.toml: error: cannot be read: No such file",
                                 "fifo.toml: error: cannot be read: it is no regular file",
                                 "\"elements/bad name.toml\" gives no name"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  EXPECT_EQ(loaded.diagnostics.errors(), 5u) << text;
  EXPECT_NE(loaded.project.find("good"), nullptr);
  EXPECT_NE(loaded.project.find("alias"), nullptr);
}

TEST(Load, an_unreadable_file_is_told) {
  const TemporaryFolder folder;
  folder.write("weir.toml", "weir = 1\n");
  folder.write("elements/a.toml", "kind = \"stack\"\n");
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod((folder / "elements/a.toml").c_str(), 0), 0);
  // Root reads everything, so it is someone else for a moment.
  const bool is_root = geteuid() == 0;
  ASSERT_TRUE(!is_root || seteuid(65534) == 0);
  const auto text = errors_of(load_project({.directory = folder.path()}));
  ASSERT_TRUE(!is_root || seteuid(0) == 0);
  EXPECT_NE(text.find("elements/a.toml: error: cannot be read: Permission denied"), text.npos) << text;
}

TEST(Load, a_weir_toml_that_is_a_folder_is_told) {
  const TemporaryFolder folder;
  folder.write("weir.toml/x", "");
  EXPECT_NE(errors_of(load_project({.directory = folder.path()}))
                .find("weir.toml: error: cannot be read: it is a folder"),
            std::string::npos);
}

TEST(Load, the_example_is_sound) {
  const auto loaded = load_project({.directory = WEIR_SOURCE_DIR "/examples/hello"});
  EXPECT_TRUE(loaded.ok()) << errors_of(loaded);
}

}  // namespace
}  // namespace weir
