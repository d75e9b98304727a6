// Diagnostics as people read them:
//
//   elements/app.toml:3:1: error: unknown key "dependz" in element "app"
//      3 | dependz = ["lib"]
//        | ^
//     did you mean "depends"?
//
// Lines are made fit for a terminal and cut to a window around the caret. The file is not read again: what is
// quoted is what was parsed.
#pragma once

#include <string>

#include "core/project/diagnostic.h"

namespace weir {

struct DiagnosticStyle {
  std::size_t at_most = 50;  // the rest is counted: "+7 more errors"
  bool color = false;
};

std::string to_text(const Diagnostic& diagnostic, const SourceFiles& files,
                    const DiagnosticStyle& style = {});
// All of them, errors before the limit is spent on warnings; ends with a count when there is more than one
// error.
std::string to_text(const Diagnostics& diagnostics, const SourceFiles& files,
                    const DiagnosticStyle& style = {});
// "weir.toml:3:1", "weir.toml", or "" for what stands in no file.
std::string to_text(Place place, const SourceFiles& files);

}  // namespace weir
