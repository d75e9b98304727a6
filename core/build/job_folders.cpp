#include "core/build/job_folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "core/build/job_label.h"
#include "core/exec/sandbox.h"
#include "core/project/targets.h"

namespace weir {

namespace fs = std::filesystem;

namespace {

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

// Whether `path` is below `root` without passing a symlink: an element decides what is there, and a link
// would lead to the files of this machine. Reason::project if there is one.
Result<bool> is_own_directory(const std::string& root, const std::string& path) {
  auto at = fs::path(root);
  for (const auto& part : fs::path(path).relative_path()) {
    at /= part;
    std::error_code ignored;
    const auto type = fs::symlink_status(at, ignored).type();
    if (type == fs::file_type::symlink)
      return fail(Reason::project,
                  fmt::format("{} of the dependencies is a symlink", at.lexically_relative(root).string()),
                  "the prefix has to be a folder");
    if (type != fs::file_type::directory) return false;
  }
  return true;
}

// A job may do anything to its install root; whatever is in the place of a folder that weir made is no
// output.
Status check_install_root(const std::string& root, const std::string& prefix) {
  auto at = root;
  std::string inside = "$DESTDIR";
  const auto check = [&]() -> Status {
    struct stat info {};
    const bool exists = ::lstat(at.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) return {};
    const auto done = !exists                 ? "removed"
                      : S_ISLNK(info.st_mode) ? "replaced by a symlink"
                                              : "replaced by a file";
    return fail(Reason::project, fmt::format("{} was {} by the build", inside, done),
                "install into it, or remove only its content");
  };
  if (auto checked = check(); !checked) return checked;
  for (const auto& part : fs::path(prefix).relative_path()) {
    at += "/" + part.string();
    inside = fmt::format("$WEIR_OUT ($DESTDIR{})", at.substr(root.size()));
    if (auto checked = check(); !checked) return checked;
  }
  return {};
}

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

// How many files are in a directory that has nothing but at most `most` files, all of them short.
std::optional<std::size_t> small_files_in(const std::string& path, std::size_t most, off_t size) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  if (!directory) return std::nullopt;
  std::size_t files = 0;
  while (const auto* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat info {};
    if (entry->d_type != DT_REG || ++files > most) return std::nullopt;
    if (::fstatat(::dirfd(directory.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        info.st_size > size)
      return std::nullopt;
  }
  return files;
}

Result<store::Digest> merged_sources(store::Store& store, const std::vector<store::Layer>& layers) {
  auto merged = store.merge(layers);
  if (!merged && merged.error().reason == Reason::project)
    return fail(Reason::project, "the sources do not fit together: " + merged.error().message,
                "put one of them elsewhere with `directory`");
  return merged;
}

Error dependencies_differ(Error error, const JobSpec& spec) {
  if (error.reason != Reason::project) return error;
  error.message = "the dependencies overlap: " + error.message;
  if (error.remedy == store::kInstallOnce)
    error.remedy += fmt::format(", or list it in `overlaps` of {}", element_of(spec));
  return error;
}

}  // namespace

std::vector<std::string> overlaps_of(const Project& project, const std::string& element) {
  const auto* found = project.find(element);
  return found ? found->overlaps : std::vector<std::string>{};
}

store::MayOverlap may_overlap(std::vector<std::string> globs) {
  if (globs.empty()) return {};
  return [globs = std::move(globs)](std::string_view path) {
    return std::any_of(globs.begin(), globs.end(),
                       [&](const std::string& glob) { return glob_matches(glob, path); });
  };
}

std::string JobFolders::folder(const JobSpec& spec) const {
  const auto element = folder_name(element_of(spec), queue_of(spec));
  return spec.sandbox == SandboxRoot::none ? places_.bare(element) : places_.work(element);
}

std::string JobFolders::directory(const JobSpec& spec, std::string_view root) const {
  if (root != "build" && root != "install") return {};
  return folder(spec) + "/" + std::string(root);
}

Status JobFolders::make_folders(const JobSpec& spec) {
  if (places_.building && queue_of(spec) == "build") places_.building(element_of(spec));
  return spares_.make(folder(spec));
}

bool JobFolders::stages_little(const JobSpec& spec) const {
  const auto has_files = [this](const Input& input) {
    return input.mode == MountMode::private_copy || brings_files(input);
  };
  return spec.sandbox != SandboxRoot::staged &&
         std::none_of(spec.inputs.begin(), spec.inputs.end(), has_files) && !is_there(folder(spec));
}

bool JobFolders::left_little(const JobSpec& spec, const std::string& log) const {
  constexpr std::size_t kFew = 2;  // 40 us each
  constexpr off_t kShort = off_t{32} * 1024;
  const auto base = folder(spec);
  struct stat said {};
  if (::stat(log.c_str(), &said) == 0 && said.st_size > kShort) return false;
  const auto left = small_files_in(base + "/build", kFew, kShort);
  return left && small_files_in(base + "/install" + places_.prefix, kFew - *left, kShort);
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
  if (auto sources = stage_sources(spec); !sources) return tl::unexpected(sources.error());
  return stage_dependencies(job, spec);
}

Status JobFolders::stage_sources(const JobSpec& spec) {
  const auto layers = source_layers(spec);
  if (!layers) return tl::unexpected(layers.error());
  if (layers->empty()) return {};  // the folder is as it should be
  const auto tree = merged_sources(store_, *layers);
  if (!tree) return tl::unexpected(tree.error());
  return store_.checkout(*tree, directory(spec, "build"));
}

// All sources, each at its place in the build directory.
Result<std::vector<store::Layer>> JobFolders::source_layers(const JobSpec& spec) {
  std::vector<store::Layer> layers;
  for (const auto& input : spec.inputs) {
    const auto place =
        input.mode == MountMode::private_copy ? below(input.mount, kInsideBuild) : std::nullopt;
    if (!place) continue;
    const auto tree = digest_of(input);
    if (!tree) return tl::unexpected(tree.error());
    const auto placed = tree_at(store_, *tree, *place);
    if (!placed) return tl::unexpected(placed.error());
    layers.push_back({*placed, input.owner});
  }
  return layers;
}

Result<store::Digest> JobFolders::source_tree(const JobSpec& spec) {
  const auto layers = source_layers(spec);
  if (!layers) return tl::unexpected(layers.error());
  return merged_sources(store_, *layers);
}

// Copies alone need no files: the output follows from the trees.
Result<std::optional<store::Digest>> JobFolders::tree_without_files(const JobSpec& spec) {
  std::vector<store::Layer> layers;
  for (const auto& step : spec.steps) {
    const auto* copy = std::get_if<CopyStep>(&step);
    const auto from = copy ? below(copy->from, "build") : std::nullopt;
    const auto to = copy ? below(copy->to, "install") : std::nullopt;
    if (!from || !to) return std::nullopt;
    const auto sources = source_tree(spec);
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
  for (const auto& input : spec.inputs) {
    if (input.mode == MountMode::private_copy || !brings_files(input)) continue;
    const auto tree = digest_of(input);
    if (!tree) return tl::unexpected(tree.error());
    layers.push_back({*tree, input.owner});
  }
  const bool whole = spec.sandbox == SandboxRoot::staged;
  if (layers.empty() && !whole) return StagedJob{{}, false, lacks_libraries(spec, {})};
  if (spec.sandbox == SandboxRoot::none) {
    // Nothing keeps a job without a sandbox from writing there, so nothing of the store may be in it.
    auto merged = store_.merge(layers, overlaps(spec));
    if (!merged) return tl::unexpected(dependencies_differ(merged.error(), spec));
    if (auto copied = store_.checkout(*merged, folder(spec) + "/prefix"); !copied)
      return tl::unexpected(copied.error());
    return bare_stage(spec);
  }
  auto stage = store_.stage(layers, store::StageMode::read_only, overlaps(spec));
  if (!stage) return tl::unexpected(dependencies_differ(stage.error(), spec));
  StagedJob staged;
  const auto part = whole ? std::string() : places_.prefix;
  const auto is_there = is_own_directory(stage->path(), part);
  if (!is_there) return tl::unexpected(is_there.error());
  if (*is_there) staged.inputs.push_back({stage->path() + part, whole ? "/" : part});
  staged.no_libraries = lacks_libraries(spec, stage->path() + places_.prefix);
  const std::lock_guard lock(mutex_);
  stages_[index(job)] = std::move(*stage);
  return staged;
}

store::MayOverlap JobFolders::overlaps(const JobSpec& spec) const {
  return places_.overlaps ? may_overlap(places_.overlaps(element_of(spec))) : store::MayOverlap{};
}

StagedJob JobFolders::bare_stage(const JobSpec& spec) const {
  return {{}, false, lacks_libraries(spec, folder(spec) + "/prefix" + places_.prefix)};
}

bool JobFolders::lacks_libraries(const JobSpec& spec, const std::string& brought) const {
  const auto prefix =
      spec.sandbox == SandboxRoot::none ? folder(spec) + "/prefix" + places_.prefix : places_.prefix;
  const auto& all = spec.environment;
  const auto own = std::find(all.begin(), all.end(),
                             std::pair<std::string, std::string>("LD_LIBRARY_PATH", prefix + "/lib"));
  return own != all.end() && (brought.empty() || !is_there(brought + "/lib"));
}

// The same for all, so it is asked of the store once in a run, which pins it.
Result<std::vector<std::string>> JobFolders::empty_outputs() {
  const std::lock_guard lock(mutex_);
  if (empty_) return *empty_;
  const auto nothing = store_.put_directory({});
  if (!nothing) return tl::unexpected(nothing.error());
  const auto tree = tree_at(store_, *nothing, fs::path(places_.prefix).relative_path().string());
  if (!tree) return tl::unexpected(tree.error());
  const auto said = store_.put_blob("");
  if (!said) return tl::unexpected(said.error());
  empty_ = {tree->text(), said->text()};
  return *empty_;
}

Status JobFolders::check_dependencies(JobId job) {
  std::unique_lock lock(mutex_);
  const auto stage = stages_.extract(index(job));
  lock.unlock();
  return stage ? store_.check_stage(stage.mapped()) : Status{};
}

bool JobFolders::has_stage(JobId job) {
  const std::lock_guard lock(mutex_);
  return stages_.count(index(job)) > 0;
}

Result<std::vector<std::string>> JobFolders::collect(JobId job, const JobSpec& spec, const std::string& log) {
  if (auto checked = check_dependencies(job); !checked) return tl::unexpected(checked.error());
  return left_nothing(spec, log) ? empty_outputs() : outputs_of(job, spec, log);
}

std::optional<Result<std::vector<std::string>>> JobFolders::collect_little(JobId job, const JobSpec& spec,
                                                                           const std::string& log) {
  if (!store_.is_free() || has_stage(job)) return std::nullopt;
  if (left_nothing(spec, log)) return empty_outputs();
  if (!left_little(spec, log)) return std::nullopt;
  return outputs_of(job, spec, log);
}

bool JobFolders::left_nothing(const JobSpec& spec, const std::string& log) {
  return !is_there(log) && spares_.give_back_untouched(folder(spec));
}

Result<std::vector<std::string>> JobFolders::outputs_of(JobId job, const JobSpec& spec,
                                                        const std::string& log) {
  const auto tree = output_tree(job, spec);
  if (!tree) return tl::unexpected(tree.error());
  std::error_code error;
  const auto said = fs::is_regular_file(log, error) ? store_.put_file(log) : store_.put_blob("");
  if (!said) return tl::unexpected(said.error());
  spares_.give_back(folder(spec));
  return std::vector<std::string>{tree->text(), said->text()};
}

Result<store::Digest> JobFolders::output_tree(JobId job, const JobSpec& spec) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_outputs_.extract(index(job))) return known.mapped();
  }
  const auto root = directory(spec, "install");
  if (auto checked = check_install_root(root, places_.prefix); !checked)
    return tl::unexpected(checked.error());
  auto collected = store_.collect(root);
  if (!collected) return tl::unexpected(collected.error());
  if (!collected->stripped.empty() && places_.stripped)
    places_.stripped(element_of(spec), collected->stripped);
  return collected->tree;
}

}  // namespace weir
