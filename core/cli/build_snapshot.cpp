#include "core/cli/build_snapshot.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/base/log.h"
#include "core/base/real_path.h"
#include "core/base/text.h"
#include "core/cli/store_folder.h"
#include "core/cli/version.h"
#include "core/project/element_files.h"
#include "core/project/project_codec.h"
#include "core/snapshot/load_whole.h"
#include "core/store/epoch.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kKeptOfProject = 4;                    // for as many sets of targets
constexpr std::int64_t kUseGranularity = 3'600'000'000'000;  // as the store has it

bool is_served(const RunRequest& request) {
  return request.work == Work::build && !request.track && !request.force && !request.retry_failed &&
         !request.rebuild_check && !request.verbose && !request.events && !request.junit;
}

bool pushes(const RunRequest& request, const Settings& settings) {
  const auto& remotes = settings.remotes.value;
  return !request.no_push && settings.sandbox.value != SandboxRoot::none &&
         std::any_of(remotes.begin(), remotes.end(),
                     [](const Remote& remote) { return remote.push != Push::no; });
}

std::string hex_of(std::string_view text) {
  const auto hash = snapshot::hash_of(text);
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

std::string with_lengths(const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all += fmt::format("{}:{},", text.size(), text);
  return all;
}

std::string snapshots_of(const std::string& cache_directory) { return cache_directory + "/snapshots"; }

std::string path_of(const std::string& cache_directory, const std::string& root,
                    const std::vector<std::string>& targets) {
  return fmt::format("{}/{}-{}", snapshots_of(cache_directory), hex_of(root), hex_of(with_lengths(targets)));
}

// By its name: what /proc/self/exe leads to is the tool where weir is run by one (valgrind).
std::string program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).string();
}

std::string who_asks() { return fmt::format("weir {} {} {}\n", version(), kProjectCodec, program()); }

std::string question_of(const RunRequest& request, const OpenedProject& opened,
                        const std::string& store_stamp) {
  const auto& values = opened.values();
  utsname machine{};
  ::uname(&machine);
  std::string text = who_asks() + fmt::format("root {}\ntargets {}\nsandbox {}\nmachine {} {}\nstore {}\n",
                                              opened.project().root, with_lengths(request.targets),
                                              static_cast<int>(values.sandbox.value), machine.machine,
                                              ::gnu_get_libc_version(), store_stamp);
  for (const auto& place : opened.kinds.path()) text += fmt::format("plugins {}\n", place.path);
  for (const auto& remote : values.remotes.value)
    text += fmt::format("remote {}\n", without_passwords(remote.url));
  return text;
}

// The project as far as the snapshot needs no files for it, with the settings of now.
std::unique_ptr<OpenedProject> open_frame(const RunRequest& request, const snapshot::Snapshot& snapshot,
                                          const std::string& shown) {
  auto frame = std::make_unique<OpenedProject>();
  if (!snapshot.frame(frame->loaded.project)) return nullptr;
  frame->loaded.files.add(shown + "weir.toml");
  frame->settings = load_settings({&frame->project(), request.settings, {}, false}, frame->loaded.files);
  if (!frame->settings.ok()) return nullptr;
  frame->kinds = Kinds(plugin_path(plugin_folders(frame->project()), frame->project().root));
  frame->find_folder();
  return frame;
}

// Newest first.
std::vector<std::pair<fs::file_time_type, fs::path>> snapshots_of_project(const std::string& cache_directory,
                                                                          const std::string& root) {
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(snapshots_of(cache_directory), ignored))
    if (entry.path().filename().string().starts_with(hex_of(root)) && !entry.path().has_extension())
      all.emplace_back(fs::last_write_time(entry.path(), ignored), entry.path());
  std::sort(all.rbegin(), all.rend());
  return all;
}

bool is_newer(const std::string& program, const fs::path& snapshot) {
  std::error_code ignored;
  return fs::last_write_time(program, ignored) >= fs::last_write_time(snapshot, ignored);
}

// Of the sets of targets that were built in this project, those that were built last are kept.
void forget_old(const std::string& cache_directory, const std::string& root) {
  const auto all = snapshots_of_project(cache_directory, root);
  std::error_code ignored;
  for (std::size_t i = kKeptOfProject; i < all.size(); ++i) {
    fs::remove(all[i].second, ignored);
    fs::remove(all[i].second.string() + ".delta", ignored);
  }
}

std::vector<std::string> host_paths(const OpenedProject& opened, const PlannedTargets& planned) {
  auto paths = planned.host->looked_at();
  for (const auto& place : opened.kinds.path()) paths.push_back(place.path);
  for (const auto& library : opened.kinds.loaded()) paths.push_back(library);
  for (const auto& item : opened.trust.items)
    if (!item.file.empty()) paths.push_back(item.file);
  paths.push_back(program());
  return paths;
}

std::vector<store::Key> keys_of(const snapshot::Snapshot& snapshot) {
  std::vector<store::Key> keys;
  for (const auto& row : snapshot.elements()) {
    if (!(row.flags & snapshot::ElementRow::there)) continue;
    keys.push_back(row.recipe_key);
    if (row.kept_as != row.recipe_key) keys.push_back(row.kept_as);
  }
  return keys;
}

// Records that nobody looks up would be the first that a gc takes.
void note_uses(FoundSnapshot& found) {
  if (found.taken_ns - static_cast<std::int64_t>(found.snapshot.counts().noted_ns) < kUseGranularity) return;
  const auto store = store::Store::open(store_folder(found.frame->values()));
  if (!store || !found.snapshot.open_elements()) return;
  (*store)->note_uses(keys_of(found.snapshot));
  (*store)->flush();
  auto counts = found.snapshot.counts();
  counts.noted_ns = static_cast<std::uint64_t>(found.taken_ns);
  found.changes.settled.push_back({snapshot::Section::counts, 0, std::string(snapshot::bytes_of(counts))});
}

// A snapshot holds the project, and no password is ever kept in the cache.
bool has_passwords(const Project& project) {
  const auto has = [](const std::string& url) { return without_passwords(url) != url; };
  return std::any_of(project.remotes.begin(), project.remotes.end(),
                     [&](const Remote& remote) { return has(remote.url); }) ||
         std::any_of(project.elements.begin(), project.elements.end(), [&](const Element& element) {
           return std::any_of(element.sources.begin(), element.sources.end(),
                              [&](const Source& source) { return has(source.url); });
         });
}

}  // namespace

std::optional<FoundSnapshot> find_snapshot(const RunRequest& request) {
  if (!is_served(request)) return std::nullopt;
  const auto taken_ns = wall_clock_ns();
  const auto place = find_project(request.directory);
  if (!place) return std::nullopt;
  const auto root = real_path(*place).value_or("");
  const auto outside = load_settings({nullptr, request.settings, {}}, {});
  if (root.empty() || !outside.ok()) return std::nullopt;
  auto opened = snapshot::Snapshot::open(path_of(outside.settings.cache_dir.value, root, request.targets));
  if (!opened) return std::nullopt;
  FoundSnapshot found{
      std::move(*opened), nullptr, *place == "." ? "" : *place + "/", {}, taken_ns, {}, false};
  found.frame = open_frame(request, found.snapshot, found.shown);
  if (!found.frame || pushes(request, found.frame->values()) ||
      !found.snapshot.answers(
          question_of(request, *found.frame, store::whole_stamp(store_folder(found.frame->values())))))
    return std::nullopt;
  const auto stage = request.check || request.dry_run ? TrustStage::open : TrustStage::run;
  const auto trusted = found.snapshot.file().bytes(snapshot::Section::trust);
  if (!trusted || !still_trusts(*trusted, root, found.frame->values(), stage)) return std::nullopt;
  if (!examine_trust(found.frame->loaded, found.frame->values(),
                     trust_items_of_hooks(found.frame->loaded, found.frame->values()))
           .allows(stage))
    return std::nullopt;
  found.changes = snapshot::look(found.snapshot, root);
  if (found.changes.everything) return std::nullopt;
  return found;
}

std::optional<LoadedProject> load_from_snapshot(const std::string& directory,
                                                const std::vector<TextSetting>& command_line) {
  const auto place = find_project(directory);
  const auto root = place ? real_path(*place).value_or("") : std::string();
  const auto outside = load_settings({nullptr, command_line, {}}, {});
  if (root.empty() || !outside.ok()) return std::nullopt;
  const auto all = snapshots_of_project(outside.settings.cache_dir.value, root);
  if (all.empty()) return std::nullopt;
  auto snapshot = snapshot::Snapshot::open(all.front().second.string());
  // A weir of another kind reads other things from the same files.
  const auto question = snapshot ? snapshot->file().bytes(snapshot::Section::question) : std::nullopt;
  if (!question || !question->starts_with(who_asks()) || is_newer(program(), all.front().second))
    return std::nullopt;
  const auto trusted = snapshot->file().bytes(snapshot::Section::trust);
  if (!trusted || !still_trusts(*trusted, root, outside.settings, TrustStage::open)) return std::nullopt;
  return snapshot::load_whole(*snapshot, root, *place == "." ? "" : *place + "/");
}

void keep_known(FoundSnapshot& found) {
  if (found.outgrown) {
    ::unlink(found.snapshot.path().c_str());
    return;
  }
  note_uses(found);
  if (found.changes.settled.empty()) return;
  // What cannot be written is found out again the next time.
  if (const auto kept = found.snapshot.file().patch(found.snapshot.path(), found.changes.settled); !kept)
    log_debug("{}", kept.error().message);
}

void take_snapshot(const RunRequest& request, const OpenedProject& opened, const PlannedTargets& planned,
                   const std::string& store_stamp, const OutcomeOf& outcome) {
  if (request.work != Work::build || request.track || pushes(request, opened.values()) ||
      has_passwords(opened.project()))
    return;
  const auto& cache = opened.values().cache_dir.value;
  const auto path = path_of(cache, opened.project().root, request.targets);
  std::error_code ignored;
  fs::create_directories(snapshots_of(cache), ignored);
  const auto taken = snapshot::take(
      {opened.loaded, *planned.plan, planned.targets, question_of(request, opened, store_stamp),
       encode_trust(opened.trust), host_paths(opened, planned), outcome},
      path);
  if (!taken) {
    log_debug("no snapshot: {}", taken.error().message);
    fs::remove(path, ignored);
    return;
  }
  forget_old(cache, opened.project().root);
}

}  // namespace weir::cli
