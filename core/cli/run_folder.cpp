#include "core/cli/run_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <system_error>

#include "core/base/beneath.h"
#include "core/base/owned_path.h"
#include "core/base/remove_tree.h"
#include "core/base/shell_word.h"
#include "core/cli/folder_lock.h"
#include "core/cli/run_history.h"
#include "core/cli/shell_folder.h"
#include "core/exec/tree_control.h"
#include "core/store/file_tools.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

// FNV-1a: tells folders apart, guards nothing.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash;
}

// 0 for what is no run.
std::uint64_t number_of(std::string_view name) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : 0;
}

std::string root_suffix(std::string_view project_root) {
  return fmt::format("-{:016x}", hash_of(project_root));
}

std::vector<PastRun> runs_in(const fs::path& project) {
  std::vector<PastRun> runs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(project / "runs", ignored))
    if (const auto number = number_of(entry.path().filename().string()))
      runs.push_back({number, entry.path().string()});
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.number > b.number; });
  return runs;
}

// Not fs::remove_all: a build may leave folders that nobody can enter, and any number of levels. Jobs of a
// weir that was killed a moment ago may still write while they die.
void remove_work(int folder, const std::string& name) {
  constexpr int kAttempts = 20, kMilliseconds = 5;
  for (int attempt = 0; attempt < kAttempts && !remove_tree(folder, name); ++attempt)
    ::poll(nullptr, 0, kMilliseconds);
}

// Of what a run left, only builds that failed are of use; a killed weir leaves others. Whether there are any.
bool keep_failed(const PastRun& run, int work) {
  std::set<std::string> failed;
  for (const auto& job : read_jobs(run.events()))
    if (job.failed() && job.queue == "build") failed.insert(escaped(job.element));
  bool any = false;
  for (const auto& entry : store::list_directory(work).value_or(std::vector<store::Entry>{})) {
    const bool kept = failed.contains(entry.name);
    if (!kept) remove_work(work, entry.name);
    any |= kept;
  }
  return any;
}

constexpr const char* kWork = "elements";
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// Whether it keeps the work of builds that failed: with `may_keep`, else all of it is removed.
bool clean_up_run(const PastRun& run, int runs, bool may_keep) {
  const auto name = std::to_string(run.number);
  struct stat work {};
  if (::fstatat(runs, (name + "/" + kWork).c_str(), &work, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const auto lock = lock_folder(runs, name);
  if (!lock || ::unlinkat(lock.get(), kWork, AT_REMOVEDIR) == 0) return false;  // most runs leave nothing
  CgroupPool::remove_stale();  // what may still be at work there
  const UniqueFd opened(::openat(lock.get(), kWork, kOpenFolder | O_NOFOLLOW));
  if (may_keep && opened && keep_failed(run, opened.get())) return true;
  remove_work(lock.get(), kWork);
  return false;
}

// Removes the work of runs that are over, but for the newest that has any: what a build left when it failed
// is there until another one fails or the element is built again. Whatever stands in the place of a folder is
// not followed: links into the files of others may have been left while the cache was open to them.
struct Before {
  std::uint64_t highest = 0;
  std::string kept;  // the folder of that run
};
Before clean_up(int runs, const std::string& path) {
  std::vector<PastRun> past;
  Before before;
  for (const auto& entry : store::list_directory(runs).value_or(std::vector<store::Entry>{})) {
    const auto number = number_of(entry.name);
    before.highest = std::max(before.highest, number);
    if (number > 0 && entry.type != DT_LNK) past.push_back({number, path + "/" + entry.name});
  }
  std::sort(past.begin(), past.end(), [](const auto& a, const auto& b) { return a.number > b.number; });
  for (const auto& run : past)
    if (clean_up_run(run, runs, before.kept.empty())) before.kept = run.path;
  return before;
}

// A folder in another one of weir's, made where it is missing; never by way of a link.
Result<UniqueFd> open_inside(int folder, const std::string& name, const std::string& path, Sharing sharing) {
  const auto open = [&] { return open_beneath(folder, name, kOpenFolder, 0, Links::none); };
  auto found = open();
  if (!found && errno == ENOENT &&
      make_directory_beneath(folder, name, sharing == Sharing::shared ? 0777 : 0700, Links::none))
    found = open();
  struct stat info {};
  if (!found && (errno == ELOOP || errno == ENOTDIR))
    return fail(
        Reason::usage, path + " is not a folder of weir's, but a link or a file",
        fmt::format("remove it (`rm {}`), or set WEIR_CACHE_DIR to another folder", shell_word(path)));
  if (!found || ::fstat(found.get(), &info) != 0) return fail_errno("making " + path);
  if (sharing == Sharing::shared) return found;
  if (auto owned = check_owned_folder(info, path); !owned) return tl::unexpected(owned.error());
  return found;
}

// The way to it was checked when the settings were read, and nobody else can change it.
Result<UniqueFd> open_project_folder(const std::string& path, Sharing sharing) {
  const auto slash = path.rfind('/');
  const auto projects = path.substr(0, slash);
  const auto open = [&] { return UniqueFd(::open(projects.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)); };
  auto folder = open();
  if (!folder && errno == ENOENT) {
    std::error_code error;
    fs::create_directories(projects, error);
    if (error) return fail_errno("making " + projects, error.value());
    folder = open();
  }
  if (!folder) return fail_errno("opening " + projects);
  return open_inside(folder.get(), path.substr(slash + 1), path, sharing);
}

tl::unexpected<Error> cannot_make(Error error) {
  if (error.remedy.empty()) error.remedy = "set WEIR_CACHE_DIR to a folder that you may write to";
  return tl::unexpected(std::move(error));
}

// The one whose last run was made last.
fs::path latest_of_root(const fs::path& projects, const std::string& suffix) {
  std::pair<fs::file_time_type, fs::path> latest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(projects, error)) {
    if (!entry.path().filename().string().ends_with(suffix)) continue;
    const auto time = fs::last_write_time(entry.path() / "runs", error);
    if (!error && (latest.second.empty() || time > latest.first)) latest = {time, entry.path()};
  }
  return latest.second;
}

}  // namespace

std::string escaped(std::string_view name) {
  std::string out;
  for (const unsigned char byte : name) {
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' ||
                       (byte == '.' && !out.empty());
    out += plain ? std::string(1, static_cast<char>(byte)) : fmt::format("%{:02x}", byte);
  }
  return out;
}

std::string project_folder(const std::string& cache_directory, std::string_view project_name,
                           std::string_view project_root) {
  return cache_directory + "/projects/" + escaped(project_name) + root_suffix(project_root);
}

std::vector<PastRun> list_runs(const std::string& cache_directory, std::string_view project_name,
                               std::string_view project_root) {
  auto runs = runs_in(project_folder(cache_directory, project_name, project_root));
  if (!runs.empty()) return runs;
  const auto other = latest_of_root(fs::path(cache_directory) / "projects", root_suffix(project_root));
  return other.empty() ? runs : runs_in(other);
}

Result<RunFolder> RunFolder::make(const std::string& cache_directory, std::string_view project_name,
                                  std::string_view project_root, Sharing sharing) {
  const auto path = project_folder(cache_directory, project_name, project_root);
  const auto runs_path = path + "/runs";
  const auto project = open_project_folder(path, sharing);
  if (!project) return cannot_make(project.error());
  const auto runs = open_inside(project->get(), "runs", runs_path, sharing);
  if (!runs) return cannot_make(runs.error());
  remove_dead_shells(project->get());
  auto before = clean_up(runs->get(), runs_path);
  for (auto number = before.highest + 1;; ++number) {
    const auto name = std::to_string(number), made = fmt::format("{}/{}", runs_path, name);
    if (::mkdirat(runs->get(), name.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;  // another weir was faster
      return cannot_make(fail_errno("making " + made).value());
    }
    auto lock = lock_folder(runs->get(), name);
    if (!lock || ::mkdirat(lock.get(), "logs", 0777) != 0 || ::mkdirat(lock.get(), kWork, 0777) != 0)
      return cannot_make(fail_errno("making folders in " + made).value());
    return RunFolder(made, number, std::move(lock), std::move(before.kept));
  }
}

void RunFolder::has_no_work() const { ::rmdir((path_ + "/elements").c_str()); }

void RunFolder::lend() const { (void)::flock(lock_.get(), LOCK_SH | LOCK_NB); }
void RunFolder::take_back() const { (void)::flock(lock_.get(), LOCK_EX | LOCK_NB); }

void RunFolder::forget_failed(std::string_view element) const {
  if (failed_before_.empty()) return;
  const auto work = std::string(kWork) + "/" + escaped(element);
  if (::access((failed_before_ + "/" + work).c_str(), F_OK) != 0) return;
  // Somebody may have a shell open there.
  if (const auto lock = lock_folder(failed_before_)) remove_work(lock.get(), work);
}

std::string RunFolder::work(std::string_view element) const { return PastRun{number_, path_}.work(element); }

std::string PastRun::work(std::string_view element) const { return path + "/elements/" + escaped(element); }

}  // namespace weir::cli
