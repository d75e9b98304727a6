// The example of a new allocator, and of a new placer.
#pragma once

#include <string_view>

namespace weir::cli {

inline constexpr std::string_view kPlacementProject = R"(weir = 1

[project]
name = "@kind@-example"
default = ["hello"]

[placement]
@key@ = "@kind@"

[element.hello]
kind = "script"
config.commands = ["mkdir -p $WEIR_OUT/share", "echo Hello. > $WEIR_OUT/share/hello.txt"]
)";

}  // namespace weir::cli
