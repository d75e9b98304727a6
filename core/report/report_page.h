// The page of `weir report` without its data: core/report/page, put together by cmake/embed_page.cmake when
// weir is built.
#pragma once

#include <span>
#include <string_view>

namespace weir {

// In pieces, since compilers need not take a long string.
extern const std::span<const std::string_view> kPageBeforeData;
extern const std::span<const std::string_view> kPageAfterData;

}  // namespace weir
