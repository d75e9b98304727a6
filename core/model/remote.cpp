#include "core/model/remote.h"

#include <algorithm>

#include "core/base/text.h"

namespace weir {

std::string_view scheme_of(std::string_view url) {
  const auto end = url.find(':');
  if (end == url.npos || end == 0) return {};
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  const auto scheme = url.substr(0, end);
  return std::all_of(scheme.begin(), scheme.end(), good) ? scheme : std::string_view();
}

std::string shown_url(std::string_view url) {
  auto shown = without_passwords(url);
  // What stands behind the question mark is often a key.
  if (const auto query = shown.find('?'); query != shown.npos) shown.replace(query + 1, shown.npos, "***");
  return shown;
}

}  // namespace weir
