// What came of a download so far, in the folder of downloads: "part-<SHA-256 of the URL>" and beside it, in
// ".from", two lines: the digest of the part as a process left it that gave up in order (else an empty line),
// and what the server called this version of the file. A cut leaves both, and a later process goes on from
// there.
//
// Held under flock by one process at a time, so two that want the same URL come one after the other. What is
// finished is renamed; whoever waited for the lock then finds another file at the name and takes that one
// instead.
//
// The digest is computed as bytes are appended; what an earlier process left is read once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/fd.h"
#include "core/exec/weir_transfer/place.h"
#include "core/exec/weir_transfer/sha256.h"

namespace weir::transfer {

class PartFile {
 public:
  // Waits while another process has it. `url_shown` is for messages.
  static Expected<PartFile> open(int directory, std::string_view url, std::string_view url_shown);

  // Resumes the part of an earlier process if that is possible, else starts at zero. Without a digest to
  // check the whole against (`will_be_checked`), only a part that still is what that process left is trusted.
  Done take_up(bool will_be_checked);
  Done append(std::string_view bytes);
  Done restart();
  // What the server must confirm (If-Range) before more is appended: a strong ETag or a date.
  Done set_validator(std::string validator);

  // For a later process. A part that cannot be resumed is removed.
  void leave();

  // So many more bytes fit on the disk, as far as it can be known.
  Done check_room(std::uint64_t more) const;

  std::uint64_t size() const { return size_; }
  const std::string& validator() const { return validator_; }
  bool can_resume() const { return size_ > 0 && !validator_.empty(); }
  std::string digest() const { return hash_.hex(); }

  // On disk, then under its new name. `keep_as`: also left under that name in the folder of downloads; may be
  // empty.
  Done move_to(const Spot& target, bool executable, const std::string& keep_as);
  void drop();

 private:
  PartFile(int directory, std::string name, UniqueFd file)
      : directory_(directory), name_(std::move(name)), file_(std::move(file)) {}
  std::string state_name() const { return name_ + ".from"; }
  Done keep(const std::string& name, bool executable);
  Done write_state(const std::string& digest) const;
  Done hash_what_is_there();

  int directory_;
  std::string name_;
  UniqueFd file_;
  std::uint64_t size_ = 0;
  std::string validator_;
  Sha256 hash_;
};

}  // namespace weir::transfer
