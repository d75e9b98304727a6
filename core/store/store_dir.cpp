#include "core/store/store_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "core/base/assert.h"
#include "core/store/file_tools.h"

namespace weir::store {

namespace {

constexpr std::string_view kFormatWord = "weir-store ";
constexpr int kFormat = 1;

std::string format_text() { return fmt::format("{}{}\n", kFormatWord, kFormat); }

Status make_directory(Filesystem& files, int root, const std::string& name) {
  const int error = files.make_directory(root, name.c_str());
  if (error == 0 || error == EEXIST) return {};
  return fail_file("creating " + name + " in the store", error);
}

}  // namespace

std::string random_name() {
  std::uint64_t number = 0;
  WEIR_ASSERT(::getrandom(&number, sizeof number, 0) == sizeof number, "no random numbers: errno {}", errno);
  return fmt::format("{:016x}", number);
}

Result<std::unique_ptr<StoreDir>> StoreDir::open(const std::string& path, Filesystem& files) {
  std::unique_ptr<StoreDir> made(new StoreDir(path, files));
  for (const auto step : {&StoreDir::open_root, &StoreDir::check_format})
    if (auto done = (*made.*step)(); !done) return tl::unexpected(done.error());
  return made;
}

Status StoreDir::open_root() {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) return fail_file("creating the store " + path_, error.value());
  root_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  if (!root_ || ::fstat(root_.get(), &info) != 0) return fail_errno("opening the store " + path_);
  device_ = info.st_dev;
  return {};
}

Status StoreDir::check_format() {
  auto text = read_small_file(root_.get(), "format");
  if (!text && text.error().reason == Reason::not_found) return create_layout();
  if (!text) return tl::unexpected(text.error());
  if (*text == format_text()) return {};
  int version = 0;
  if (text->rfind(kFormatWord, 0) == 0)
    std::from_chars(text->data() + kFormatWord.size(), text->data() + text->size(), version);
  if (version > kFormat)
    return fail(
        Reason::usage,
        fmt::format("opening the store {}: it has format {}, this weir knows {}", path_, version, kFormat),
        "use a newer weir, or another store directory");
  return fail(Reason::usage, fmt::format("opening the store {}: its file `format` is not weir's", path_),
              "name another store directory");
}

// The format file comes last and after a sync: where it is, the layout is whole. Two processes may do this at
// once.
Status StoreDir::create_layout() {
  auto entries = list_directory(root_.get());
  if (!entries) return tl::unexpected(entries.error());
  static constexpr std::string_view kOurs[] = {"objects", "records", "stage", "stat", "tmp", "locks", "runs"};
  for (const auto& entry : *entries)
    if (std::find(std::begin(kOurs), std::end(kOurs), entry.name) == std::end(kOurs) &&
        entry.name != "format")
      return fail(Reason::usage,
                  fmt::format("creating the store {}: the directory holds {}", path_, entry.name),
                  "name an empty directory");
  for (const auto name : kOurs)
    if (auto made = make_directory(files_, root_.get(), std::string(name)); !made) return made;
  const auto temporary = "tmp/format-" + random_name();
  UniqueFd fd;
  if (const int error = files_.create(root_.get(), temporary.c_str(), 0644, fd))
    return fail_file("creating the store " + path_, error);
  if (const int error = write_all(fd.get(), format_text()))
    return fail_file("creating the store " + path_, error);
  if (auto synced = sync(); !synced) return synced;
  const int error = files_.rename(root_.get(), temporary.c_str(), root_.get(), "format");
  // Another process was quicker, and its gc has removed the temporary file.
  if (error == ENOENT && ::faccessat(root_.get(), "format", F_OK, 0) == 0) return {};
  return error == 0 ? Status{} : Status(fail_file("creating the store " + path_, error));
}

Status StoreDir::start_session() {
  session_ = fmt::format("tmp/{}-{}", ::getpid(), random_name());
  if (auto made = make_directory(files_, root_.get(), session_); !made) return made;
  session_fd_ = UniqueFd(::openat(root_.get(), session_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!session_fd_ || ::flock(session_fd_.get(), LOCK_SH) != 0) return fail_errno("locking " + session_);
  return {};
}

StoreDir::~StoreDir() {
  // What cannot be removed now is removed by a later gc, which sees that the lock is free.
  if (session_fd_) (void)remove_tree(root_.get(), session_);
}

std::string StoreDir::temporary() {
  return fmt::format("{}/{}", session_, next_.fetch_add(1, std::memory_order_relaxed));
}

Status StoreDir::replace_file(const std::string& name, std::string_view bytes) {
  const auto doing = "writing " + name + " of the store";
  const auto made = temporary();
  UniqueFd fd;
  int error = files_.create(root(), made.c_str(), 0644, fd);
  if (error) return fail_file(doing, error);
  error = write_all(fd.get(), bytes);
  if (!error) error = files_.rename(root(), made.c_str(), root(), name.c_str());
  if (error == EISDIR && remove_tree(root(), name))
    error = files_.rename(root(), made.c_str(), root(), name.c_str());
  if (!error) return {};
  (void)files_.unlink(root(), made.c_str());
  return fail_file(doing, error);
}

Status StoreDir::sync() const {
  const int error = files_.sync(root());
  return error == 0 ? Status{} : Status(fail_file("syncing the store", error));
}

}  // namespace weir::store
