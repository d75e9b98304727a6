#include "core/cli/init_text.h"

#include <fmt/format.h>

#include "core/cli/toml_text.h"

namespace weir::cli {

namespace {

std::string head(const std::string& project, const std::vector<std::string>& targets) {
  return fmt::format(
      "# Made by `weir init`. `weir build` builds the default targets, `weir checkout ELEMENT DIR` writes "
      "one to DIR.\n"
      "weir = 1\n\n[project]\nname = {}\ndefault = {}\n",
      toml_string(project), toml_array(targets));
}

std::string element_text(const FoundElement& element) {
  auto text = fmt::format("\n# {}\n[element.{}]\nkind = \"{}\"\n", element.because, toml_key(element.name),
                          element.kind);
  text += fmt::format("source = [{{ kind = \"local\", path = {}, exclude = {} }}]\n",
                      toml_string(without_variables(element.path)), toml_array(element.exclude));
  if (!element.note.empty()) text += fmt::format("# {}\n", element.note);
  if (element.phase.empty()) return text;
  text += fmt::format("config.{} = [\n", element.phase);
  for (const auto& command : element.commands) text += fmt::format("  {},\n", toml_string(command));
  return text + "]\n";
}

constexpr const char* kEmpty = R"(
# Commands run in the build directory, where the sources are. What they put below $WEIR_OUT is kept; what an element
# depends on is at $WEIR_PREFIX.
[element.hello]
kind = "script"
# source = [{ kind = "local", path = "src" }]
# depends = ["another element"]
config.commands = [
  "mkdir -p $WEIR_OUT/share",
  "echo 'Hello from weir.' > $WEIR_OUT/share/hello.txt",
]

# Other kinds know how things are built: make, autotools, cmake, meson. import takes files as they are, stack is a name for
# other elements.
)";

std::vector<NewFile> empty_template(const std::string& project) {
  return {{"weir.toml", head(project, {"hello"}) + kEmpty}};
}

std::vector<NewFile> c_template(const std::string& project) {
  return {{"hello/hello.c", R"(#include <stdio.h>

int main(void) {
  puts("Hello from weir.");
  return 0;
}
)"},
          {"hello/Makefile", R"(PREFIX ?= /usr/local
CFLAGS ?= -O2 -Wall

hello: hello.c

install: hello
	install -D hello $(DESTDIR)$(PREFIX)/bin/hello

.PHONY: install
)"},
          {"weir.toml", head(project, {"hello"}) + R"(
# `make`, then `make install` with PREFIX and DESTDIR.
[element.hello]
kind = "make"
source = [{ kind = "local", path = "hello" }]
)"}};
}

std::vector<NewFile> cmake_template(const std::string& project) {
  return {{"greeting/greeting.h", R"(#pragma once

const char* greeting(void);
)"},
          {"greeting/greeting.c", R"(#include "greeting.h"

const char* greeting(void) { return "Hello from weir."; }
)"},
          {"greeting/CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.16)
project(greeting C)
add_library(greeting STATIC greeting.c)
target_include_directories(greeting PUBLIC $<INSTALL_INTERFACE:include>)
install(TARGETS greeting EXPORT greeting ARCHIVE DESTINATION lib)
install(FILES greeting.h DESTINATION include)
install(EXPORT greeting FILE greetingConfig.cmake DESTINATION lib/cmake/greeting)
)"},
          {"hello/hello.c", R"(#include <greeting.h>
#include <stdio.h>

int main(void) {
  puts(greeting());
  return 0;
}
)"},
          {"hello/CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.16)
project(hello C)
find_package(greeting REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE greeting)
install(TARGETS hello DESTINATION bin)
)"},
          {"weir.toml", head(project, {"hello"}) + R"(
[element.greeting]
kind = "cmake"
description = "a library"
source = [{ kind = "local", path = "greeting" }]

[element.hello]
kind = "cmake"
description = "a program that uses it"
depends = ["greeting"]
source = [{ kind = "local", path = "hello" }]
)"}};
}

struct Template {
  const char* name;
  std::vector<NewFile> (*files)(const std::string& project);
};
constexpr Template kTemplates[] = {{"c", c_template}, {"cmake", cmake_template}, {"empty", empty_template}};

}  // namespace

NewFile project_of(const std::string& project, const std::vector<FoundElement>& elements) {
  if (elements.empty()) return empty_template(project).front();
  std::vector<std::string> targets;
  for (const auto& element : elements) targets.push_back(element.name);
  auto text = head(project, targets);
  for (const auto& element : elements) text += element_text(element);
  return {"weir.toml", std::move(text)};
}

std::vector<NewFile> template_files(std::string_view name, const std::string& project) {
  for (const auto& one : kTemplates)
    if (name == one.name) return one.files(project);
  return {};
}

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const auto& one : kTemplates) names.emplace_back(one.name);
  return names;
}

}  // namespace weir::cli
