// Where an error is, if a line of a log says so: "src/a.c:3:5: error: ...", "a.py:12: ...".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

struct ErrorPlace {
  std::string path;
  std::uint64_t line = 0;
  std::uint64_t column = 0;  // 0: not said
};

std::optional<ErrorPlace> error_place(std::string_view line);

}  // namespace weir
