#include "core/exec/weir_transfer/unpack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

#include "core/base/text.h"
#include "core/exec/weir_transfer/archive_reader.h"
#include "core/exec/weir_transfer/gzip_check.h"
#include "core/exec/weir_transfer/new_tree.h"
#include "core/exec/weir_transfer/strip_advice.h"
#include "core/exec/weir_transfer/unpack_limits.h"

namespace weir::transfer {
namespace {

// Inside the target, so that moving up is a rename. One that a killed process left is removed first.
constexpr const char* kStaging = ".weir-unpack~";

std::string text_of(const char* text) { return text ? text : ""; }

class Unpacking {
 public:
  Unpacking(const UnpackOrder& order, ArchiveReader archive, UniqueFd staging)
      : order_(order), archive_(std::move(archive)), tree_(std::move(staging)) {}

  Done run() {
    for (;;) {
      const auto entry = archive_.next();
      if (!entry) return tl::unexpected(entry.error());
      if (!*entry) break;
      if (++entries_ > kMostEntries)
        return trouble(TransferExit::source,
                       fmt::format("the archive is refused: it has more than {} entries", kMostEntries));
      if (auto added = add(*entry); !added) return added;
    }
    if (kept_ == 0)
      return trouble(TransferExit::source, advice_.nothing_left(shown(order_.from), order_.strip));
    if (lost_ > 0)
      fmt::print("weir-transfer: strip = {} left out {} files at the top of the archive\n", order_.strip,
                 lost_);
    return tree_.check_links();
  }

 private:
  Done add(archive_entry* entry) {
    const auto name = text_of(archive_entry_pathname(entry));
    const auto parts = split_entry_name(name);
    if (!parts) return refuse_entry(name, parts.error());
    const bool link = archive_entry_hardlink(entry) != nullptr;
    const bool folder = !link && archive_entry_filetype(entry) == AE_IFDIR;
    advice_.see(*parts, folder);
    if (parts->empty() && folder) return {};  // "./"
    if (parts->empty()) return refuse_entry(name, "has no name of its own");
    if (parts->size() <= order_.strip) return leave_out(folder, name);
    ++kept_;
    const NewTree::Path path = std::span(*parts).subspan(order_.strip);
    if (link) return add_hardlink(entry, path, name);
    switch (archive_entry_filetype(entry)) {
      case AE_IFDIR: return tree_.add_directory(path, name);
      case AE_IFLNK: return tree_.add_symlink(path, name, text_of(archive_entry_symlink(entry)));
      case AE_IFREG: return add_file(entry, path, name);
      default: return refuse_entry(name, "is a device, a pipe or a socket");
    }
  }

  // Its data is read all the same: a bomb must not hide there.
  Done leave_out(bool folder, std::string_view name) {
    if (!folder) ++lost_;
    return folder ? Done() : copy_data(nullptr, name, 0);
  }

  Done add_file(archive_entry* entry, NewTree::Path path, std::string_view name) {
    const auto file = tree_.add_file(path, name, (archive_entry_perm(entry) & 0111) != 0);
    if (!file) return tl::unexpected(file.error());
    return copy_data(&*file, name, size_of(entry));
  }

  Done add_hardlink(archive_entry* entry, NewTree::Path path, std::string_view name) {
    const auto target_name = text_of(archive_entry_hardlink(entry));
    const auto target = split_entry_name(target_name);
    if (!target)
      return refuse_entry(name,
                          fmt::format("is a hardlink to '{}', which {}", shown(target_name), target.error()));
    if (target->size() <= order_.strip)
      return refuse_entry(name,
                          fmt::format("is a hardlink to '{}', which is not unpacked", shown(target_name)));
    const auto file = tree_.add_hardlink(path, name, std::span(*target).subspan(order_.strip));
    if (!file) return tl::unexpected(file.error());
    // In cpio the last name of a file brings its bytes.
    if (size_of(entry) == 0) return {};
    if (::ftruncate(file->get(), 0) != 0) return system_trouble("unpacking", name);
    return copy_data(&*file, name, size_of(entry));
  }

  static std::uint64_t size_of(archive_entry* entry) {
    return archive_entry_size_is_set(entry)
               ? static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry)))
               : 0;
  }

  // `size`: what the entry says of itself; a hole at its end has no bytes.
  Done copy_data(const UniqueFd* file, std::string_view name, std::uint64_t size) {
    std::uint64_t end = 0;
    for (Block block;;) {
      const auto more = archive_.read(block);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      const auto block_end = block.offset + block.bytes.size();
      if (block_end > end && !fits(block_end - end)) return bomb(name);
      end = std::max(end, block_end);
      if (file)
        if (auto written = write_at(*file, block, name); !written) return written;
    }
    if (size <= end || !file) return {};
    if (!fits(size - end)) return bomb(name);
    if (::ftruncate(file->get(), static_cast<off_t>(size)) != 0) return system_trouble("unpacking", name);
    return {};
  }

  Done write_at(const UniqueFd& file, Block block, std::string_view name) {
    while (!block.bytes.empty()) {
      const auto written =
          ::pwrite(file.get(), block.bytes.data(), block.bytes.size(), static_cast<off_t>(block.offset));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return system_trouble("unpacking", name);
      block.bytes.remove_prefix(static_cast<std::size_t>(written));
      block.offset += static_cast<std::uint64_t>(written);
    }
    return {};
  }

  bool fits(std::uint64_t more) { return !bomb_.is_bomb(more, archive_.bytes_in()); }
  tl::unexpected<Trouble> bomb(std::string_view name) const {
    return refuse_entry(name, fmt::format("makes it a bomb: {} out of {} so far",
                                          format_bytes(bomb_.bytes_out), format_bytes(archive_.bytes_in())));
  }

  const UnpackOrder& order_;
  ArchiveReader archive_;
  NewTree tree_;
  BombWatch bomb_;
  StripAdvice advice_;
  std::uint64_t entries_ = 0;
  std::uint64_t kept_ = 0;
  std::uint64_t lost_ = 0;
};

// The target folder and the one inside it that is filled first. Whatever is not moved up goes with it, and so
// does a target that was made here and stayed empty.
class Target {
 public:
  static Expected<Target> open(Spot spot) {
    const bool made = ::mkdirat(spot.directory.get(), spot.name.c_str(), 0755) == 0;
    if (!made && errno != EEXIST) return system_trouble("making", spot.shown);
    UniqueFd folder(
        ::openat(spot.directory.get(), spot.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return system_trouble("opening", spot.shown);
    Target target(std::move(spot), std::move(folder), made);
    remove_tree(target.folder_.get(), kStaging);
    if (::mkdirat(target.folder_.get(), kStaging, 0755) != 0)
      return system_trouble("writing", target.spot_.shown);
    return target;
  }
  Target(Target&&) = default;
  ~Target() {
    if (!folder_) return;
    remove_tree(folder_.get(), kStaging);
    if (made_) ::unlinkat(spot_.directory.get(), spot_.name.c_str(), AT_REMOVEDIR);
  }

  UniqueFd open_staging() const {
    return UniqueFd(::openat(folder_.get(), kStaging, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }

  Done move_up() {
    const auto staging = open_staging();
    std::vector<std::string> names;
    if (!list_names(staging.get(), names)) return system_trouble("reading", spot_.shown);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (::renameat2(staging.get(), names[i].c_str(), folder_.get(), names[i].c_str(), RENAME_NOREPLACE) ==
          0)
        continue;
      const auto error = errno;
      for (std::size_t back = 0; back < i; ++back)
        ::renameat(folder_.get(), names[back].c_str(), staging.get(), names[back].c_str());
      errno = error;
      return error == EEXIST ? refuse_entry(names[i], fmt::format("is already in '{}'", spot_.shown))
                             : system_trouble("moving", names[i]);
    }
    return {};
  }

 private:
  Target(Spot spot, UniqueFd folder, bool made)
      : spot_(std::move(spot)), folder_(std::move(folder)), made_(made) {}

  // False with errno: a part of the names would be a part of the archive.
  static bool list_names(int folder, std::vector<std::string>& names) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::dup(folder)), ::closedir);
    if (!entries) return false;
    errno = 0;
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    return errno == 0;
  }

  Spot spot_;
  UniqueFd folder_;
  bool made_;
};

}  // namespace

Done unpack(const UnpackOrder& order) {
  auto file = open_file(order.from);
  if (!file) return tl::unexpected(file.error());
  auto archive = ArchiveReader::open(std::move(*file), shown(order.from));
  if (!archive) return tl::unexpected(archive.error());
  auto spot = make_way_to(order.to);
  if (!spot) return tl::unexpected(spot.error());
  auto target = Target::open(std::move(*spot));
  if (!target) return tl::unexpected(target.error());
  auto staging = target->open_staging();
  if (!staging) return system_trouble("writing", shown(order.to));
  if (auto done = Unpacking(order, std::move(*archive), std::move(staging)).run(); !done) return done;
  // Behind the rest: a bomb was refused by now.
  const auto again = open_file(order.from);
  if (!again) return tl::unexpected(again.error());
  if (auto whole = check_gzip(again->get(), shown(order.from)); !whole) return whole;
  return target->move_up();
}

}  // namespace weir::transfer
