// In what two recipes differ, in words: the answer of `weir why`. It reads the documents as they are, so what
// a later recipe holds and this page does not know is told as well, by its path and both values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/build/tree_diff.h"
#include "core/project/table_reader.h"

namespace weir {

enum class About : std::uint8_t {
  file,        // of a source, by its path
  source,      // its ref, or its content where files cannot be named
  dependency,  // came, went, or has another output
  variable,    // %{name}
  environment,
  configuration,  // "commands #2"
  command,        // planned otherwise from the same configuration: "#2"
  tool,           // of the host
  system,         // architecture, libc, distribution
  kind,           // another kind, or another version of it
  sandbox,
  other,
};
std::string_view to_string(About about);

// Instead of the ref of a source that was not tracked yet.
inline constexpr std::string_view kNoRef = "no ref";

struct Difference {
  About about = About::other;
  std::string name;
  std::optional<std::string> from, to;  // nothing: it was or is not there
  bool operator==(const Difference&) const = default;
};

struct RecipeDiff {
  std::vector<Difference> differences;
  std::size_t more_files = 0;  // that differ and are not named
  bool files_counted = true;   // false: there are still more
};

struct RecipeDiffInput {
  std::string_view before, now;  // documents
  ReadBlob read;
  // By position: what to put before the names of files ("src/"), for sources that come from the project.
  std::vector<std::string> source_folders;
};

// An error if a document is none.
Result<RecipeDiff> diff_recipes(const RecipeDiffInput& input);

// Which variables were set to something else. Recipes hold only what became of them, so this is asked beside.
std::vector<Difference> diff_variables(const TextMap& before, const TextMap& now);

}  // namespace weir
