// Feeds bytes of any kind to the project loader. An input is a row of files: the first is weir.toml, and a
// line "=== PATH" begins the next; lines below "=== targets" are targets of a command.
#include <fmt/format.h>

#include <sstream>

#include "core/project/diagnostic_text.h"
#include "core/project/load.h"
#include "core/project/project_codec.h"
#include "core/project/settings.h"
#include "core/project/targets.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/text_parts.h"

namespace weir {

namespace {

void check_diagnostics(const LoadedProject& loaded) {
  const auto text = to_text(loaded.diagnostics, loaded.files);
  WEIR_ASSERT(loaded.ok() || !text.empty(), "an error without words");
  for (const char c : text)
    WEIR_ASSERT(c == '\n' || static_cast<unsigned char>(c) >= 0x20, "a control character in {}", text);
}

// As a snapshot keeps it.
void check_codec(const Project& project) {
  const FileOf same = [](FileId file) { return file; };
  Project frame;
  WEIR_ASSERT(
      decode_frame(encode_frame(project), same, frame) && encode_frame(frame) == encode_frame(project),
      "the frame changed by writing it");
  for (const auto& element : project.elements) {
    Element again;
    WEIR_ASSERT(decode(encode(element), same, again) && encode(again) == encode(element),
                "{} changed by writing it", element.name);
  }
}

}  // namespace

WEIR_FUZZ_TARGET(project) {
  std::vector<TextFile> files;
  std::vector<std::string> asked;
  for (auto& part : test::parts_of(input)) {
    if (part.name != "targets") files.push_back({part.name, part.text});
    std::istringstream lines(part.name == "targets" ? part.text : std::string());
    for (std::string line; std::getline(lines, line);) asked.push_back(line);
  }
  files.front().path = "weir.toml";
  const auto loaded = load_project_texts(std::move(files));
  check_diagnostics(loaded);
  if (!loaded.ok()) return;
  const auto& project = loaded.project;
  for (const auto& element : project.elements) {
    to_json(element.config);
    environment_of(project, element);
  }
  check_codec(project);
  load_settings({&project, {}, [](const char*) -> const char* { return nullptr; }}, loaded.files);
  (void)select_targets(project, asked);
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
