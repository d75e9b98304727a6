#include "core/cli/plugin_templates.h"

#include <string_view>
#include <utility>

#include "core/cli/plugin_template.h"

namespace weir::cli {

namespace {

constexpr std::string_view kBuild = R"(cmake_minimum_required(VERSION 3.20)
project(@kind@ CXX)

find_package(weir REQUIRED)
weir_add_plugin(plugin TYPE @type@ KIND @kind@ SOURCES @kind@.cpp)
target_compile_options(plugin PRIVATE -Wall -Wextra)
install(TARGETS plugin DESTINATION lib/weir/plugins)

enable_testing()
add_test(NAME check COMMAND weir::weir plugin check $<TARGET_FILE:plugin>)
)";

constexpr std::string_view kBuildExample = R"(
# The example, with the library that was just built and a store in which nothing is yet.
add_test(NAME empty-store COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_CURRENT_BINARY_DIR}/store@emptied@)
add_test(NAME example COMMAND weir::weir -C ${CMAKE_CURRENT_@where@_DIR}/example build@options@)
set_tests_properties(empty-store PROPERTIES FIXTURES_SETUP store)
set_tests_properties(example PROPERTIES FIXTURES_REQUIRED store
  ENVIRONMENT "WEIR_PLUGIN_PATH=$<TARGET_FILE_DIR:plugin>;WEIR_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/store")
)";

constexpr std::string_view kReadme = R"(# @kind@
A plugin of weir: the @type@ kind `@kind@`. @kind@.cpp is all of it.

    cmake -B build -DCMAKE_PREFIX_PATH=/where/weir/is/installed
    cmake --build build && ctest --test-dir build --output-on-failure
)";

constexpr std::string_view kReadmeExample = R"(
@folder@/ is a project that uses it:

    WEIR_PLUGIN_PATH=build weir -C @folder@ build@options@
)";

constexpr std::string_view kReadmeUse = R"(
To use it in all projects, copy build/@type@-@kind@.so to ~/.local/share/weir/plugins, or say `cmake --install build`, which
puts it below /usr/local/lib. A project that brings it along names its folder:

    [plugins]
    path = ["plugins"]

`weir plugin check build/@type@-@kind@.so` tries what a plugin has to hold to; docs/plugins.md of weir has the contract.
)";

// "my-kind" to "MyKind": part of the name of a struct.
std::string in_camel_case(std::string_view kind) {
  std::string out = kind.front() >= '0' && kind.front() <= '9' ? "Kind" : "";
  bool first = true;
  for (const char c : kind) {
    if (c != '-') out += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    first = c == '-';
  }
  return out;
}

using Values = std::vector<std::pair<std::string_view, std::string>>;

std::string filled(std::string text, const Values& values) {
  for (const auto& [name, value] : values)
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  return text;
}

PluginTemplate template_of(PluginType type) {
  switch (type) {
    case PluginType::element: return element_template();
    case PluginType::source: return source_template();
    case PluginType::queue: return queue_template();
    case PluginType::remote: return remote_template();
    case PluginType::allocator: return allocator_template();
    case PluginType::placer: return placer_template();
  }
  return {};
}

}  // namespace

std::vector<NewFile> plugin_files(PluginType type, const std::string& kind) {
  const auto chosen = template_of(type);
  const Values values = {{"@kind@", kind},
                         {"@Kind@", in_camel_case(kind)},
                         {"@type@", std::string(to_string(type))},
                         {"@key@", type == PluginType::placer ? "place" : "allocate"},
                         {"@options@", std::string(chosen.build_options)},
                         {"@where@", chosen.configured ? "BINARY" : "SOURCE"},
                         {"@folder@", chosen.configured ? "build/example" : "example"},
                         {"@emptied@", chosen.configured ? " ${CMAKE_CURRENT_BINARY_DIR}/remote" : ""}};
  const auto fill = [&](std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const auto part : parts) text += part;
    return filled(std::move(text), values);
  };
  std::vector<NewFile> files;
  files.push_back({kind + ".cpp", fill({chosen.source})});
  files.push_back({chosen.configured ? "example/weir.toml.in" : "example/weir.toml", fill({chosen.project})});
  if (type == PluginType::source) files.push_back({"example/upstream.txt", fill({"Hello from @kind@.\n"})});
  files.push_back({"README.md", fill({kReadme, kReadmeExample, kReadmeUse})});
  files.push_back({"CMakeLists.txt", fill({kBuild, kBuildExample, chosen.build_more})});
  return files;
}

}  // namespace weir::cli
