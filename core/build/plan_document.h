// The steps of a plan as part of a canonical JSON document: what decides on the result, and nothing of how a
// job carries them out. "%{jobs}" is written as it is, so no core count gets into a key.
#pragma once

#include <vector>

#include "core/base/json_writer.h"
#include "core/model/job_spec.h"

namespace weir {

void write_steps(JsonWriter& json, const std::vector<Step>& steps);

}  // namespace weir
