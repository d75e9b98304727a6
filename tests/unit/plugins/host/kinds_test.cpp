#include "plugins/host/kinds.h"

#include <gtest/gtest.h>

#include "plugins/host/own_kinds.h"

namespace weir {
namespace {

const ElementKind& element(Kinds& kinds, std::string_view name) { return *kinds.element(name).value(); }
const SourceKind& source(Kinds& kinds, std::string_view name) { return *kinds.source(name).value(); }

std::string complaints(const Result<ResolvedConfig>& resolved) {
  std::string text;
  for (const auto& one : resolved->complaints)
    text += one.path + ": " + one.message + " (" + one.remedy + ")\n";
  return text;
}

TEST(Kinds, are_found_by_name) {
  Kinds kinds;
  EXPECT_EQ(kinds.names(PluginType::element),
            (std::vector<std::string>{"autotools", "cmake", "import", "make", "meson", "script", "stack"}));
  EXPECT_EQ(kinds.names(PluginType::source),
            (std::vector<std::string>{"file", "git", "local", "patch", "tar"}));
  EXPECT_EQ(kinds.names(PluginType::queue), std::vector<std::string>{"test"});
  EXPECT_EQ(to_text(kinds.element("mke").error()), "unknown element kind \"mke\"; did you mean \"make\"?");
  EXPECT_TRUE(kinds.loaded().empty()) << "names are found without loading anything";
  for (const auto& name : kinds.names(PluginType::element)) EXPECT_EQ(element(kinds, name).name(), name);
  for (const auto& name : kinds.names(PluginType::source)) EXPECT_EQ(source(kinds, name).name(), name);
  EXPECT_EQ(kinds.loaded().size(), 12u);
}

// The table of own kinds is the list of what a complete build makes; a missing one is not unknown.
TEST(Kinds, a_kind_of_weir_that_was_not_built_is_named_with_the_command_that_builds_it) {
  Kinds built;
  for (const auto type : kPluginTypes) {
    if (type == PluginType::remote && built.names(type).empty())
      continue;  // builds with sanitizers have none
    const auto own = own_kinds(type);
    EXPECT_EQ(built.names(type), std::vector<std::string>(own.begin(), own.end())) << to_string(type);
  }
  Kinds partial{PluginPath{{PluginPlace::Origin::weir, "/nothing/here"}}};
  EXPECT_EQ(to_text(partial.element("cmake").error()),
            "the element kind \"cmake\" of weir is not built here; run `cmake/build-all` in the source tree "
            "of weir");
  EXPECT_EQ(
      to_text(partial.remote("https").error()),
      "the remote kind \"http\" of weir is not built here; install the package weir-remote-http, or run "
      "`cmake/build-all` in the source tree of weir");
  EXPECT_EQ(to_text(partial.element("cmaek").error()),
            "unknown element kind \"cmaek\"; did you mean \"cmake\"?");
}

TEST(Kinds, a_resolved_configuration_is_canonical) {
  Kinds kinds;
  const auto& import = element(kinds, "import");
  EXPECT_EQ(import.resolve(R"({ "to" : "x", "from":"y" })")->document, R"({"from":"y","to":"x"})");
  EXPECT_EQ(import.resolve("{}")->document, R"({"from":"","to":""})");
}

TEST(Kinds, everything_that_is_wrong_is_told_at_once) {
  Kinds kinds;
  EXPECT_EQ(complaints(element(kinds, "script").resolve(R"({"commands": ["a", 1, true], "comand": 2})")),
            "commands/1: \"commands\" holds something that is no string ()\n"
            "commands/2: \"commands\" holds something that is no string ()\n"
            "comand: unknown key \"comand\" (did you mean \"commands\"?)\n");
  EXPECT_EQ(complaints(element(kinds, "script").resolve(R"({"commands": "a"})")),
            "commands: \"commands\" has to be a list of strings ()\n");
  EXPECT_EQ(complaints(element(kinds, "stack").resolve(R"({"a": 1})")),
            "a: unknown key \"a\" (this kind takes none)\n");
  EXPECT_EQ(complaints(source(kinds, "local").resolve("{}")),
            ": \"path\" is missing (name a folder or file of the project, as in path = \"src\")\n");
}

TEST(Kinds, paths_stay_inside) {
  Kinds kinds;
  const auto refused = [&](const std::string& path) {
    return !source(kinds, "local").resolve("{\"path\": \"" + path + "\"}")->complaints.empty();
  };
  for (const auto* bad : {"/etc", "..", "../x", "a/../b", "a/.."}) EXPECT_TRUE(refused(bad)) << bad;
  for (const auto* good : {"a", ".", "a/b", "..a", "a..", "a/..b"}) EXPECT_FALSE(refused(good)) << good;
}

TEST(Kinds, an_import_is_one_copy) {
  Kinds kinds;
  const auto plan = [&](std::string_view config) {
    const auto& kind = element(kinds, "import");
    const auto steps = kind.plan(kind.resolve(config)->document, {"/weir", "/install"})->steps;
    const auto& copy = std::get<CopyStep>(steps.front());
    return copy.from + " to " + copy.to;
  };
  EXPECT_EQ(plan("{}"), "build to install/weir");
  EXPECT_EQ(plan(R"({"from": "a/b/", "to": "share"})"), "build/a/b to install/weir/share");
  EXPECT_EQ(plan(R"({"to": "/"})"), "build to install");
  EXPECT_EQ(plan(R"({"to": "/etc/x"})"), "build to install/etc/x");
}

std::string commands(Kinds& kinds, std::string_view name, std::string_view config) {
  const auto& kind = element(kinds, name);
  std::string text;
  const auto plan = kind.plan(kind.resolve(config)->document, {"/weir", "/install"});
  for (const auto& step : plan->steps) {
    const auto& run = std::get<RunStep>(step);
    text += run.directory + ":";
    for (const auto& word : run.argv) text += " <" + word + ">";
    text += "\n";
  }
  return text;
}

TEST(Kinds, arguments_are_words_and_never_text_for_a_shell) {
  Kinds kinds;
  EXPECT_EQ(commands(kinds, "make", R"({"build-args": ["X=a b; rm *"], "install-args": ["-k"]})"),
            "build: <make> <-j%{jobs}> <X=a b; rm *>\n"
            "build: <make> <install> <PREFIX=/weir> <prefix=/weir> <DESTDIR=/install> <-k>\n");
  EXPECT_EQ(commands(kinds, "autotools", R"({"configure-args": ["--enable-x"]})"),
            "build: <sh> <-e> <-c> <[ -x configure ] || autoreconf --force --install>\n"
            "build: <mkdir> <-p> <_weir_build>\n"
            "build/_weir_build: <../configure> <--prefix=/weir> <--libdir=/weir/lib> <--enable-x>\n"
            "build/_weir_build: <make> <-j%{jobs}>\n"
            "build/_weir_build: <make> <install> <DESTDIR=/install>\n");
}

TEST(Kinds, a_phase_can_be_replaced_by_commands) {
  Kinds kinds;
  EXPECT_EQ(commands(kinds, "cmake", R"({"configure": ["./one", "./two"], "install": ["true"]})"),
            "build: <sh> <-e> <-c> <./one>\n"
            "build: <sh> <-e> <-c> <./two>\n"
            "build: <cmake> <--build> <_weir_build> <--parallel> <%{jobs}>\n"
            "build: <sh> <-e> <-c> <true>\n");
  EXPECT_EQ(complaints(element(kinds, "meson").resolve(R"({"build": ["x"], "build-args": ["y"]})")),
            "build-args: \"build-args\" has no meaning beside \"build\" (put them into the commands)\n");
  EXPECT_EQ(complaints(element(kinds, "make").resolve(R"({"configure-args": []})")),
            "configure-args: unknown key \"configure-args\" (known keys: build, build-args, install, "
            "install-args, test)\n");
}

}  // namespace
}  // namespace weir
