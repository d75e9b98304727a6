#include "core/build/source_url.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace weir {

namespace {

// "host:path"; what begins with a dash or a slash, or has a slash before the colon, is a path.
bool is_short_ssh(std::string_view url) {
  const auto colon = url.find(':');
  return colon != url.npos && colon > 0 && url.front() != '-' && url.find('/') > colon;
}

// What stands before "://" and is no scheme is a path.
bool has_scheme(std::string_view url) {
  const auto end = url.find("://");
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '-' || c == '.'; };
  return end != url.npos && end > 0 &&
         std::all_of(url.begin(), url.begin() + static_cast<std::ptrdiff_t>(end), fits);
}

}  // namespace

std::string absolute_url(std::string_view url, const std::string& project_root) {
  if (url.empty() || has_scheme(url)) return std::string(url);
  const bool file = url.starts_with("file:");
  if (file) url.remove_prefix(5);
  if (!file && is_short_ssh(url)) return std::string(url);
  return (std::filesystem::path(project_root) / url).lexically_normal().string();
}

std::string local_path(std::string_view url) {
  constexpr std::string_view kFile = "file://";
  if (url.starts_with(kFile)) url.remove_prefix(kFile.size());
  // Percent signs mean one thing to git and another to curl.
  return url.starts_with('/') && url.find('%') == url.npos ? std::string(url) : std::string();
}

}  // namespace weir
