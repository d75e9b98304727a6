// What weir's own placement says of a document, as a complaint of the border.
#pragma once

#include <string>

#include <weir/barrier.hpp>

#include "core/base/result.h"

namespace weir {

// "$.classes[1].load" to "classes/1/load".
inline std::string border_path(std::string_view path) {
  std::string out;
  for (const char c : path.substr(path.starts_with('$') ? 1 : 0)) {
    if (c == '.' || c == '[') out += '/';
    else if (c != ']' && c != '"') out += c;
  }
  return out.starts_with('/') ? out.substr(1) : out;
}

// "$.classes[1].load: is negative" is a path and a message; any other text is a message.
inline sdk::Refused refusal_of(const Error& error) {
  const auto colon = error.message.find(": ");
  if (!error.message.starts_with('$') || colon == std::string::npos) return {error.message, error.remedy, {}};
  auto path = border_path(std::string_view(error.message).substr(0, colon));
  const auto what = error.message.substr(colon + 2);
  return {path.empty() ? "the document " + what : "\"" + path + "\" " + what, error.remedy, std::move(path)};
}

}  // namespace weir
