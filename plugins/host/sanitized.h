// Whether this is built with a sanitizer that has signal handlers and calls of libc of its own, and says more
// of a crash than weir would. gcc tells by a macro, clang 14 by a feature alone.
#pragma once

#if defined(__has_feature)
#define WEIR_HAS_FEATURE(feature) __has_feature(feature)
#else
#define WEIR_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || WEIR_HAS_FEATURE(address_sanitizer) || \
    WEIR_HAS_FEATURE(thread_sanitizer)
#define WEIR_SANITIZED 1
#else
#define WEIR_SANITIZED 0
#endif

namespace weir {

inline constexpr bool kSanitizedBuild = WEIR_SANITIZED != 0;

}  // namespace weir
