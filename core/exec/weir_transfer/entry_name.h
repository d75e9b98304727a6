// Names in an archive are chosen by whoever made it. Here they are taken apart and refused where they could
// mean a place outside of the folder they are unpacked into, or none at all. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace weir::transfer {

inline constexpr std::size_t kDeepest = 256;
inline constexpr std::size_t kLongestPath = 4095;
inline constexpr std::size_t kLongestPart = 255;

// Without "." and empty parts; none at all for the root. Views into the name.
using Parts = std::vector<std::string_view>;
// The error says what the entry does: "has an absolute name".
template <class T>
using Judged = tl::expected<T, std::string>;

Judged<Parts> split_entry_name(std::string_view name);
// A symlink in a folder so many levels below the root may lead there.
Judged<void> check_link_target(std::string_view target, std::size_t folder_depth);
std::string join(std::span<const std::string_view> parts);

}  // namespace weir::transfer
