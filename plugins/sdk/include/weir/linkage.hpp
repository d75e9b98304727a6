// Where the code of the SDK comes from. The CMake target weir::sdk is a static library and defines
// WEIR_SDK_LINKED: the headers then only declare, and a short plugin compiles in 0.5 s instead of 2.6 s.
// Without that, or with WEIR_SDK_HEADER_ONLY, the headers bring the same code as inline functions
// (weir/impl), so that a compiler and these headers are enough. All files of one plugin have to use the same
// mode.
#pragma once

#include <cstddef>

// The library is built with libstdc++ and its usual layouts. Everything else gets the inline code, since
// functions without a container among their parameters would link and then read the wrong bytes.
#if !defined(WEIR_SDK_LINKED) || !defined(__GLIBCXX__) || defined(_GLIBCXX_DEBUG) || !_GLIBCXX_USE_CXX11_ABI
#ifndef WEIR_SDK_HEADER_ONLY
#define WEIR_SDK_HEADER_ONLY
#endif
#endif

#ifdef WEIR_SDK_HEADER_ONLY
#define WEIR_SDK_CODE inline
#else
#define WEIR_SDK_CODE
#endif
