#include "core/cli/folder_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> commands_of(const Element& element) {
  std::vector<std::string> commands;
  if (const auto* member = element.config.find("commands"))
    if (const auto* array = member->value.array())
      for (const auto& value : *array)
        if (const auto* text = value.text()) commands.push_back(*text);
  return commands;
}

std::string path_of(const Source& source) {
  const auto* member = source.config.find("path");
  const auto* text = member ? member->value.text() : nullptr;
  return text ? *text : std::string();
}

bool leaves_project(const std::string& path) {
  const fs::path parts(path);
  return parts.is_absolute() || std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part == ".."; });
}

void check_element(Element element, Diagnostics& diagnostics) {
  TableReader config(element.config, fmt::format("config of element {}", weir::quoted(element.name)), diagnostics);
  std::vector<std::string> commands;
  config.texts("commands", commands);
  config.finish();
  for (auto& source : element.sources) {
    TableReader keys(source.config, "a local source", diagnostics);
    PlacedText path;
    keys.required_text("path", path);
    keys.known("exclude");
    keys.finish();
    if (leaves_project(path.text))
      diagnostics.error(path.place, fmt::format("the path {} leaves the project", weir::quoted(path.text)),
                        "local sources are inside of the project's folder");
  }
}

std::string label_element(const JobSpec& spec) { return spec.label.substr(0, spec.label.rfind('/')); }

// Copies `from` over `into`; a path that is there already with another content is a conflict.
Status merge(const fs::path& from, const fs::path& into) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
    const auto target = into / it->path().lexically_relative(from);
    if (it->is_directory() && !it->is_symlink()) {
      fs::create_directories(target, error);
    } else if (fs::exists(fs::symlink_status(target))) {
      return fail(Reason::project, fmt::format("two dependencies bring {}", target.lexically_relative(into).string()));
    } else {
      fs::copy(it->path(), target, fs::copy_options::copy_symlinks, error);
    }
  }
  if (error) return fail(Reason::system, fmt::format("staging {}: {}", from.string(), error.message()));
  return {};
}

}  // namespace

void check_scripts(const Project& project, Diagnostics& diagnostics) {
  for (const auto& element : project.elements) check_element(element, diagnostics);
}

FolderBuild::FolderBuild(const Project& project, const ProjectGraph& graph, const RunFolder& folder, SandboxRoot sandbox)
    : project_(project), graph_(graph), folder_(folder), sandbox_(sandbox), state_(graph.graph.size()) {}

PlannedJob FolderBuild::plan_track(ElementId id) const {
  return fail(Reason::bug, fmt::format("{} has only local sources", element(id).name));
}

PlannedJob FolderBuild::plan_fetch(ElementId id) const {
  auto spec = std::make_shared<JobSpec>();
  spec->label = element(id).name + "/fetch";
  for (const auto& source : element(id).sources) {
    const auto path = path_of(source);
    spec->steps.push_back(CopyStep{path == "." ? "project" : "project/" + path,
                                   source.directory.empty() ? "source" : "source/" + source.directory});
  }
  return spec;
}

PlannedJob FolderBuild::plan_build(ElementId id) const {
  const auto& own = element(id);
  auto spec = std::make_shared<JobSpec>();
  spec->label = own.name + "/build";
  spec->steps.push_back(CopyStep{"source", "build"});
  for (const auto& command : commands_of(own)) spec->steps.push_back(RunStep{{"sh", "-e", "-c", command}, "build"});
  for (auto& name : staged_elements(id)) spec->inputs.push_back({std::move(name), project_.prefix, MountMode::read_only});
  spec->outputs = {"install"};
  directory(*spec, "install");  // commands find it there, also without a sandbox to mount it in
  spec->environment = environment(id);
  spec->limits = {own.timeout, own.stall, own.cpu.most, own.memory};
  spec->sandbox = sandbox_;
  spec->uid = project_.sandbox.uid;
  return spec;
}

// Build dependencies and what those need at run time, each once, in the order of the graph.
std::vector<std::string> FolderBuild::staged_elements(ElementId id) const {
  const auto first = graph_.graph.build_dependencies(id);
  std::set<std::uint32_t> all;
  std::vector<ElementId> open(first.begin(), first.end());
  while (!open.empty()) {
    const auto next = open.back();
    open.pop_back();
    if (!all.insert(index(next)).second) continue;
    for (const auto dependency : graph_.graph.runtime_dependencies(next)) open.push_back(dependency);
  }
  std::vector<std::string> names;
  for (const auto i : all) names.push_back(element(ElementId{i}).name);
  return names;
}

std::vector<std::pair<std::string, std::string>> FolderBuild::environment(ElementId id) const {
  const bool inside = sandbox_ != SandboxRoot::none;
  const auto work = folder_.work(element(id).name);
  const auto prefix = inside ? project_.prefix : work + "/prefix";
  const std::string install = inside ? std::string(kInsideInstall) : work + "/install";
  std::map<std::string, std::string> all = {
      {"PATH", prefix + "/bin:/usr/local/bin:/usr/bin:/bin"},
      {"HOME", "/tmp"},
      {"LC_ALL", "C.UTF-8"},
      {"SOURCE_DATE_EPOCH", "946684800"},
      {"PKG_CONFIG_PATH", prefix + "/lib/pkgconfig:" + prefix + "/share/pkgconfig"},
      {"CMAKE_PREFIX_PATH", prefix},
      {"CPATH", prefix + "/include"},
      {"LIBRARY_PATH", prefix + "/lib"},
      {"LD_LIBRARY_PATH", prefix + "/lib"},
  };
  for (const auto& [name, value] : environment_of(project_, element(id))) all[name] = value;
  all["WEIR_PREFIX"] = project_.prefix;
  all["DESTDIR"] = install;
  all["WEIR_OUT"] = install + project_.prefix;
  all["WEIR_JOBS"] = std::to_string(element(id).cpu.most);
  return {all.begin(), all.end()};
}

std::string FolderBuild::directory(const JobSpec& spec, std::string_view root) const {
  if (root == "project") return project_.root;
  const auto path = fs::path(folder_.work(label_element(spec))) / root;
  std::error_code error;
  fs::create_directories(root == "install" ? path / project_.prefix.substr(1) : path, error);
  return path.string();
}

Result<std::vector<StagedInput>> FolderBuild::stage(const JobSpec& spec) const {
  const auto prefix = fs::path(folder_.work(label_element(spec))) / "prefix";
  std::error_code error;
  fs::create_directories(prefix, error);
  for (const auto& input : spec.inputs) {
    const auto from = fs::path(folder_.work(input.tree)) / "install" / project_.prefix.substr(1);
    if (const auto merged = merge(from, prefix); !merged) {
      auto told = merged.error();
      told.message = fmt::format("{}: {} (from {})", spec.label, told.message, input.tree);
      return tl::unexpected(told);
    }
  }
  return std::vector<StagedInput>{{prefix.string(), project_.prefix}};
}

}  // namespace weir::cli
