// A download: the head of the server's answer, and what an earlier process left of it, the bytes and the file
// that says what they are. The first part of an input is the head, "=== state" and "=== part" are the files.
#include <fcntl.h>
#include <unistd.h>

#include "core/exec/weir_transfer/http_answer.h"
#include "core/exec/weir_transfer/part_file.h"
#include "core/exec/weir_transfer/sha256.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/text_parts.h"

namespace weir::transfer {

namespace {

constexpr std::string_view kUrl = "http://h/x";

void try_head(std::string_view head) {
  HttpAnswer answer;
  std::string location;
  while (!head.empty()) {
    const auto end = std::min(head.find('\n'), head.size() - 1) + 1;
    answer.read_line(head.substr(0, end), location);
    head.remove_prefix(end);
    const auto validator = answer.validator();
    WEIR_ASSERT(validator.empty() || can_be_validator(validator), "a validator that begins another header");
    if (const auto range = answer.range())
      WEIR_ASSERT(answer.content_range.starts_with("bytes "), "{}", range->begin);
  }
}

void try_part(std::string_view state, std::string_view bytes, bool checked) {
  const auto name = fuzz::folder() + "/part-" + sha256_hex(kUrl);
  fuzz::write_file(name, bytes);
  fuzz::write_file(name + ".from", state);
  const UniqueFd folder(::open(fuzz::folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  {
    auto part = PartFile::open(folder.get(), kUrl, kUrl);
    WEIR_ASSERT(part && part->take_up(checked), "no part");
    WEIR_ASSERT(part->size() == 0 || part->size() == bytes.size(), "{} bytes", part->size());
    WEIR_ASSERT(part->validator().empty() || can_be_validator(part->validator()),
                "a validator that begins a header");
    if (!checked && part->can_resume())
      WEIR_ASSERT(state.starts_with(part->digest()), "other bytes than were left");
    WEIR_ASSERT(part->append("more").has_value(), "cannot append");
    part->leave();
  }  // and with it the lock
  auto again = PartFile::open(folder.get(), kUrl, kUrl);
  WEIR_ASSERT(!again || again->take_up(false).has_value(), "cannot take up");
}

}  // namespace

WEIR_FUZZ_TARGET(download) {
  const auto parts = test::parts_of(input);
  try_head(parts.front().text);
  std::string_view state, bytes;
  bool checked = false;
  for (const auto& part : parts) {
    if (part.name == "state") state = part.text;
    if (part.name == "part") bytes = part.text;
    checked |= part.name == "checked";
  }
  if (state.ends_with('\n')) state.remove_suffix(1);
  try_part(state, bytes, checked);
}

}  // namespace weir::transfer
