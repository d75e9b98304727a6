# Flags for every target: C++20 that g++ 12 and clang 14 both accept, warnings as errors.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_COLOR_DIAGNOSTICS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# CMake's default is -O3: a tenth more compile time for nothing that a benchmark shows.
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> -Wno-missing-field-initializers)
add_compile_options($<$<NOT:$<BOOL:${WEIR_NO_WERROR}>>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these in its own headers when std::string and std::variant are inlined at -O2 (GCC PR 105329, 105562).
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-stringop-overread)
endif()

# What weir-init and the plugins' SDK must not get goes through this interface target.
add_library(weir_flags INTERFACE)
target_include_directories(weir_flags INTERFACE ${CMAKE_SOURCE_DIR})
# lld links in a quarter of the time of GNU ld.
find_program(WEIR_LLD ld.lld)
if(WEIR_LLD)
  target_link_options(weir_flags INTERFACE -fuse-ld=lld)
endif()
if(WEIR_COVERAGE)
  target_compile_options(weir_flags INTERFACE --coverage -fprofile-abs-path)
  target_link_options(weir_flags INTERFACE --coverage)
endif()
if(WEIR_SANITIZE)
  target_compile_options(weir_flags INTERFACE -fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(weir_flags INTERFACE -fsanitize=${WEIR_SANITIZE})
  # The library of the SDK is for plugins and not sanitized; the host and the tests have its code inline.
  target_compile_definitions(weir_flags INTERFACE WEIR_SDK_HEADER_ONLY)
  if(WEIR_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # These stand at every access to memory and cost a quarter of the compiler's time; what follows from what they would find is
    # mostly found by AddressSanitizer.
    target_compile_options(weir_flags INTERFACE -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute)
  endif()
  if(WEIR_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Asio fences around handlers; TSan does not understand fences and sees Asio's mutexes instead, which order the same.
    target_compile_options(weir_flags INTERFACE -Wno-tsan)
  endif()
endif()
if(WEIR_FUZZ)
  # Counters of libFuzzer for its own search, those of source-based coverage for what tests/fuzz/run reports.
  target_compile_options(weir_flags INTERFACE -O1 -gline-tables-only -fno-omit-frame-pointer
    -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow -fno-sanitize=vptr -fno-sanitize-recover=all
    -fprofile-instr-generate -fcoverage-mapping)
  target_compile_definitions(weir_flags INTERFACE _GLIBCXX_ASSERTIONS WEIR_SDK_HEADER_ONLY)
  target_link_options(weir_flags INTERFACE -fsanitize=address,undefined -fprofile-instr-generate)
endif()
