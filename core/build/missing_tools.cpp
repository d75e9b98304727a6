#include "core/build/missing_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/build/tree_edit.h"

namespace weir {

namespace {

// Where the package of Debian has another name than the program.
constexpr std::pair<std::string_view, std::string_view> kPackages[] = {
    {"c++", "g++"},           {"cc", "gcc"},
    {"go", "golang-go"},      {"javac", "default-jdk"},
    {"ld", "binutils"},       {"libtoolize", "libtool"},
    {"ninja", "ninja-build"}, {"protoc", "protobuf-compiler"},
};

bool declares(const std::vector<std::string>& tools, std::string_view tool) {
  return std::find(tools.begin(), tools.end(), tool) != tools.end();
}

// A shell is on every machine that has a root of its own, and weir starts commands without one where it can.
void add_started(const std::vector<Step>& steps, const std::vector<std::string>& declared,
                 std::set<std::string_view>& needed) {
  for (const auto& step : steps) {
    const auto* run = std::get_if<RunStep>(&step);
    if (run && !run->argv.empty() && run->argv[0] != "sh" && declares(declared, run->argv[0]))
      needed.insert(run->argv[0]);
  }
}

std::set<std::string_view> needed_tools(const BuildPlan& plan, ElementId id) {
  std::set<std::string_view> needed;
  const auto* steps = plan.asked_steps(id);
  if (!steps) return needed;
  add_started(*steps, plan.resolved(id).kind->host_tools(), needed);
  for (const auto& source : plan.resolved_sources(id)) {
    const auto& declared = source.kind->host_tools();
    add_started(source.stage.steps, declared, needed);
    // Those of weir itself run what they declare by a shell.
    if (source.kind->plugin().empty() && !source.stage.steps.empty())
      needed.insert(declared.begin(), declared.end());
  }
  return needed;
}

bool has_entry(store::Store& store, const store::Digest& tree, std::string_view path) {
  const auto slash = path.rfind('/');
  const auto folder = subtree(store, tree, path.substr(0, slash));
  if (!folder) return false;
  const auto content = store.read_tree(*folder);
  const auto is_named = [name = path.substr(slash + 1)](const auto& node) { return node.name == name; };
  return content && (std::any_of(content->root.files.begin(), content->root.files.end(), is_named) ||
                     std::any_of(content->root.symlinks.begin(), content->root.symlinks.end(), is_named));
}

class Search {
 public:
  explicit Search(const BuildPlan& plan) : plan_(plan) {}

  std::optional<MissingTool> missing(ElementId id, std::string tool) {
    auto path = plan_.host_path(id);
    if (is_there(path, tool)) return std::nullopt;
    return MissingTool{id, std::move(tool), std::move(path), !plan_.staged(id).empty()};
  }

 private:
  bool is_there(const std::string& path, const std::string& tool) {
    const auto [at, is_new] = known_.try_emplace({path, tool}, false);
    for (std::size_t begin = 0; is_new && !at->second && begin <= path.size();) {
      const auto end = std::min(path.find(':', begin), path.size());
      const auto program = path.substr(begin, end - begin) + "/" + tool;
      at->second = ::access(program.c_str(), X_OK) == 0;
      begin = end + 1;
    }
    return at->second;
  }

  const BuildPlan& plan_;
  std::map<std::pair<std::string, std::string>, bool> known_;
};

}  // namespace

std::vector<MissingTool> missing_tools(const BuildPlan& plan, std::span<const ElementId> elements) {
  std::vector<MissingTool> all;
  if (plan.sandbox() == SandboxRoot::staged) return all;
  Search search(plan);
  for (const auto id : elements)
    for (const auto tool : needed_tools(plan, id))
      if (auto missing = search.missing(id, std::string(tool))) all.push_back(std::move(*missing));
  return all;
}

Status check_tools(const BuildPlan& plan, store::Store& store, ElementId id,
                   const BuildPlan::OutputOf& output) {
  for (const auto& missing : missing_tools(plan, {&id, 1})) {
    const auto path = plan.project().prefix.substr(1) + "/bin/" + missing.tool;
    const auto with = plan.staged(id);
    if (std::any_of(with.begin(), with.end(),
                    [&](ElementId one) { return has_entry(store, output(one), path); }))
      continue;
    return fail(Reason::not_found,
                fmt::format("{} not found in {} or in the bin folder of a dependency",
                            weir::in_quotes(missing.tool), missing.searched),
                how_to_install(missing.tool));
  }
  return {};
}

std::string how_to_install(std::string_view tool) {
  const auto known = std::find_if(std::begin(kPackages), std::end(kPackages),
                                  [&](const auto& one) { return one.first == tool; });
  return fmt::format("install the package {}", known == std::end(kPackages) ? tool : known->second);
}

}  // namespace weir
