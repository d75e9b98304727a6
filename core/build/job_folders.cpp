#include "core/build/job_folders.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/build/tree_edit.h"

namespace weir {

namespace fs = std::filesystem;

namespace {

std::string element_of(const JobSpec& spec) { return spec.label.substr(0, spec.label.rfind('/')); }

Result<store::Digest> digest_of(const Input& input) {
  const auto digest = store::Digest::parse(input.tree);
  if (!digest) return fail(Reason::bug, fmt::format("\"{}\" is no digest", input.tree));
  return *digest;
}

// "build/a/b" below "build": "a/b".
std::optional<std::string_view> below(std::string_view path, std::string_view root) {
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (path.empty()) return path;
  if (path.front() != '/') return std::nullopt;
  return path.substr(1);
}

Status file_error(std::string_view doing, const std::error_code& error) {
  const bool full = error == std::errc::no_space_on_device;
  return fail(full ? Reason::resources : Reason::system, fmt::format("{}: {}", doing, error.message()),
              full ? "make room and build again" : "");
}

// A build may leave folders that even their owner cannot enter.
void remove_all(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  for (fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error), end; it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) fs::permissions(it->path(), fs::perms::owner_all, ignored);
  }
  fs::remove_all(path, error);
}

}  // namespace

std::string JobFolders::folder(const JobSpec& spec) const {
  const auto element = element_of(spec);
  return spec.sandbox == SandboxRoot::none ? places_.bare(element) : places_.work(element);
}

std::string JobFolders::directory(const JobSpec& spec, std::string_view root) const {
  if (root != "build" && root != "install") return {};
  return folder(spec) + "/" + std::string(root);
}

Status JobFolders::make_folders(const JobSpec& spec) const {
  const auto base = folder(spec);
  remove_all(base);  // of an attempt before
  std::error_code error;
  for (const auto& path : {base + "/build", base + "/install" + places_.prefix}) {
    fs::create_directories(path, error);
    if (error) return file_error("making " + path, error);
  }
  return {};
}

Result<StagedJob> JobFolders::stage(JobId job, const JobSpec& spec) {
  auto made = tree_without_files(spec);
  if (!made) return tl::unexpected(made.error());
  if (*made) {
    const std::lock_guard lock(mutex_);
    known_outputs_[index(job)] = **made;
    return StagedJob{{}, true};
  }
  if (auto folders = make_folders(spec); !folders) return tl::unexpected(folders.error());
  const auto sources = digest_of(spec.inputs.front());
  if (!sources) return tl::unexpected(sources.error());
  if (auto copied = store_.checkout(*sources, directory(spec, "build")); !copied) return tl::unexpected(copied.error());
  return stage_dependencies(job, spec);
}

// Copies alone need no files: the output follows from the trees.
Result<std::optional<store::Digest>> JobFolders::tree_without_files(const JobSpec& spec) {
  std::vector<store::Layer> layers;
  for (const auto& step : spec.steps) {
    const auto* copy = std::get_if<CopyStep>(&step);
    const auto from = copy ? below(copy->from, "build") : std::nullopt;
    const auto to = copy ? below(copy->to, "install") : std::nullopt;
    if (!from || !to) return std::nullopt;
    const auto sources = digest_of(spec.inputs.front());
    if (!sources) return tl::unexpected(sources.error());
    const auto part = subtree(store_, *sources, *from);
    if (!part) return tl::unexpected(part.error());
    const auto placed = tree_at(store_, *part, *to);
    if (!placed) return tl::unexpected(placed.error());
    layers.push_back({*placed, copy->from});
  }
  auto merged = store_.merge(layers);
  if (!merged) return tl::unexpected(merged.error());
  return *merged;
}

Result<StagedJob> JobFolders::stage_dependencies(JobId job, const JobSpec& spec) {
  std::vector<store::Layer> layers;
  for (std::size_t i = 1; i < spec.inputs.size(); ++i) {
    const auto tree = digest_of(spec.inputs[i]);
    if (!tree) return tl::unexpected(tree.error());
    layers.push_back({*tree, spec.inputs[i].owner});
  }
  const bool bare = spec.sandbox == SandboxRoot::none;
  if (bare) {
    // Nothing keeps a job without a sandbox from writing there, so nothing of the store may be in it.
    auto merged = store_.merge(layers);
    if (!merged) return tl::unexpected(merged.error());
    if (auto copied = store_.checkout(*merged, folder(spec) + "/prefix"); !copied) return tl::unexpected(copied.error());
    return StagedJob{};
  }
  auto stage = store_.stage(layers, store::StageMode::read_only);
  if (!stage) return tl::unexpected(stage.error());
  StagedJob staged;
  std::error_code error;
  const bool whole = spec.sandbox == SandboxRoot::staged;
  const auto part = whole ? stage->path() : stage->path() + places_.prefix;
  if (fs::is_directory(part, error)) staged.inputs.push_back({part, whole ? "/" : places_.prefix});
  const std::lock_guard lock(mutex_);
  stages_[index(job)] = std::move(*stage);
  return staged;
}

Result<std::vector<std::string>> JobFolders::collect(JobId job, const JobSpec& spec, const std::string& log) {
  const auto tree = output_tree(job, spec);
  if (!tree) return tl::unexpected(tree.error());
  std::error_code error;
  const auto said = fs::exists(log, error) ? store_.put_file(log) : store_.put_blob("");
  if (!said) return tl::unexpected(said.error());
  remove_work(spec);
  return std::vector<std::string>{tree->text(), said->text()};
}

Result<store::Digest> JobFolders::output_tree(JobId job, const JobSpec& spec) {
  {
    const std::lock_guard lock(mutex_);
    stages_.erase(index(job));
    if (const auto known = known_outputs_.extract(index(job))) return known.mapped();
  }
  auto collected = store_.collect(directory(spec, "install"));
  if (!collected) return tl::unexpected(collected.error());
  return collected->tree;
}

void JobFolders::remove_work(const JobSpec& spec) const { remove_all(folder(spec)); }

}  // namespace weir
