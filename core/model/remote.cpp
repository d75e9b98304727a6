#include "core/model/remote.h"

#include <algorithm>

namespace weir {

std::string_view scheme_of(std::string_view url) {
  const auto end = url.find(':');
  if (end == url.npos || end == 0) return {};
  const auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; };
  const auto scheme = url.substr(0, end);
  return std::all_of(scheme.begin(), scheme.end(), good) ? scheme : std::string_view();
}

std::string shown_url(std::string_view url) {
  const auto start = url.find("://");
  if (start == url.npos) return std::string(url);
  const auto host = start + 3;
  const auto at = url.substr(0, url.find_first_of("/?#", host)).rfind('@');
  std::string shown(url);
  if (at != url.npos && at >= host) shown.replace(host, at - host, "***");
  // What stands behind the question mark is often a key.
  if (const auto query = shown.find('?', host); query != shown.npos) shown.replace(query + 1, shown.npos, "***");
  return shown;
}

}  // namespace weir
