#include "core/cli/bare_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include "core/build/bare_lock.h"
#include "core/store/file_tools.h"

namespace weir::cli {

Result<store::KeyLock> lock_bare_folder(store::Store& store, const BuildPlan& plan, ElementId element) {
  auto lock = store.try_lock(bare_lock(plan.layout(element)));
  if (!lock) return tl::unexpected(lock.error());
  if (*lock) return std::move(**lock);
  return fail(Reason::not_found, fmt::format("another weir uses the folder of {}", plan.name(element)),
              "without a sandbox there is one for all; wait for its end");
}

namespace {

// No name that escaped() gives.
std::string aside_of(const std::string& path) { return path + "%aside"; }
// Builds make their folder anew, without it.
std::string mark_of(const std::string& path) { return path + "/shell"; }

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

}  // namespace

void recover_bare_folder(const std::string& path) {
  const auto aside = aside_of(path);
  if (is_there(mark_of(path))) (void)store::remove_tree(AT_FDCWD, path);
  if (is_there(path)) (void)store::remove_tree(AT_FDCWD, aside);  // a build came later
  else ::rename(aside.c_str(), path.c_str());
}

BareFolder::BareFolder(std::string path) : path_(std::move(path)), aside_(aside_of(path_)) {
  ::rename(path_.c_str(), aside_.c_str());
}

void BareFolder::mark() const {
  const UniqueFd made(::open(mark_of(path_).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

BareFolder::~BareFolder() {
  (void)store::remove_tree(AT_FDCWD, path_);
  ::rename(aside_.c_str(), path_.c_str());
}

}  // namespace weir::cli
