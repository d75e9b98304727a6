// The plan of a plugin as a document, made steps of a job. Nothing is taken on trust: paths stay inside of
// the folders that the question was about.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <weir/json.hpp>

#include "core/model/kind.h"

namespace weir {

// Logical paths that a plan may use: "build" is that folder and all below it; "source/0" is also
// "source/0.archive".
using Folders = std::vector<std::string>;

bool is_inside(std::string_view path, const Folders& folders);

// Commands start in the root `start`, unless they say where. Reason::bug with the first thing that is wrong;
// the caller says whose fault it is.
Result<std::vector<Step>> read_steps(const sdk::Json& document, const Folders& folders,
                                     std::string_view start = "build");
Result<ElementPlan> read_plan(const sdk::Json& document, const Folders& folders);

// A list of words in a table ("host_tools"); empty text is an empty list.
Result<std::vector<std::string>> read_words(std::string_view json);
// {"token": 2}: whole numbers that are not negative.
Result<std::vector<TokenCount>> read_counts(const sdk::Json& json);

}  // namespace weir
