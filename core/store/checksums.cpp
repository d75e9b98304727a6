#include "core/store/checksums.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

#include "core/base/wire.h"
#include "core/store/file_tools.h"
#include "core/store/stat_index.h"

namespace weir::store {

namespace {

constexpr std::string_view kChecksumMagic = "weir-checksums-1";

std::string_view bytes_of_checksum(const Checksum& checksum) {
  return {reinterpret_cast<const char*>(checksum.data()), checksum.size()};
}

}  // namespace

struct ChecksumHasher::State {
  XXH3_state_t hash;
};

ChecksumHasher::ChecksumHasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }
ChecksumHasher::~ChecksumHasher() = default;

void ChecksumHasher::update(std::string_view bytes) {
  XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size());
}

Checksum ChecksumHasher::finish() {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->hash));
  Checksum checksum;
  static_assert(sizeof canonical.digest == sizeof checksum);
  std::memcpy(checksum.data(), canonical.digest, checksum.size());
  return checksum;
}

std::optional<Checksum> Checksums::find(const Sha256& hash) {
  const std::lock_guard lock(mutex_);
  if (!loaded_) load();
  const auto at = known_.find(hash);
  return at == known_.end() ? std::nullopt : std::optional(at->second);
}

void Checksums::learn(const Sha256& hash, const Checksum& checksum) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = known_.try_emplace(hash, checksum);
  if (!is_new && at->second == checksum) return;
  at->second = checksum;
  changed_ = true;
}

void Checksums::forget(const Sha256& hash) {
  const std::lock_guard lock(mutex_);
  if (!loaded_) load();
  changed_ = known_.erase(hash) > 0 || changed_;
}

void Checksums::load() {
  loaded_ = true;
  const auto bytes = read_small_file(dir_.root(), kFile).value_or("");
  wire::Reader in(checked_body(bytes));
  if (in.text() != kChecksumMagic) return;
  std::unordered_map<Sha256, Checksum, HashOf> saved;
  for (auto left = in.count(sizeof(Sha256)); left > 0; --left) {
    Sha256 hash{};
    Checksum checksum{};
    const auto name = in.text(), value = in.text();
    if (name.size() != hash.size() || value.size() != checksum.size()) return;
    std::memcpy(hash.data(), name.data(), hash.size());
    std::memcpy(checksum.data(), value.data(), checksum.size());
    saved.emplace(hash, checksum);
  }
  if (in.ok() && in.at_end()) known_.merge(saved);
}

void Checksums::save() {
  const std::lock_guard lock(mutex_);
  if (!changed_) return;
  if (!loaded_) load();
  wire::Writer out;
  out.text(kChecksumMagic);
  out.u32(static_cast<std::uint32_t>(known_.size()));
  for (const auto& [hash, checksum] : known_) {
    out.text(bytes_of(hash));
    out.text(bytes_of_checksum(checksum));
  }
  (void)dir_.replace_file(kFile, with_checksum(out.bytes()));
  changed_ = false;
}

void Checksums::keep_only(const std::unordered_set<Sha256, HashOf>& objects) {
  const std::lock_guard lock(mutex_);
  if (!loaded_) load();
  changed_ =
      std::erase_if(known_, [&](const auto& entry) { return !objects.count(entry.first); }) > 0 || changed_;
}

}  // namespace weir::store
