// What others have of weir: an installed folder, in which plugins are built without weir's sources, by any
// compiler.
#include <filesystem>

#include "tests/e2e/installed_weir.h"
#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

std::string copy_plugin_example(const std::string& name, const TempProject& to) {
  fs::copy(std::string(WEIR_SOURCE_DIR) + "/examples/" + name, to.path() + "/" + name,
           fs::copy_options::recursive);
  fs::remove_all(to.path() + "/" + name + "/build");  // of somebody who tried it where it is
  return to.path() + "/" + name;
}

// Without their addresses: "T weir_plugin_entry_v1".
std::vector<std::string> exports_of(const std::string& library) {
  auto lines = lines_of(InstalledWeir::instance().run_program("/", {"nm", "-D", "--defined-only", library}));
  for (auto& line : lines) line = line.substr(line.find(' ') + 1);
  return lines;
}

TEST(PluginSdk, kinds_in_c_and_in_cxx_build_an_element_together) {
  const auto& installed = InstalledWeir::instance();
  TempProject folder;
  const auto in_c = copy_plugin_example("plugin_c", folder),
             in_cxx = copy_plugin_example("plugin_cpp", folder);
  const auto project = copy_plugin_example("plugins", folder);
  installed.build_plugin(in_c, {"-DCMAKE_C_COMPILER=clang"});
  installed.build_plugin(in_cxx, {"-DCMAKE_CXX_COMPILER=g++"});

  EXPECT_EQ(facts_of({0, installed.run(project, {"-q", "build", "--events", "-"}), {}}).built, "greetings");
  installed.run(project, {"checkout", "greetings", folder.path() + "/out"});
  EXPECT_EQ(content(folder.path() + "/out/share/greetings.txt"),
            "Good morning, Ada!\nGood morning, Grace!\nGood morning, Barbara!\n");
  EXPECT_EQ(installed.run(project, {"-q", "build", "--events", "-"}).find("job.start"), std::string::npos);

  const std::vector<std::string> entry = {"T weir_plugin_entry_v1"};
  EXPECT_EQ(exports_of(in_c + "/build/element-greet.so"), entry);
  EXPECT_EQ(exports_of(in_cxx + "/build/source-excerpt.so"), entry);
}

TEST(PluginSdk, kinds_of_weir_export_their_entry_alone) {
  for (const auto& file : fs::directory_iterator(InstalledWeir::instance().prefix() + "/lib/weir/plugins"))
    EXPECT_EQ(exports_of(file.path().string()), std::vector<std::string>{"T weir_plugin_entry_v1"})
        << file.path();
}

// As somebody without CMake does it: the headers bring the code.
TEST(PluginSdk, a_kind_in_cxx_needs_nothing_but_the_headers_and_a_compiler) {
  const auto& installed = InstalledWeir::instance();
  TempProject folder;
  const auto library = folder.path() + "/source-excerpt.so";
  installed.run_program(copy_plugin_example("plugin_cpp", folder),
                        {"g++", "-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-z,defs",
                         "-Wl,--version-script=" + installed.prefix() + "/lib/cmake/weir/plugin_exports.map",
                         "-I", installed.prefix() + "/include", "-o", library, "excerpt.cpp"});
  EXPECT_NO_THROW(installed.run(folder.path(), {"plugin", "check", library}));
  EXPECT_EQ(exports_of(library), std::vector<std::string>{"T weir_plugin_entry_v1"});
}

TEST(PluginSdk, a_kind_in_c_says_where_a_mistake_is) {
  const auto& installed = InstalledWeir::instance();
  TempProject folder;
  installed.build_plugin(copy_plugin_example("plugin_c", folder), {"-DCMAKE_C_COMPILER=clang"});
  folder.file("weir.toml", R"(weir = 1
[plugins]
path = ["plugin_c/build"]
[element.a]
kind = "greet"
config = { greeting = 7, "a\"b" = [{ x = "}" }], other = {} }
)");
  try {
    installed.run(folder.path(), {"show"});
    FAIL() << "it was accepted";
  } catch (const std::runtime_error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("ended with 2"), std::string::npos) << said;
    EXPECT_NE(said.find("\"greeting\" has to be a string"), std::string::npos) << said;
    EXPECT_NE(said.find("weir.toml:6:"), std::string::npos) << said;
    EXPECT_NE(said.find("it knows \"greeting\""), std::string::npos) << said;
  }
}

TEST(PluginSdk, the_examples_of_the_documentation_compile) {
  const auto& installed = InstalledWeir::instance();
  const auto document = content(std::string(WEIR_SOURCE_DIR) + "/docs/plugins.md");
  constexpr std::string_view kBegin = "```cpp\n", kEnd = "```";
  TempProject folder;
  std::vector<std::string> words = {"g++",     "-std=c++20",    "-Wall", "-Wextra",
                                    "-Werror", "-fsyntax-only", "-I",    installed.prefix() + "/include"};
  const auto options = words.size();
  for (auto at = document.find(kBegin); at != document.npos; at = document.find(kBegin, at)) {
    at += kBegin.size();
    words.push_back(std::to_string(at) + ".cpp");
    folder.file(words.back(), document.substr(at, document.find(kEnd, at) - at));
  }
  EXPECT_EQ(words.size() - options, 6u) << "one for each type";
  EXPECT_NO_THROW(installed.run_program(folder.path(), words));
}

TEST(PluginSdk, what_is_installed_is_for_users_and_makers_of_plugins) {
  const auto prefix = InstalledWeir::instance().prefix();
  for (const auto* document : {"README.md", "CHANGELOG.md", "docs/plugins.md", "docs/decisions"})
    EXPECT_TRUE(fs::exists(prefix + "/share/doc/weir/" + document)) << document;
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(prefix))
    if (!entry.is_directory()) files.push_back(entry.path().lexically_relative(prefix).string());
  for (const auto& file : files) {
    const auto is_in = [&](std::string_view folder) { return file.starts_with(folder); };
    EXPECT_TRUE(file == "bin/weir" || file == "lib/weir/weir-init" || file == "lib/weir/weir-transfer" ||
                file == "lib/libweir-sdk.a" || is_in("lib/weir/plugins/") || is_in("include/weir/") ||
                is_in("lib/cmake/weir/") || is_in("share/man/man1/weir") ||
                file == "share/bash-completion/completions/weir" ||
                file == "share/zsh/site-functions/_weir" ||
                file == "share/fish/vendor_completions.d/weir.fish" || is_in("share/doc/weir/"))
        << file;
    if (is_in("lib/cmake/") || is_in("include/") || is_in("share/doc/")) {
      EXPECT_EQ(content(prefix + "/" + file).find(WEIR_SOURCE_DIR), std::string::npos) << file;
    }
  }
}

}  // namespace
}  // namespace weir::test
