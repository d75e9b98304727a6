#include "plugins/remotes/dir/folder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "plugins/remotes/dir/system_call.h"
#include "plugins/remotes/dir/temporary_file.h"

namespace weir::dir {
namespace {

using sdk::Action;
using sdk::Ended;

// dir:/srv/weir and dir:///srv/weir; nothing in it is decoded.
std::string base_of(std::string_view url) {
  url.remove_prefix(url.find(':') + 1);
  if (url.starts_with("//")) url.remove_prefix(2);
  if (!url.starts_with('/') || url.find('\0') != url.npos)
    throw sdk::Refused{"the url of a folder has an absolute path", "as in \"dir:/srv/weir\"", "url"};
  while (url.size() > 1 && url.ends_with('/')) url.remove_suffix(1);
  return std::string(url);
}

// To open a FIFO would wait for a writer. The file that was found regular is the one that is opened, whatever
// has its name by then: O_PATH finds it without opening it.
int open_regular(const std::string& path) {
  const int found = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  struct stat about {};
  if (found < 0) return -1;
  int fd = -1;
  if (::fstat(found, &about) == 0) {
    if (S_ISREG(about.st_mode))
      fd = ::open(("/proc/self/fd/" + std::to_string(found)).c_str(), O_RDONLY | O_CLOEXEC);
    else errno = ENOENT;
  }
  const int error = errno;
  ::close(found);
  errno = error;
  return fd;
}

class File {
 public:
  explicit File(const std::string& path) : fd_(persistent([&] { return open_regular(path); })) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// A writer that died on a file system without order may have left a name without content: no record is empty.
bool is_file(const struct stat& about, const sdk::Operation& operation) {
  return S_ISREG(about.st_mode) && (!operation.is_record() || about.st_size > 0);
}

std::uint64_t size_of(const struct stat& about) { return static_cast<std::uint64_t>(about.st_size); }

}  // namespace

Folder::Folder(const std::string& url) : base_(base_of(url)) {}

Ended Folder::carry_out(const sdk::Operation& operation, const GoOn& go_on) {
  if (operation.action == Action::has || operation.action == Action::has_record) return has(operation, go_on);
  return operation.is_put() ? put(operation, go_on) : get(operation, go_on);
}

std::string Folder::path_of(const sdk::Operation& operation, const std::string& hash) const {
  return base_ + (operation.is_record() ? "/ac/" : "/cas/") + hash.substr(0, 2) + "/" + hash;
}

bool Folder::is_missing() const {
  struct stat about {};
  if (persistent([&] { return ::stat(base_.c_str(), &about); }) == 0) return !S_ISDIR(about.st_mode);
  return errno == ENOENT || errno == ENOTDIR;
}

// Not as good as empty: most likely it is a typing mistake, or a disk that is not mounted.
Ended Folder::no_folder() const {
  return Ended::refused("there is no folder " + base_ + ": make it, or mount it");
}

Ended Folder::failed(const std::string& path) const {
  const int error = errno;
  if ((error == ENOENT || error == ENOTDIR) && is_missing()) return no_folder();
  auto message = path + ": " + ::strerror(error);
  const bool for_ever = error == EACCES || error == EPERM || error == EROFS;
  return for_ever ? Ended::refused(std::move(message)) : Ended::trouble(std::move(message));
}

Ended Folder::has(const sdk::Operation& operation, const GoOn& go_on) const {
  if (is_missing()) return no_folder();
  std::string there;
  there.reserve(operation.blobs.size());
  for (const auto& name : operation.blobs) {
    if (!go_on(0)) return Ended::cancelled();
    const auto path = path_of(operation, name.hash);
    struct stat about {};
    const bool found = persistent([&] { return ::stat(path.c_str(), &about); }) == 0;
    if (!found && errno != ENOENT) return failed(path);
    there += found && is_file(about, operation) && (operation.is_record() || size_of(about) == name.size)
                 ? '1'
                 : '0';
  }
  return Ended::found(std::move(there));
}

Ended Folder::get(const sdk::Operation& operation, const GoOn& go_on) const {
  const auto path = path_of(operation, operation.blob().hash);
  const File file(path);
  if (file.fd() < 0 && errno == ENOENT) return is_missing() ? no_folder() : Ended::missing();
  struct stat about {};
  if (file.fd() < 0 || ::fstat(file.fd(), &about) != 0) return failed(path);
  if (!is_file(about, operation)) return Ended::missing();
  const auto size = size_of(about);
  // Not trouble: however often it is asked for, it stays what it is until someone puts it again.
  if (operation.is_record() ? size > operation.length : size != operation.bytes())
    return Ended::something_else(path + " has " + std::to_string(size) + " bytes instead of " +
                                 std::to_string(operation.bytes()));
  return copied(copy_bytes(file.fd(), operation.fd, size, go_on), path);
}

Ended Folder::put(const sdk::Operation& operation, const GoOn& go_on) {
  std::call_once(cleaned_, [this] { remove_left_over(base_); });
  const auto path = path_of(operation, operation.blob().hash);
  TemporaryFile file(base_);
  if (file.fd() < 0) return failed(base_ + "/tmp");
  const auto end = operation.checksum
                       ? copy_verified(operation.fd, file.fd(), operation.bytes(), *operation.checksum, go_on)
                       : copy_bytes(operation.fd, file.fd(), operation.bytes(), go_on);
  if (end != CopyEnd::whole) return copied(end, path);
  return file.become(path) ? Ended::done() : failed(path);
}

Ended Folder::copied(CopyEnd end, const std::string& path) const {
  switch (end) {
    case CopyEnd::whole: return Ended::done();
    case CopyEnd::too_short:
      return Ended::trouble(path + ": the file that was to be copied is shorter than it should be");
    case CopyEnd::mismatch: return Ended::mismatch(path + ": the file to copy does not have its checksum");
    case CopyEnd::stopped: return Ended::cancelled();
    case CopyEnd::failed: break;
  }
  return failed(path);
}

}  // namespace weir::dir
