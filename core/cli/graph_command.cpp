// weir graph: who depends on whom, as dot, mermaid or JSON. --reverse: who uses the targets, and who uses
// those.
#include <fmt/format.h>

#include <memory>

#include "core/base/json_writer.h"
#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/command_settings.h"
#include "core/cli/exit_codes.h"
#include "core/cli/opened_project.h"
#include "core/cli/tell.h"

namespace weir::cli {

namespace {

struct GraphOptions {
  std::vector<std::string> targets;
  std::string format = "dot";
  bool reverse = false;
};

struct Drawn {
  std::vector<ElementIndex> elements;  // in order of names
  struct Edge {
    ElementIndex from, to;
    DependencyKind kind;
  };
  std::vector<Edge> edges;
};

std::vector<bool> below(const Project& project, std::span<const ElementIndex> targets) {
  const auto graph = make_graph(project, targets);
  std::vector<bool> shown(project.elements.size());
  for (const auto element : graph.elements) shown[index(element)] = true;
  return shown;
}

// All that reaches a target. Each pass over the project goes one level up.
std::vector<bool> above(const Project& project, std::span<const ElementIndex> targets) {
  std::vector<bool> shown(project.elements.size());
  for (const auto target : targets) shown[index(target)] = true;
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (shown[i]) continue;
      for (const auto& dependency : project.elements[i].dependencies)
        if (shown[index(dependency.to)]) shown[i] = grown = true;
    }
  }
  return shown;
}

Drawn drawn(const Project& project, const std::vector<bool>& shown) {
  Drawn all;
  for (std::uint32_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) continue;
    all.elements.push_back(ElementIndex{i});
    for (const auto& dependency : project.elements[i].dependencies)
      if (shown[index(dependency.to)]) all.edges.push_back({ElementIndex{i}, dependency.to, dependency.kind});
  }
  return all;
}

std::string_view name_of(DependencyKind kind) {
  return kind == DependencyKind::build ? "build" : kind == DependencyKind::runtime ? "runtime" : "both";
}

// Inside of double quotes, in both languages.
std::string escaped_label(std::string_view text, std::string_view quote) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '"') out += quote;
    else if (c == '\\') out += "\\\\";
    else out += c;
  }
  return out;
}

void print_dot(const Project& project, const Drawn& all) {
  weir::print("digraph \"{}\" {{\n  rankdir = LR\n  node [shape = box]\n",
              escaped_label(project.name, "\\\""));
  const auto name = [&](ElementIndex element) { return escaped_label(project[element].name, "\\\""); };
  for (const auto element : all.elements) weir::print("  \"{}\"\n", name(element));
  for (const auto& edge : all.edges) {
    const auto style = edge.kind == DependencyKind::build     ? " [style = dashed]"
                       : edge.kind == DependencyKind::runtime ? " [style = dotted]"
                                                              : "";
    weir::print("  \"{}\" -> \"{}\"{}\n", name(edge.from), name(edge.to), style);
  }
  weir::print("}}\n");
}

void print_mermaid(const Project& project, const Drawn& all) {
  weir::print("graph LR\n");
  for (const auto element : all.elements)
    weir::print("  e{}[\"{}\"]\n", index(element), escaped_label(project[element].name, "#quot;"));
  for (const auto& edge : all.edges)
    weir::print("  e{} {} e{}\n", index(edge.from), edge.kind == DependencyKind::both ? "-->" : "-.->",
                index(edge.to));
}

void print_graph_json(const Project& project, const Drawn& all) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("v").value(1).key("project").value(project.name).key("elements").begin_array();
  for (const auto element : all.elements)
    json.begin_object()
        .key("name")
        .value(project[element].name)
        .key("kind")
        .value(project[element].kind.text)
        .end_object();
  json.end_array().key("edges").begin_array();
  for (const auto& edge : all.edges)
    json.begin_object()
        .key("from")
        .value(project[edge.from].name)
        .key("to")
        .value(project[edge.to].name)
        .key("type")
        .value(name_of(edge.kind))
        .end_object();
  json.end_array().end_object();
  weir::print("{}\n", text);
}

int graph(const GraphOptions& options, const Globals& globals) {
  const auto opened = open_project(globals.directory, command_settings(globals));
  if (!opened) return opened.error();
  const auto& project = (*opened)->project();
  auto names = options.targets;
  if (names.empty()) names = {"**"};
  const auto targets = select_targets(project, names);
  if (!targets) return tell(targets.error());
  const auto all = drawn(project, options.reverse ? above(project, *targets) : below(project, *targets));
  if (options.format == "json") print_graph_json(project, all);
  else if (options.format == "mermaid") print_mermaid(project, all);
  else print_dot(project, all);
  return kDone;
}

}  // namespace

Run add_graph_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<GraphOptions>();
  command.add_word("targets", &options->targets, "TARGET",
                   "elements, by name or glob; without any all of them");
  command.add_option("--format", &options->format, "FORMAT", "how it is written")
      .one_of({"dot", "mermaid", "json"})
      .show_default();
  command.add_flag("--reverse", &options->reverse, "who uses the targets, instead of what they use");
  command.explain("", "weir graph app | dot -Tsvg -o app.svg\nweir graph --reverse base/zlib");
  return [options, &globals] { return graph(*options, globals); };
}

}  // namespace weir::cli
