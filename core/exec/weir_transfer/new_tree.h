// A folder that is filled from an archive. Everything is made new and below the folder: the kernel resolves
// each path beneath it and follows no link (core/base/beneath.h), a file never takes the place of another
// one, and a link that leads out is found when all are there.
//
// Not libarchive's own archive_write_disk: that works by names from the current folder, takes what it finds
// there for its own, and cannot tell an entry that comes twice from a file that was there before.
//
// `name` is the entry as the archive calls it, for messages. Refusals are of class source.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/exec/weir_transfer/entry_name.h"
#include "core/exec/weir_transfer/trouble.h"

namespace weir::transfer {

tl::unexpected<Trouble> refuse_entry(std::string_view name, std::string_view why);

class NewTree {
 public:
  using Path = std::span<const std::string_view>;  // at least one part

  explicit NewTree(UniqueFd root) : root_(std::move(root)) {}

  Done add_directory(Path path, std::string_view name);
  Expected<UniqueFd> add_file(Path path, std::string_view name, bool executable);
  Done add_symlink(Path path, std::string_view name, const std::string& target);
  // A second name for a file of this tree; gives that file, for writing.
  Expected<UniqueFd> add_hardlink(Path path, std::string_view name, Path target);
  // Chains of links may lead out where none does alone.
  Done check_links() const;

 private:
  Expected<int> parent_of(Path path, std::string_view name);
  UniqueFd open_parent(const std::string& parent);
  tl::unexpected<Trouble> cannot_make(std::string_view name) const;

  UniqueFd root_;
  std::string last_parent_;  // entries of one folder mostly follow each other
  UniqueFd last_parent_fd_;
  std::vector<std::string> links_;
};

// Removes a file or folder with all that is in it; at most kDeepest levels and a few.
void remove_tree(int directory, const char* name);

}  // namespace weir::transfer
