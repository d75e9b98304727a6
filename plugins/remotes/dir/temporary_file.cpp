#include "plugins/remotes/dir/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <random>
#include <string_view>

#include "plugins/remotes/dir/system_call.h"

namespace weir::dir {
namespace {

// Others may have files of their own in tmp, Bazel for one.
constexpr std::string_view kPrefix = "weir-";

std::string host_name() {
  std::array<char, 65> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Two machines may have one name, and containers one process id.
std::string new_name() {
  std::random_device random;
  return std::string(kPrefix) + host_name() + "-" + std::to_string(::getpid()) + "-" +
         std::to_string(random()) + "-" + std::to_string(random());
}

int create(const std::string& path) {
  return persistent([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
}

// What is there already is as good.
bool make_folder(const std::string& path) {
  return persistent([&] { return ::mkdir(path.c_str(), 0777); }) == 0 || errno == EEXIST;
}

// Not the base itself: that is somebody's decision.
bool make_folders_of(const std::string& base, const std::string& path) {
  for (auto slash = path.find('/', base.size() + 1); slash != path.npos; slash = path.find('/', slash + 1))
    if (!make_folder(path.substr(0, slash))) return false;
  return true;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& base) : base_(base), path_(base + "/tmp/" + new_name()) {
  fd_ = create(path_);
  if (fd_ < 0 && errno == ENOENT && make_folders_of(base_, path_)) fd_ = create(path_);
  there_ = fd_ >= 0;
}

TemporaryFile::~TemporaryFile() {
  if (fd_ >= 0) ::close(fd_);
  if (there_) ::unlink(path_.c_str());
}

bool TemporaryFile::become(const std::string& path) {
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0 && errno != EINTR) return false;  // NFS says here that the disk is full
  const auto rename = [&] { return persistent([&] { return ::rename(path_.c_str(), path.c_str()); }) == 0; };
  there_ = !rename() && !(errno == ENOENT && make_folders_of(base_, path) && rename());
  return !there_;
}

void remove_left_over(const std::string& base) {
  constexpr time_t kDay = 86'400;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir((base + "/tmp").c_str()), ::closedir);
  if (!folder) return;
  const auto oldest = ::time(nullptr) - kDay;
  while (const auto* entry = ::readdir(folder.get())) {
    struct stat about {};
    const bool ours = std::string_view(entry->d_name).starts_with(kPrefix);
    if (!ours || ::fstatat(::dirfd(folder.get()), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(about.st_mode) && about.st_mtime < oldest)
      ::unlinkat(::dirfd(folder.get()), entry->d_name, 0);
  }
}

}  // namespace weir::dir
