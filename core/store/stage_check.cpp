#include "core/store/stage_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

#include "core/base/interruption.h"
#include "core/store/file_tools.h"
#include "core/store/tree_reader.h"

namespace weir::store {

namespace {

bool is_link_to(int directory, const SymlinkNode& symlink) {
  std::string found(symlink.target.size() + 1, '\0');  // one more, to notice a longer one
  const auto got = ::readlinkat(directory, symlink.name.c_str(), found.data(), found.size());
  return got >= 0 && std::string_view(found.data(), static_cast<std::size_t>(got)) == symlink.target;
}

bool is_directory(int directory, const std::string& name) {
  struct stat info {};
  return ::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

// A job sees both, and a folder that was changed and changed back has another time.
bool has_fixed_mode_and_time(int directory) {
  struct stat info {};
  return ::fstat(directory, &info) == 0 && (info.st_mode & 07777) == kStagedDirectoryMode &&
         info.st_mtim.tv_sec == kFixedMtime && info.st_mtim.tv_nsec == 0;
}

bool is_same(ObjectFiles& objects, int root, const ExpandedDirectory& expected) {
  const auto fd = open_directory(root, expected.path);
  if (!fd || !has_fixed_mode_and_time(fd->get())) return false;
  const auto entries = list_directory(fd->get());
  const auto& content = *expected.content;
  if (!entries ||
      entries->size() != content.files.size() + content.directories.size() + content.symlinks.size())
    return false;
  for (const auto& child : content.directories)
    if (!is_directory(fd->get(), child.name)) return false;
  for (const auto& symlink : content.symlinks)
    if (!is_link_to(fd->get(), symlink)) return false;
  for (const auto& file : content.files) {
    const auto turn = objects.verified().turn(file.digest.hash);
    if (!objects.has_content(fd->get(), file.name.c_str(), file.digest, file.executable)) return false;
  }
  return true;
}

}  // namespace

Result<bool> stage_is_whole(const StoreDir& dir, ObjectFiles& objects, const std::string& stage,
                            const Digest& tree, const ParallelFor& parallel_for) {
  auto expanded = expand_tree(objects, tree, parallel_for);
  if (!expanded) return tl::unexpected(expanded.error());
  const auto root = open_directory(dir.root(), stage);
  if (!root) return false;
  std::atomic<bool> whole = true;
  parallel_for(expanded->size(), [&](std::size_t i) {
    if (whole && !interrupted() && !is_same(objects, root->get(), (*expanded)[i])) whole = false;
  });
  // A check that was cut short says nothing.
  if (interrupted()) return fail_interrupted();
  return whole.load();
}

}  // namespace weir::store
