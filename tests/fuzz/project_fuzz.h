// What the fuzzer and the replay test both do with one input: load it, print it, and use what loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/assert.h"
#include "core/project/diagnostic_text.h"
#include "core/project/load.h"
#include "core/project/lock_file.h"
#include "core/project/settings.h"
#include "core/project/targets.h"

namespace weir {

inline std::vector<TextFile> fuzz_files(std::string_view input) {
  std::vector<TextFile> files{{"weir.toml", {}}};
  while (!input.empty()) {
    const auto end = std::min(input.find('\n'), input.size() - 1) + 1;
    const auto line = input.substr(0, end);
    if (line.starts_with("=== "))
      files.push_back({std::string(line.substr(4, line.find_last_not_of("\r\n") - 3)), {}});
    else files.back().text += line;
    input.remove_prefix(end);
  }
  return files;
}

inline void fuzz_project(std::string_view input) {
  auto files = fuzz_files(input);
  Diagnostics lock_diagnostics;
  const auto lock = parse_lock(files.back().text, kNoFile, lock_diagnostics);
  if (!lock_diagnostics.has_errors()) {
    Diagnostics again;
    WEIR_ASSERT(parse_lock(to_text(lock), kNoFile, again) == lock && !again.has_errors(),
                "lock file changed by writing it");
  }
  const auto loaded = load_project_texts(std::move(files));
  const auto text = to_text(loaded.diagnostics, loaded.files);
  WEIR_ASSERT(loaded.ok() || !text.empty(), "an error without words");
  for (const char c : text)
    WEIR_ASSERT(c == '\n' || static_cast<unsigned char>(c) >= 0x20, "a control character in {}", text);
  if (!loaded.ok()) return;
  const auto& project = loaded.project;
  for (const auto& element : project.elements) {
    to_json(element.config);
    environment_of(project, element);
  }
  load_settings({&project, {}, [](const char*) -> const char* { return nullptr; }}, loaded.files);
  const std::string everything[] = {"**"};
  const auto targets =
      select_targets(project, project.elements.empty() ? std::span<const std::string>() : everything);
  if (!targets) return;
  for (const auto scope :
       {DependencyScope::none, DependencyScope::build, DependencyScope::run, DependencyScope::all})
    WEIR_ASSERT(
        make_graph(project, *targets, scope).graph.size() == project.elements.size() || !targets->empty(),
        "graph");
}

}  // namespace weir
