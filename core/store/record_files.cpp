#include "core/store/record_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <unistd.h>

#include <cerrno>

#include "core/store/file_tools.h"

namespace weir::store {

namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::int64_t mtime_ns(const struct stat& info) {
  return info.st_mtim.tv_sec * kNanosecondsPerSecond + info.st_mtim.tv_nsec;
}

}  // namespace

Result<std::optional<RecordOrAlias>> RecordFiles::read(const Key& key, std::int64_t now_ns) {
  const auto name = name_of(key);
  const auto fd = open_for_reading(dir_.root(), name.c_str());
  if (!fd && errno == ENOENT) return std::nullopt;
  // A symlink, a socket, a mode that locks its owner out.
  if (!fd && (errno == ELOOP || errno == ENXIO || errno == EACCES)) return drop(key);
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return fail_errno("opening " + name);
  if (!S_ISREG(info.st_mode) || info.st_size > kLongestSmallFile) return drop(key);
  auto bytes = read_all(fd.get(), "reading " + name);
  if (!bytes) return tl::unexpected(bytes.error());
  auto value = decode_record(*bytes, key);
  if (!value) return drop(key);
  note_use(key, mtime_ns(info), now_ns);
  return std::optional<RecordOrAlias>(std::move(*value));
}

// A damaged record is a miss.
Result<std::optional<RecordOrAlias>> RecordFiles::drop(const Key& key) {
  if (auto removed = remove(key); !removed) return tl::unexpected(removed.error());
  if (auto told = epoch_.something_was_removed(); !told) return tl::unexpected(told.error());
  return std::nullopt;
}

Result<std::optional<Artifact>> RecordFiles::find(const Key& key, std::int64_t now_ns) {
  auto at = key;
  for (int step = 0; step < 2; ++step) {
    auto value = read(at, now_ns);
    if (!value) return tl::unexpected(value.error());
    if (!*value) return std::nullopt;
    if (auto* record = std::get_if<ArtifactRecord>(&**value)) return Artifact{at, std::move(*record)};
    at = std::get<Key>(**value);
  }
  return std::nullopt;
}

bool RecordFiles::has(const Key& key) const {
  return ::faccessat(dir_.root(), name_of(key).c_str(), F_OK, 0) == 0;
}

std::optional<std::string> RecordFiles::recipe_of(const Key& key) const {
  const auto bytes = read_small_file(dir_.root(), name_of(key).c_str());
  return bytes ? recipe_in(*bytes) : std::nullopt;
}

std::optional<std::string> RecordFiles::recipe(const Digest& digest) const {
  auto recipe = recipe_of(Key{digest.hash});
  return recipe && digest_of(*recipe) == digest ? recipe : std::nullopt;
}

Result<bool> RecordFiles::remove(const Key& key) {
  const int error = dir_.files().unlink(dir_.root(), name_of(key).c_str());
  if (error == ENOENT) return false;
  if (error == EISDIR || error == EPERM) {
    if (auto removed = remove_tree(dir_.root(), name_of(key)); !removed)
      return tl::unexpected(removed.error());
    return true;
  }
  if (error) return fail_errno("removing " + name_of(key), error);
  return true;
}

Result<std::vector<ListedRecord>> RecordFiles::list() const {
  auto directory = open_directory(dir_.root(), "records");
  if (!directory) return tl::unexpected(directory.error());
  auto entries = list_directory(directory->get());
  if (!entries) return tl::unexpected(entries.error());
  std::vector<ListedRecord> listed;
  for (const auto& entry : *entries) {
    const auto key = Key::parse(entry.name);
    struct stat info {};
    if (!key || ::fstatat(directory->get(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    auto bytes = read_small_file(directory->get(), entry.name.c_str());
    const bool removed_meanwhile =
        !bytes && ::fstatat(directory->get(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0;
    if (removed_meanwhile) continue;
    listed.push_back({*key, std::nullopt, mtime_ns(info)});
    if (!bytes) continue;  // damaged
    if (auto value = decode_record(*bytes, *key)) listed.back().value = std::move(*value);
  }
  return listed;
}

void RecordFiles::note_use(const Key& key, std::int64_t last_ns, std::int64_t now_ns) {
  if (now_ns - last_ns < granularity_.count()) return;
  const std::lock_guard lock(mutex_);
  uses_.emplace_back(key, now_ns);
}

void RecordFiles::note_uses(std::span<const Key> keys, std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  for (const auto& key : keys) uses_.emplace_back(key, now_ns);
}

void RecordFiles::write_uses() {
  std::vector<std::pair<Key, std::int64_t>> uses;
  {
    const std::lock_guard lock(mutex_);
    uses.swap(uses_);
  }
  for (const auto& [key, ns] : uses) {
    const timespec when{ns / kNanosecondsPerSecond, ns % kNanosecondsPerSecond};
    const timespec times[2] = {when, when};
    ::utimensat(dir_.root(), name_of(key).c_str(), times, 0);  // a record that is gone has no last use
  }
}

}  // namespace weir::store
