#include "core/report/error_place.h"

#include <charconv>
#include <system_error>

namespace weir {

namespace {

// "12:" at the start of `text`: takes it away.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || number == 0 || length == text.size() || text[length] != ':')
    return std::nullopt;
  text.remove_prefix(length + 1);
  return number;
}

}  // namespace

std::optional<ErrorPlace> error_place(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == 0 || colon == line.npos || line.front() == ' ' || line.front() == '\t') return std::nullopt;
  auto rest = line.substr(colon + 1);
  const auto number = take_number(rest);
  if (!number) return std::nullopt;
  return ErrorPlace{std::string(line.substr(0, colon)), *number, take_number(rest).value_or(0)};
}

}  // namespace weir
