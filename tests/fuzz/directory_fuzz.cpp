// A Directory message: only what encode() writes is accepted, so two names never stand for the same tree.
#include "core/store/directory_codec.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir::store {

WEIR_FUZZ_TARGET(directory) {
  auto directory = decode_directory(input);
  if (!directory) return;
  for (const auto& file : directory->files) WEIR_ASSERT(is_good_name(file.name), "{}", file.name);
  for (const auto& folder : directory->directories) WEIR_ASSERT(is_good_name(folder.name), "{}", folder.name);
  for (const auto& link : directory->symlinks)
    WEIR_ASSERT(is_good_name(link.name) && !link.target.empty(), "{}", link.name);
  WEIR_ASSERT(encode(*directory) == input, "a directory that is not canonical was accepted");
}

}  // namespace weir::store
