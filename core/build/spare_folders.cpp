#include "core/build/spare_folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "core/store/file_tools.h"

namespace weir {

namespace fs = std::filesystem;

namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

// A job may leave folders that even their owner cannot enter, and any number of levels.
bool remove_all(int parent, const std::string& name) { return store::remove_tree(parent, name).has_value(); }

Status cannot_make(const std::string& path, int error) {
  auto failed = fail_errno("making " + path, error);
  if (failed.value().reason == Reason::resources && failed.value().remedy.empty())
    failed.value().remedy = "make room and build again";
  return failed;
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

using Names = std::initializer_list<std::string_view>;

// False if something cannot be removed, or is not to be.
bool empty_directory(int directory, Names but, bool remove) {
  alignas(dirent64) char buffer[2048];
  std::vector<std::string> names;
  for (;;) {
    const auto got = ::getdents64(directory, buffer, sizeof buffer);
    if (got < 0) return false;
    if (got == 0) break;
    for (std::ptrdiff_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name != "." && name != ".." && std::find(but.begin(), but.end(), name) == but.end())
        names.emplace_back(name);
    }
  }
  for (const auto& name : names)
    if (!remove || !remove_all(directory, name)) return false;
  return true;
}

}  // namespace

SpareFolders::SpareFolders(std::string place, std::string prefix) : place_(std::move(place)) {
  inner_ = {"build", "install"};
  for (const auto& part : fs::path(prefix).relative_path()) {
    inside_.push_back(part.string());
    inner_.push_back(inner_.back() + "/" + inside_.back());
  }
}

SpareFolders::~SpareFolders() {
  if (next_ > 0) remove_all(AT_FDCWD, place_);
}

Status SpareFolders::make(const std::string& path) {
  if (take(path)) return {};
  if (auto made = make_new(path); !made) return made;
  learn(path);
  return {};
}

bool SpareFolders::take(const std::string& path) {
  Spare spare;
  {
    const std::lock_guard lock(mutex_);
    if (spares_.empty()) return false;
    spare = std::move(spares_.back());
    spares_.pop_back();
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (::renameat2(AT_FDCWD, spare.path.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
      if (are_older(spare.marks, path)) {
        const std::lock_guard lock(mutex_);
        handed_out_.insert_or_assign(path, std::move(spare.marks));
      }
      return true;
    }
    if (errno == EEXIST) remove_all(AT_FDCWD, path);  // of an attempt before
    else break;
  }
  remove_all(AT_FDCWD, spare.path);
  return false;
}

// Whether a change from now on has another time than theirs. The folder has just been renamed, which changes
// it: that is what the file system takes for the time, by its own clock and in its own steps of up to
// seconds.
bool SpareFolders::are_older(const Marks& marks, const std::string& renamed) {
  struct stat info {};
  if (marks.empty() || ::lstat(renamed.c_str(), &info) != 0) return false;
  return std::all_of(marks.begin(), marks.end(),
                     [&](const Mark& mark) { return mark.changed_ns < nanoseconds(info.st_ctim); });
}

// By name, so that something that was put in the place of one is noticed.
std::optional<SpareFolders::Marks> SpareFolders::marks_of(int outermost) const {
  Marks marks;
  for (const auto& name : inner_) {
    struct stat info {};
    if (::fstatat(outermost, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    marks.push_back({info.st_dev, info.st_ino, nanoseconds(info.st_ctim)});
  }
  return marks;
}

bool SpareFolders::are_unchanged(int outermost, const Marks& marks) const {
  return !marks.empty() && marks_of(outermost) == marks;
}

Status SpareFolders::make_new(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) != 0) {
    if (errno == EEXIST) remove_all(AT_FDCWD, path);
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return cannot_make(path, error.value());
  }
  auto inner = path + "/build";
  if (::mkdir(inner.c_str(), 0777) != 0) return cannot_make(inner, errno);
  inner = path + "/install";
  if (::mkdir(inner.c_str(), 0777) != 0) return cannot_make(inner, errno);
  for (const auto& part : inside_) {
    inner.append("/").append(part);
    if (::mkdir(inner.c_str(), 0777) != 0) return cannot_make(inner, errno);
  }
  return {};
}

std::optional<SpareFolders::Look> SpareFolders::look_at(int directory) {
  struct stat info {};
  if (::fstat(directory, &info) != 0) return std::nullopt;
  Look look{info.st_mode, info.st_uid, info.st_gid, info.st_size, ::flistxattr(directory, nullptr, 0), 0};
  if (::ioctl(directory, FS_IOC_GETFLAGS, &look.flags) != 0) look.flags = 0;  // the file system has none
  return look;
}

// One that has grown stays slow to read. How large one with a few entries is depends on the file system.
bool SpareFolders::is_same(const std::optional<Look>& now, const Look& look) {
  constexpr off_t kSmall = 4096;
  if (!now || now->size > std::max(look.size, kSmall)) return false;
  auto as_if = *now;
  as_if.size = look.size;
  return as_if == look;
}

void SpareFolders::learn(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (new_look_ || place_.empty()) return;
  const UniqueFd fd(::open((path + "/build").c_str(), kDirectory));
  if (fd) new_look_ = look_at(fd.get());
}

// Has or gets nothing in it but the directories that every folder has. `marks` are what was known of them,
// and what is known.
bool SpareFolders::is_as_new(const UniqueFd& outermost, const Look& look, Content content,
                             Marks& marks) const {
  const auto is_clean = [&](const UniqueFd& fd, Names but) {
    return fd && empty_directory(fd.get(), but, content == Content::remove) &&
           is_same(look_at(fd.get()), look);
  };
  if (!is_clean(outermost, {"build", "install"})) return false;
  if (are_unchanged(outermost.get(), marks)) return true;
  const auto before = marks_of(outermost.get());
  if (!is_clean(UniqueFd(::openat(outermost.get(), "build", kDirectory)), {})) return false;
  UniqueFd at(::openat(outermost.get(), "install", kDirectory));
  for (const auto& part : inside_) {
    if (!is_clean(at, {part})) return false;
    at = UniqueFd(::openat(at.get(), part.c_str(), kDirectory));
  }
  if (!is_clean(at, {})) return false;
  // What came in meanwhile, by whomever, is not to be taken for what was seen.
  marks = before && are_unchanged(outermost.get(), *before) ? *before : Marks{};
  return true;
}

bool SpareFolders::keep(const std::string& path, Content content) {
  std::optional<Look> look;
  Marks marks;
  {
    const std::lock_guard lock(mutex_);
    look = new_look_;
    if (const auto known = handed_out_.extract(path)) marks = std::move(known.mapped());
  }
  if (!look) return false;
  const UniqueFd outermost(::open(path.c_str(), kDirectory));
  if (!is_as_new(outermost, *look, content, marks)) return false;
  Spare spare;
  {
    const std::lock_guard lock(mutex_);
    if (next_ == 0 && ::mkdir(place_.c_str(), 0777) != 0) return false;
    spare = {fmt::format("{}/{}", place_, next_++), std::move(marks)};
  }
  if (::rename(path.c_str(), spare.path.c_str()) != 0) return false;
  const std::lock_guard lock(mutex_);
  spares_.push_back(std::move(spare));
  return true;
}

void SpareFolders::give_back(const std::string& path) {
  if (!keep(path, Content::remove)) remove_all(AT_FDCWD, path);
}

bool SpareFolders::give_back_untouched(const std::string& path) { return keep(path, Content::keep); }

}  // namespace weir
