#include "core/base/owned_path.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <limits.h>
#include <linux/magic.h>
#include <pwd.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "core/base/shell_word.h"

namespace weir {

namespace {

constexpr uid_t kRoot = 0;
constexpr uid_t kUnmapped = 65534;     // owner of what belongs to a user outside of a user namespace
constexpr int kMostLinks = 40;         // as the kernel
constexpr std::size_t kNames = 16384;  // for one entry of passwd or group

std::string name_of_user(uid_t user) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, kNames> buffer;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return {};
  return found->pw_name;
}

std::string shown_user(uid_t user) {
  const auto name = name_of_user(user);
  return name.empty() ? fmt::format("user {}", user) : fmt::format("{} (user {})", name, user);
}

// As Debian and Fedora make them for each user; with umask 002 all files of a user are writable by it.
bool is_private_group(gid_t group, uid_t owner) {
  const auto name = name_of_user(owner);
  struct group entry {};
  struct group* found = nullptr;
  std::array<char, kNames> buffer;
  if (name.empty() || ::getgrgid_r(group, &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
    return false;
  if (name != found->gr_name) return false;
  for (char** member = found->gr_mem; *member; ++member)
    if (name != *member) return false;
  return true;
}

// In a container without a mapping for all users, what belongs to the others cannot be told from what belongs
// to root: its "/" looks like that.
bool are_all_users_mapped() {
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t inside = 0, outside = 0, count = 0;
  return !(map >> inside >> outside >> count) || count >= 0xffffffffU;
}

bool is_trusted(uid_t owner) {
  return owner == ::geteuid() || owner == kRoot || (owner == kUnmapped && !are_all_users_mapped());
}

// The bits of the group are then those of everybody whom the list names.
bool has_access_list(const std::string& path) {
  return ::lgetxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

bool is_writable_by_others(const struct stat& info, const std::string& path) {
  if (info.st_mode & S_IWOTH) return true;
  return (info.st_mode & S_IWGRP) != 0 &&
         (!is_private_group(info.st_gid, info.st_uid) || has_access_list(path));
}

tl::unexpected<Error> refuse(std::string message, std::string remedy) {
  return fail(Reason::usage, std::move(message), std::move(remedy));
}

tl::unexpected<Error> refuse_owner(std::string_view what, const struct stat& info, const std::string& path) {
  return refuse(fmt::format("the {} {} belongs to {}, and weir runs as {}", what, path,
                            shown_user(info.st_uid), shown_user(::geteuid())),
                fmt::format("run weir as its owner, or `sudo chown {} {}` if it is yours", ::geteuid(),
                            shell_word(path)));
}

tl::unexpected<Error> refuse_mode(std::string_view what, const struct stat& info, const std::string& path) {
  const auto who = (info.st_mode & S_IWOTH) ? "go-w" : "g-w";
  return refuse(fmt::format("the {} {} is writable by other users (owner {}, mode {:04o})", what, path,
                            shown_user(info.st_uid), info.st_mode & 07777),
                fmt::format("run `chmod {} {}`", who, shell_word(path)));
}

Status check_owned(std::string_view what, const struct stat& info, const std::string& path) {
  if (info.st_uid != ::geteuid() && info.st_uid != kRoot) return refuse_owner(what, info, path);
  if (is_writable_by_others(info, path)) return refuse_mode(what, info, path);
  return {};
}

// Others may add to a folder with the sticky bit, but not exchange what is in it.
Status check_on_the_way(const struct stat& info, const std::string& path) {
  if (!is_trusted(info.st_uid)) return refuse_owner("folder", info, path);
  if ((info.st_mode & S_ISVTX) == 0 && is_writable_by_others(info, path))
    return refuse_mode("folder", info, path);
  return {};
}

std::string text_of_link(int link) {
  std::array<char, PATH_MAX> buffer;
  const auto size = ::readlinkat(link, "", buffer.data(), buffer.size());
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
}

// /proc/self/fd/1 leads to an open file, and not by its text: "pipe:[4242]".
bool is_open_file(int link, std::string_view text) {
  struct statfs system {};
  return ::fstatfs(link, &system) == 0 && system.f_type == PROC_SUPER_MAGIC && text.find(":[") != text.npos;
}

class Resolver {
 public:
  Resolver(std::string_view path, Way way) : rest_(path), way_(way) {}

  Result<ResolvedPath> run() {
    if (auto begun = begin(); !begun) return tl::unexpected(begun.error());
    while (!rest_.empty())
      if (auto done = step(); !done) return tl::unexpected(done.error());
      else if (*done == Step::last) break;
    return std::move(at_);
  }

 private:
  enum class Step : unsigned char { next, last };

  // The folder that the rest is relative to: the working directory is the user's choice.
  Status begin() {
    const bool absolute = rest_.starts_with('/');
    at_.found = UniqueFd(::open(absolute ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    at_.path = absolute ? "/" : "";
    at_.name.clear();
    if (!at_.found || ::fstat(at_.found.get(), &at_.info) != 0)
      return fail_errno("opening " + (absolute ? std::string("/") : std::string(".")));
    return absolute ? check_folder() : Status();
  }

  Status check_folder() const {
    if (way_ == Way::any_owner || !S_ISDIR(at_.info.st_mode)) return {};
    return check_on_the_way(at_.info, at_.path);
  }

  std::string take_part() {
    const auto begin = std::min(rest_.find_first_not_of('/'), rest_.size());
    const auto end = std::min(rest_.find('/', begin), rest_.size());
    auto part = rest_.substr(begin, end - begin);
    rest_.erase(0, std::min(rest_.find_first_not_of('/', end), rest_.size()));
    return part;
  }

  std::string below(const std::string& part) const {
    return at_.path.empty() || at_.path.ends_with('/') ? at_.path + part : at_.path + "/" + part;
  }

  Result<Step> step() {
    const auto part = take_part();
    if (part.empty() || part == ".") return Step::next;
    UniqueFd next(::openat(at_.found.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!next && errno == ENOENT) return missing(part);
    if (!next || ::fstat(next.get(), &info) != 0) return fail_errno("opening " + below(part));
    if (S_ISLNK(info.st_mode)) return follow(next.get(), info, part);
    at_.path = below(part);
    at_.name = part == ".." ? std::string() : part;
    at_.parent = std::exchange(at_.found, std::move(next));
    at_.info = info;
    if (!rest_.empty())
      if (auto good = check_folder(); !good) return tl::unexpected(good.error());
    return Step::next;
  }

  Result<Step> missing(const std::string& part) {
    at_.name = part;
    at_.missing = rest_.empty() ? part : part + "/" + rest_;
    at_.parent = std::move(at_.found);
    at_.found.reset();
    return Step::last;
  }

  Result<Step> follow(int link, const struct stat& info, const std::string& part) {
    const auto path = below(part);
    if (auto good = check_link(info, path); !good) return tl::unexpected(good.error());
    if (++links_ > kMostLinks) return fail_errno("opening " + path, ELOOP);
    const auto text = text_of_link(link);
    if (is_open_file(link, text)) return open_file(part);
    if (text.empty()) return fail_errno("reading the link " + path);
    rest_ = rest_.empty() ? text : text + "/" + rest_;
    if (text.starts_with('/'))
      if (auto begun = begin(); !begun) return tl::unexpected(begun.error());
    return Step::next;
  }

  Status check_link(const struct stat& info, const std::string& path) const {
    const auto remedy = "name the place that is meant instead of the link, or remove the link";
    if (!is_trusted(info.st_uid))
      return refuse(fmt::format("{} is a symbolic link that belongs to {}, and weir runs as {}", path,
                                shown_user(info.st_uid), shown_user(::geteuid())),
                    remedy);
    if (at_.info.st_mode & S_IWOTH)
      return refuse(fmt::format("{} is a symbolic link in a folder that everybody may write to", path),
                    remedy);
    return {};
  }

  Result<Step> open_file(const std::string& part) {
    UniqueFd file(::openat(at_.found.get(), part.c_str(), O_PATH | O_CLOEXEC));
    at_.path = below(part);
    if (!file || ::fstat(file.get(), &at_.info) != 0) return fail_errno("opening " + at_.path);
    at_.parent = std::exchange(at_.found, std::move(file));
    at_.name.clear();
    return rest_.empty() ? Result<Step>(Step::last)
                         : Result<Step>(fail_errno("opening " + at_.path, ENOTDIR));
  }

  std::string rest_;
  Way way_;
  ResolvedPath at_;
  int links_ = 0;
};

Result<UniqueFd> make_folders(UniqueFd at, std::string_view missing, const std::string& path) {
  while (!missing.empty()) {
    const auto end = std::min(missing.find('/'), missing.size());
    const std::string part(missing.substr(0, end));
    missing.remove_prefix(std::min(end + 1, missing.size()));
    if (part.empty() || part == ".") continue;
    if (::mkdirat(at.get(), part.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno("making " + path);
    UniqueFd next(::openat(at.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!next || ::fstat(next.get(), &info) != 0) return fail_errno("making " + path);
    // Somebody else may have been faster.
    if (auto good = check_owned_folder(info, path); !good) return tl::unexpected(good.error());
    at = std::move(next);
  }
  return at;
}

}  // namespace

Result<ResolvedPath> resolve_path(std::string_view path, Way way) { return Resolver(path, way).run(); }

Status check_owned_folder(const struct stat& info, const std::string& path) {
  if (!S_ISDIR(info.st_mode)) return fail_errno("opening the folder " + path, ENOTDIR);
  return check_owned("folder", info, path);
}

Status check_owned_file(const struct stat& info, const std::string& path) {
  if (!S_ISREG(info.st_mode)) return refuse(path + " is not a regular file", "replace it with a file");
  return check_owned("file", info, path);
}

Result<UniqueFd> open_output(const std::string& path, int flags, mode_t mode) {
  const auto place = resolve_path(path, Way::any_owner);
  if (!place) return tl::unexpected(place.error());
  UniqueFd file;
  if (place->found) {
    const auto itself = fmt::format("/proc/self/fd/{}", place->found.get());
    file = UniqueFd(::open(itself.c_str(), (flags & ~O_CREAT) | O_CLOEXEC));
  } else if (place->missing == place->name) {
    file = UniqueFd(::openat(place->parent.get(), place->name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode));
  } else {
    errno = ENOENT;
  }
  if (!file) return fail_errno("opening " + path);
  return file;
}

Result<UniqueFd> make_owned_folder(const std::string& path) {
  auto place = resolve_path(path, Way::owned);
  if (!place) return tl::unexpected(place.error());
  if (!place->found) return make_folders(std::move(place->parent), place->missing, path);
  if (auto good = check_owned_folder(place->info, place->path); !good) return tl::unexpected(good.error());
  return std::move(place->found);
}

}  // namespace weir
