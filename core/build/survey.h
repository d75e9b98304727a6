// How each element of a plan stands, without building anything: what `weir show`, `--check` and `checkout`
// ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/build/build_plan.h"
#include "core/build/failures.h"

namespace weir {

enum class Standing : std::uint8_t { no_ref, waiting, fetch_needed, buildable, cached, failed };
std::string_view to_string(Standing standing);

struct SurveyedElement {
  Standing standing = Standing::waiting;
  std::optional<store::Artifact> artifact;
};

// By ElementId; says nothing of elements that are not planned. Blocks on the store.
Result<std::vector<SurveyedElement>> survey(const BuildPlan& plan, store::Store& store,
                                            const Failures& failures);

}  // namespace weir
