#include "core/cli/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <system_error>

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
std::uint64_t number_of(const fs::path& path) {
  const auto name = path.filename().string();
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
    if (const auto number = number_of(entry.path())) runs.push_back({number, entry.path().string()});
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.number > b.number; });
  return runs;
}

// Not fs::remove_all: a build may leave folders that nobody can enter, and any number of levels. Jobs of a
// weir that was killed a moment ago may still write while they die.
void remove_work(const fs::path& path) {
  constexpr int kAttempts = 20, kMilliseconds = 5;
  for (int attempt = 0; attempt < kAttempts && !store::remove_tree(AT_FDCWD, path.string()); ++attempt)
    ::poll(nullptr, 0, kMilliseconds);
}

// Of what a run left, only builds that failed are of use; a killed weir leaves others. Whether there are any.
bool keep_failed(const PastRun& run, const fs::path& work) {
  std::set<std::string> failed;
  for (const auto& job : read_jobs(run.events()))
    if (job.failed() && job.queue == "build") failed.insert(escaped(job.element));
  bool any = false;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(work, ignored)) {
    const bool kept = failed.contains(entry.path().filename().string());
    if (!kept) remove_work(entry.path());
    any |= kept;
  }
  return any;
}

// Removes the work of runs that are over, but for the newest that has any: what a build left when it failed
// is there until another one fails or the element is built again.
struct Before {
  std::uint64_t highest = 0;
  std::string kept;  // the folder of that run
};
Before clean_up(const fs::path& project) {
  const auto runs = runs_in(project);
  Before before{runs.empty() ? 0 : runs.front().number, {}};
  for (const auto& run : runs) {
    std::error_code ignored;
    const auto work = fs::path(run.path) / "elements";
    if (::access(work.c_str(), F_OK) != 0) continue;
    const auto lock = lock_folder(run.path);
    if (!lock || ::rmdir(work.c_str()) == 0) continue;  // most runs leave nothing
    CgroupPool::remove_stale();                         // what may still be at work there
    if (before.kept.empty() && keep_failed(run, work)) before.kept = run.path;
    else remove_work(work);
  }
  return before;
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
                                  std::string_view project_root) {
  const auto runs = fs::path(project_folder(cache_directory, project_name, project_root)) / "runs";
  const auto failed = [&](const std::error_code& error) {
    return fail(Reason::system, fmt::format("making {}: {}", runs.string(), error.message()),
                "set WEIR_CACHE_DIR to a folder that you may write to");
  };
  std::error_code error;
  fs::create_directories(runs, error);
  if (error) return failed(error);
  remove_dead_shells(runs.parent_path().string());
  auto before = clean_up(runs.parent_path());
  for (auto number = before.highest + 1;; ++number) {
    const auto path = runs / std::to_string(number);
    if (!fs::create_directory(path, error)) {
      if (error) return failed(error);
      continue;  // another weir was faster
    }
    auto lock = lock_folder(path.string());
    fs::create_directory(path / "logs", error);
    if (!error) fs::create_directory(path / "elements", error);
    if (error) return failed(error);
    return RunFolder(path.string(), number, std::move(lock), std::move(before.kept));
  }
}

void RunFolder::has_no_work() const { ::rmdir((path_ + "/elements").c_str()); }

void RunFolder::lend() const { (void)::flock(lock_.get(), LOCK_SH | LOCK_NB); }
void RunFolder::take_back() const { (void)::flock(lock_.get(), LOCK_EX | LOCK_NB); }

void RunFolder::forget_failed(std::string_view element) const {
  if (failed_before_.empty()) return;
  const auto work = failed_before_ + "/elements/" + escaped(element);
  std::error_code ignored;
  if (!fs::exists(work, ignored)) return;
  // Somebody may have a shell open there.
  if (const auto lock = lock_folder(failed_before_)) remove_work(work);
}

std::string RunFolder::work(std::string_view element) const { return PastRun{number_, path_}.work(element); }

std::string PastRun::work(std::string_view element) const { return path + "/elements/" + escaped(element); }

}  // namespace weir::cli
