// Recipes of artifacts, which come from remotes as well: what differs, and whether a resolved one belongs to
// one that is asked for. "=== now" begins the second document.
#include "core/base/json_value.h"
#include "core/build/recipe_diff.h"
#include "core/remote/pull.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/text_parts.h"

namespace weir {

WEIR_FUZZ_TARGET(recipe) {
  const auto parts = test::parts_of(input);
  const auto& before = parts.front().text;
  const auto& now = parts.back().text;
  (void)is_same_recipe(before, now);
  if (parse_json(before))
    WEIR_ASSERT(!is_same_recipe(before, now) || parse_json(now), "the same as no document");
  const ReadBlob read = [](const store::Digest&) -> Result<std::string> {
    return fail(Reason::not_found, "no blob");
  };
  const auto diff = diff_recipes({before, now, read, {"src/"}});
  if (!diff) return;
  for (const auto& one : diff->differences) WEIR_ASSERT(!to_string(one.about).empty(), "about nothing");
  const auto same = diff_recipes({now, now, read, {}});
  WEIR_ASSERT(same && same->differences.empty(), "a recipe differs from itself");
}

}  // namespace weir
