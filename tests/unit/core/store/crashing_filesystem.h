// A Filesystem on a real directory that can lose what was not synced. After a set number of calls it stops:
// every call fails, as if the machine were gone. crash() then takes back what a disk may not have got: of the
// names that were made, renamed and removed since the last sync either all from some point on, or any that
// nothing kept depends on; and the content of files that were written since then is cut or replaced by zeros.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/store/filesystem.h"

namespace weir::store::test {

class CrashingFilesystem final : public Filesystem {
 public:
  // `graveyard` is a directory on the same disk, where removed files are kept until they are synced away.
  CrashingFilesystem(std::string graveyard, std::uint64_t calls)
      : graveyard_(std::move(graveyard)), calls_(calls) {}

  int create(int directory, const char* name, mode_t mode, UniqueFd& made) override;
  int create_unnamed(int directory, mode_t mode, UniqueFd& made) override;
  int give_name(int file, int directory, const char* name) override;
  int rename(int from_directory, const char* from, int to_directory, const char* to) override;
  int link(int from_directory, const char* from, int to_directory, const char* to) override;
  int unlink(int directory, const char* name) override;
  int make_directory(int directory, const char* name) override;
  int sync(int directory) override;

  bool has_crashed() const;
  // The store must be closed.
  void crash(Random& random);

 private:
  enum class Kind { create, rename, link, unlink, make_directory };
  struct Done {
    Kind kind;
    std::string one;
    std::string two;    // of a rename
    std::string saved;  // what a rename replaced or an unlink removed
  };
  bool is_gone();
  std::string save(const std::string& path);
  static void undo(const Done& done);
  void lose_content(Random& random);

  std::string graveyard_;
  std::uint64_t calls_;
  mutable std::mutex mutex_;
  bool crashed_ = false;
  std::vector<Done> journal_;
  std::vector<UniqueFd> written_;  // files whose content is not synced
};

}  // namespace weir::store::test
