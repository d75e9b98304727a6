#include "core/store/verified_inodes.h"

#include "core/base/wire.h"
#include "core/store/file_tools.h"
#include "core/store/stat_index.h"

namespace weir::store {

namespace {

constexpr std::string_view kVerifiedMagic = "weir-verified-1";

}  // namespace

bool VerifiedInodes::knows(const struct stat& info, const Sha256& hash) {
  const std::lock_guard lock(mutex_);
  auto at = known_.find(info.st_ino);
  if (at == known_.end() && !loaded_) {
    load();
    at = known_.find(info.st_ino);
  }
  return at != known_.end() && at->second.ctime_ns == file_stat(info).ctime_ns && at->second.hash == hash;
}

void VerifiedInodes::add(const struct stat& info, const Sha256& hash) {
  const std::lock_guard lock(mutex_);
  auto& known = known_[info.st_ino];
  changed_ = changed_ || known.linked;
  known = {file_stat(info).ctime_ns, hash, known.linked && known.hash == hash};
}

void VerifiedInodes::add_linked(const struct stat& info, const Sha256& hash) {
  const std::lock_guard lock(mutex_);
  known_[info.st_ino] = {file_stat(info).ctime_ns, hash, true};
  changed_ = true;
}

void VerifiedInodes::forget(std::uint64_t inode) {
  const std::lock_guard lock(mutex_);
  if (!loaded_) load();
  changed_ = known_.erase(inode) > 0 || changed_;
}

void VerifiedInodes::load() {
  loaded_ = true;
  const auto bytes = read_small_file(dir_.root(), kFile).value_or("");
  wire::Reader in(checked_body(bytes));
  if (in.text() != kVerifiedMagic || in.text() != boot_id_) return;
  std::unordered_map<std::uint64_t, Known> saved;
  for (auto left = in.count(sizeof(Sha256)); left > 0; --left) {
    const auto inode = in.u64();
    Known known{in.i64(), {}, true};
    const auto hash = in.text();
    if (hash.size() == sizeof(Sha256)) std::memcpy(known.hash.data(), hash.data(), hash.size());
    else in.mark_bad();
    saved.emplace(inode, known);
  }
  if (in.ok() && in.at_end()) known_.merge(saved);
}

void VerifiedInodes::save() {
  const std::lock_guard lock(mutex_);
  if (!changed_) return;
  if (!loaded_) load();
  wire::Writer out;
  out.text(kVerifiedMagic);
  out.text(boot_id_);
  std::uint32_t count = 0;
  for (const auto& [inode, known] : known_) count += known.linked;
  out.u32(count);
  for (const auto& [inode, known] : known_) {
    if (!known.linked) continue;
    out.u64(inode);
    out.i64(known.ctime_ns);
    out.text(bytes_of(known.hash));
  }
  (void)dir_.replace_file(kFile, with_checksum(out.bytes()));
  changed_ = false;
}

}  // namespace weir::store
