// weir.lock: what is read of it, written and read again, is the same.
#include "core/project/lock_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir {

WEIR_FUZZ_TARGET(lock) {
  Diagnostics diagnostics;
  const auto lock = parse_lock(input, kNoFile, diagnostics);
  Diagnostics again;
  const auto text = to_text(lock);
  WEIR_ASSERT(parse_lock(text, kNoFile, again) == lock && !again.has_errors(),
              "a lock file changed by writing it");
  SourceFiles files;
  for (const auto& [key, ref] : lock) (void)place_in_lock(files, key);
}

}  // namespace weir
