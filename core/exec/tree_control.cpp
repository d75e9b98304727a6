#include "core/exec/tree_control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>

namespace weir {
namespace {

constexpr std::string_view kPrefix = "weir.";

UniqueFd open_directory(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool write_at(int directory, const char* file, std::string_view text) {
  const UniqueFd fd(::openat(directory, file, O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string read_at(int directory, const char* file) {
  const UniqueFd fd(::openat(directory, file, O_RDONLY | O_CLOEXEC));
  std::string text(4096, '\0');
  const auto got = fd ? ::read(fd.get(), text.data(), text.size()) : 0;
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ')
      return std::strtoull(std::string(line.substr(key.size() + 1)).c_str(), nullptr, 10);
    at = end + 1;
  }
  return std::nullopt;
}

// Waits until the kernel says that the last process is gone (a change of cgroup.events is POLLPRI), two
// seconds at most. A change since the last read of the same descriptor: one that was never read has always
// changed, and to wait for it is no wait at all.
void await_empty(int directory) {
  const UniqueFd events(::openat(directory, "cgroup.events", O_RDONLY | O_CLOEXEC));
  for (int round = 0; events && round < 20; ++round) {
    std::array<char, 256> text;
    const auto got = ::pread(events.get(), text.data(), text.size(), 0);
    if (got <= 0 || value_of({text.data(), static_cast<std::size_t>(got)}, "populated").value_or(0) == 0)
      return;
    pollfd change{events.get(), POLLPRI, 0};
    ::poll(&change, 1, 100);
  }
}

std::vector<std::string> subdirectories(const std::string& path) {
  std::vector<std::string> names;
  DIR* directory = ::opendir(path.c_str());
  if (!directory) return names;
  while (const dirent* entry = ::readdir(directory))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  ::closedir(directory);
  return names;
}

// With what a job of root may have made below it.
void kill_and_remove(const std::string& path) {
  const auto directory = open_directory(path);
  if (!directory) return;
  write_at(directory.get(), "cgroup.kill", "1");
  await_empty(directory.get());
  for (const auto& name : subdirectories(path)) kill_and_remove(path + "/" + name);
  ::rmdir(path.c_str());
}

std::string cgroup2_mount() {
  std::ifstream file("/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto dash = line.find(" - cgroup2 ");
    if (dash == line.npos) continue;
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 5; ++i) words >> word;
    return word;
  }
  return {};
}

std::string own_cgroup() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/")) return line.substr(3);
  return {};
}

}  // namespace

bool JobCgroup::write(const char* file, std::string_view text) { return write_at(directory(), file, text); }
std::string JobCgroup::read(const char* file) const { return read_at(directory(), file); }
void JobCgroup::freeze(bool frozen) {
  if (frozen == frozen_) return;
  frozen_ = frozen;
  write("cgroup.freeze", frozen ? "1" : "0");
}
void JobCgroup::kill() {
  killed_ = true;
  write("cgroup.kill", "1");
}
void JobCgroup::limit_memory(std::uint64_t bytes) {
  if (bytes == 0 && !limited_) return;
  limited_ = bytes != 0;
  write("memory.max", bytes ? std::to_string(bytes) : std::string("max"));
}
void JobCgroup::limit_processes(std::uint32_t count) {
  if (!std::exchange(bounded_, true)) write("pids.max", std::to_string(count));
}
bool JobCgroup::populated() {
  if (!events_) events_ = UniqueFd(::openat(directory(), "cgroup.events", O_RDONLY | O_CLOEXEC));
  char text[256];
  const auto got = ::pread(events_.get(), text, sizeof text, 0);
  return got > 0 && value_of({text, static_cast<std::size_t>(got)}, "populated").value_or(0) != 0;
}
std::optional<std::uint64_t> JobCgroup::oom_kills() const {
  if (!counts_memory_) return std::nullopt;
  auto kills = value_of(read("memory.events"), "oom_kill");
  counts_memory_ = kills.has_value();
  return kills;
}
namespace {

std::optional<std::uint64_t> number_in(const UniqueFd& file) {
  std::array<char, 32> text;
  const auto got = file ? ::pread(file.get(), text.data(), text.size() - 1, 0) : 0;
  if (got <= 0 || text[0] < '0' || text[0] > '9') return std::nullopt;
  text[static_cast<std::size_t>(got)] = 0;
  return std::strtoull(text.data(), nullptr, 10);
}

}  // namespace

void JobCgroup::begin_peak() {
  if (std::exchange(peak_asked_, true) && !peak_file_) return;
  if (!peak_file_) peak_file_ = UniqueFd(::openat(directory(), "memory.peak", O_RDWR | O_CLOEXEC));
  if (!peak_file_) peak_file_ = UniqueFd(::openat(directory(), "memory.peak", O_RDONLY | O_CLOEXEC));
  peak_before_ = number_in(peak_file_).value_or(0);
  if (peak_before_ > 0 && ::pwrite(peak_file_.get(), "reset", 5, 0) == 5) peak_before_ = 0;
}

std::optional<std::uint64_t> JobCgroup::peak() const {
  const auto most = number_in(peak_file_);
  if (!most || *most <= peak_before_) return std::nullopt;
  const auto stat = read("memory.stat");
  const auto file = value_of(stat, "file").value_or(0), shared = value_of(stat, "shmem").value_or(0);
  return *most - std::min(*most, file - std::min(file, shared));
}

std::string CgroupPool::parent_in(const std::string& mount) {
  const auto root = mount.empty() ? cgroup2_mount() : mount;
  const auto own = own_cgroup();
  if (root.empty() || own.empty()) return {};
  return own == "/" ? root : root + own;
}

void CgroupPool::remove_stale() {
  if (const auto parent = parent_in({}); !parent.empty()) remove_stale(parent);
}

std::unique_ptr<CgroupPool> CgroupPool::open(const std::string& mount) {
  const auto parent = parent_in(mount);
  if (parent.empty()) return nullptr;
  remove_stale(parent);
  // A second pool of this process, and a weir in another pid namespace with the same pid, take the next name.
  for (int number = 0; number < 100; ++number) {
    const auto path = fmt::format("{}/{}{}.{}", parent, kPrefix, ::getpid(), number);
    if (::mkdir(path.c_str(), 0755) != 0) {
      if (errno == EEXIST) continue;
      return nullptr;
    }
    auto lock = open_directory(path);
    struct stat still;
    // Another weir may have taken it for stale before it was locked.
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && ::stat(path.c_str(), &still) == 0 &&
        ::faccessat(lock.get(), "cgroup.kill", W_OK, AT_EACCESS) == 0)
      return std::unique_ptr<CgroupPool>(new CgroupPool(path, std::move(lock)));
    ::rmdir(path.c_str());
  }
  return nullptr;
}

CgroupPool::~CgroupPool() {
  for (const auto* list : {&free_, &dirty_})
    for (const auto& cgroup : *list) kill_and_remove(cgroup->path());
  ::rmdir(path_.c_str());
}

void CgroupPool::remove_stale(const std::string& parent) {
  for (const auto& name : subdirectories(parent)) {
    if (!std::string_view(name).starts_with(kPrefix)) continue;
    const auto path = parent + "/" + name;
    const auto directory = open_directory(path);
    if (!directory || ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) continue;
    for (const auto& job : subdirectories(path)) kill_and_remove(path + "/" + job);
    ::rmdir(path.c_str());
  }
}

std::unique_ptr<JobCgroup> CgroupPool::take() {
  std::erase_if(dirty_, [](const auto& cgroup) {
    return !cgroup->populated() && (::rmdir(cgroup->path().c_str()) == 0);
  });
  if (!free_.empty()) {
    auto cgroup = std::move(free_.back());
    free_.pop_back();
    return cgroup;
  }
  const auto path = fmt::format("{}/{}", path_, next_++);
  if (::mkdir(path.c_str(), 0755) != 0) return nullptr;
  auto directory = open_directory(path);
  if (!directory) return nullptr;
  return std::make_unique<JobCgroup>(path, std::move(directory));
}

void CgroupPool::give_back(std::unique_ptr<JobCgroup> cgroup) {
  const bool is_empty = !cgroup->populated();
  if (is_empty && cgroup->can_be_used_again()) {
    free_.push_back(std::move(cgroup));
    return;
  }
  if (is_empty && ::rmdir(cgroup->path().c_str()) == 0) return;
  cgroup->kill();
  dirty_.push_back(std::move(cgroup));
}

}  // namespace weir
