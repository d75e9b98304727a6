#include "core/build/missing_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/build/project_sources.h"
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

 private:
  std::map<std::pair<std::string, std::string>, bool> known_;
};

// A path is the plan's own affair: weir has those of its steps.
std::set<std::string> started_by(const Result<std::vector<Step>>& steps) {
  std::set<std::string> all;
  if (!steps) return all;  // the job says what is wrong
  for (const auto& step : *steps) {
    const auto* run = std::get_if<RunStep>(&step);
    if (run && !run->argv.empty() && run->argv[0] != "sh" && run->argv[0].find('/') == std::string::npos)
      all.insert(run->argv[0]);
  }
  return all;
}

Result<std::vector<Step>> steps_of(const BuildPlan& plan, const SourceOfElement& of, SourceJob job) {
  const auto& own = plan.resolved_sources(of.element)[of.source];
  const auto& ref = plan.sources(of.element)[of.source].ref;
  const SourceRequest request{own.url, job == SourceJob::track ? std::string_view() : ref, "source", "cache"};
  return job == SourceJob::track ? own.kind->plan_track(own.config, request)
                                 : own.kind->plan_fetch(own.config, request);
}

}  // namespace

std::vector<MissingTool> missing_tools(const BuildPlan& plan, std::span<const ElementId> elements) {
  std::vector<MissingTool> all;
  if (plan.sandbox() == SandboxRoot::staged) return all;
  Search search;
  for (const auto id : elements) {
    for (const auto tool : needed_tools(plan, id)) {
      auto path = plan.host_path(id);
      if (!search.is_there(path, std::string(tool)))
        all.push_back({id, std::string(tool), std::move(path), !plan.staged(id).empty()});
    }
  }
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

std::vector<SourceOfElement> one_source_of_each_kind(const BuildPlan& plan,
                                                     std::span<const ElementId> elements, SourceJob job) {
  std::vector<SourceOfElement> all;
  std::set<const SourceKind*> seen;
  for (const auto element : elements) {
    const auto& sources = plan.resolved_sources(element);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool has_job =
          !sources[i].of_project() && (job == SourceJob::track || !plan.sources(element)[i].ref.empty());
      if (has_job && seen.insert(sources[i].kind).second) all.push_back({element, i});
    }
  }
  return all;
}

std::vector<SourceOfElement> sources_to_track(const BuildPlan& plan, std::span<const ElementId> elements) {
  std::vector<SourceOfElement> all;
  for (const auto element : elements)
    for (const auto source : tracked_sources(plan, element)) all.push_back({element, source});
  return all;
}

Result<std::vector<SourceOfElement>> sources_to_fetch(const BuildPlan& plan, store::Store& store,
                                                      std::span<const ElementId> elements) {
  std::vector<SourceOfElement> all;
  for (const auto element : elements) {
    const auto keys = source_keys(plan, element);
    auto key = keys.begin();
    for (std::size_t i = 0; i < plan.resolved_sources(element).size(); ++i) {
      if (plan.resolved_sources(element)[i].of_project()) continue;
      const auto found = store.lookup(*key++);
      if (!found) return tl::unexpected(found.error());
      if (!*found && !plan.sources(element)[i].ref.empty()) all.push_back({element, i});
    }
  }
  return all;
}

std::vector<MissingSourceTool> missing_source_tools(const BuildPlan& plan,
                                                    std::span<const SourceOfElement> sources, SourceJob job,
                                                    const std::string& path) {
  std::vector<MissingSourceTool> all;
  Search search;
  for (const auto& of : sources)
    for (const auto& tool : started_by(steps_of(plan, of, job)))
      if (!search.is_there(path, tool)) all.push_back({of, tool});
  return all;
}

std::string how_to_install(std::string_view tool) {
  const auto known = std::find_if(std::begin(kPackages), std::end(kPackages),
                                  [&](const auto& one) { return one.first == tool; });
  return fmt::format("install the package {}", known == std::end(kPackages) ? tool : known->second);
}

}  // namespace weir
