// An artifact as others may keep it: an `ActionResult` of the Remote Execution API, found by weir's key in
// the place of an action's digest. It names all blobs of the artifact, so no server evicts one apart from the
// rest:
//   output_directories  "output", as a `Tree` blob: whole trees are restored from it alone
//   output_files        "recipe" and "log"
//   stdout_raw          what the build took, as JSON: for people, and nobody misses it if a server drops it
// What a server adds is skipped; what comes back is never hashed.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/store/record.h"

namespace weir {

struct SharedArtifact {
  store::Digest tree;  // of the Tree message
  store::Digest recipe;
  store::Digest log;
  std::string facts;
};

std::string encode_action_result(const SharedArtifact& artifact);
// An error: it is no result of weir's.
Result<SharedArtifact> decode_action_result(std::string_view bytes);

std::string facts_of(const store::ArtifactRecord& record);
// Sets what the facts tell, as far as they can be read.
void apply_facts(std::string_view facts, store::ArtifactRecord& record);

}  // namespace weir
