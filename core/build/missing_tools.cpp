#include "core/build/missing_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

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

class Search {
 public:
  explicit Search(const BuildPlan& plan) : plan_(plan) {}

  // Nothing: it is there, or a dependency may bring it.
  std::optional<std::string> missing(ElementId id, std::string_view tool) {
    auto path = plan_.host_path(id);
    if (is_there(path, std::string(tool)) || !plan_.staged(id).empty()) return std::nullopt;
    return path;
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
      if (auto searched = search.missing(id, tool))
        all.push_back({id, std::string(tool), std::move(*searched)});
  return all;
}

std::string how_to_install(std::string_view tool) {
  const auto known = std::find_if(std::begin(kPackages), std::end(kPackages),
                                  [&](const auto& one) { return one.first == tool; });
  return fmt::format("install the package {}", known == std::end(kPackages) ? tool : known->second);
}

}  // namespace weir
