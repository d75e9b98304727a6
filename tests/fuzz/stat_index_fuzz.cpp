// The stat index of a folder, the file of verified inodes and that of fast checksums: all decide what is not
// read again.
#include "core/store/stat_index.h"

#include <sys/stat.h>

#include "core/store/checksums.h"
#include "core/store/verified_inodes.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir::store {

namespace {

constexpr std::string_view kFolder = "/src", kStamp = "now", kBoot = "boot";

StoreDir& fuzz_store() {
  static Filesystem files;
  static const auto dir = [] {
    auto opened = StoreDir::open(fuzz::folder() + "/store", files);
    WEIR_ASSERT(opened && (*opened)->start_session(), "no store");
    return std::move(*opened);
  }();
  return *dir;
}

void try_stat_index(std::string_view bytes) {
  auto& dir = fuzz_store();
  const auto file = dir.path() + "/stat/" + digest_of(kFolder).hex();
  fuzz::write_file(file, bytes);
  const auto index = StatIndex::load(dir, std::string(kFolder), kStamp);
  WEIR_ASSERT(index.size() <= bytes.size() / sizeof(Sha256), "more items than the bytes can hold");
  for (const auto path : {"a", "b/c", ""}) {
    (void)index.find(path, FileStat{1, 2, 3, 4, 5, true});
    (void)index.find(path, FileStat{});
  }
}

void try_verified(std::string_view bytes, std::uint64_t inode) {
  auto& dir = fuzz_store();
  fuzz::write_file(dir.path() + "/" + VerifiedInodes::kFile, bytes);
  VerifiedInodes verified(dir, std::string(kBoot));
  struct stat info {};
  info.st_ino = inode;
  const Sha256 hash{1};
  (void)verified.knows(info, hash);
  verified.forget(inode);
  WEIR_ASSERT(!verified.knows(info, hash), "inode {} was forgotten", inode);
  verified.add_linked(info, hash);
  WEIR_ASSERT(verified.knows(info, hash), "inode {} was added", inode);
  verified.save();
  VerifiedInodes again(dir, std::string(kBoot));
  WEIR_ASSERT(again.knows(info, hash), "inode {} was saved", inode);
}

void try_checksums(std::string_view bytes) {
  auto& dir = fuzz_store();
  fuzz::write_file(dir.path() + "/" + Checksums::kFile, bytes);
  Checksums checksums(dir);
  const Sha256 hash{1};
  const Checksum checksum{2};
  (void)checksums.find(hash);
  checksums.forget(hash);
  WEIR_ASSERT(!checksums.find(hash), "a checksum was forgotten");
  checksums.learn(hash, checksum);
  checksums.save();
  WEIR_ASSERT(Checksums(dir).find(hash) == checksum, "a checksum was saved");
}

}  // namespace

WEIR_FUZZ_TARGET(stat_index) {
  fuzz::Choices choices(input);
  const auto kind = choices.byte();
  const auto body = choices.rest();
  const auto bytes = kind % 16 >= 14 ? std::string(body) : with_checksum(body);
  if (kind % 4 == 1) try_verified(bytes, kind / 16);
  else if (kind % 4 == 2) try_checksums(bytes);
  else try_stat_index(bytes);
}

}  // namespace weir::store
