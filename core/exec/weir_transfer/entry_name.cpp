#include "core/exec/weir_transfer/entry_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"

namespace weir::transfer {
namespace {

tl::unexpected<std::string> refuse(std::string why) { return tl::unexpected<std::string>(std::move(why)); }

Judged<void> check_bytes(std::string_view name, std::string_view what) {
  if (name.empty()) return refuse(fmt::format("has an empty {}", what));
  if (name.size() > kLongestPath)
    return refuse(fmt::format("has a {} of {} bytes; {} are allowed", what, name.size(), kLongestPath));
  if (name.front() == '/') return refuse(fmt::format("has an absolute {}", what));
  if (!is_utf8(name)) return refuse(fmt::format("has a {} that is not UTF-8", what));
  return {};
}

Parts split(std::string_view name) {
  Parts parts;
  while (!name.empty()) {
    const auto end = std::min(name.find('/'), name.size());
    const auto part = name.substr(0, end);
    if (!part.empty() && part != ".") parts.push_back(part);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return parts;
}

}  // namespace

Judged<Parts> split_entry_name(std::string_view name) {
  if (auto checked = check_bytes(name, "name"); !checked) return refuse(checked.error());
  auto parts = split(name);
  if (parts.size() > kDeepest)
    return refuse(fmt::format("is {} levels deep; {} are allowed", parts.size(), kDeepest));
  for (const auto part : parts) {
    if (part == "..") return refuse("has '..' in its name");
    if (part.size() > kLongestPart)
      return refuse(
          fmt::format("has a part of {} bytes in its name; {} are allowed", part.size(), kLongestPart));
  }
  return parts;
}

Judged<void> check_link_target(std::string_view target, std::size_t folder_depth) {
  if (auto checked = check_bytes(target, "link target"); !checked) return checked;
  auto depth = folder_depth;
  for (const auto part : split(target)) {
    if (part != "..") ++depth;
    else if (depth-- == 0)
      return refuse(fmt::format("is a link that leads out of the archive, to '{}'", target));
  }
  return {};
}

std::string join(std::span<const std::string_view> parts) { return fmt::format("{}", fmt::join(parts, "/")); }

}  // namespace weir::transfer
