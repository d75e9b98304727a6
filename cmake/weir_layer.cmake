include(${CMAKE_SOURCE_DIR}/cmake/layers.cmake)

# What nearly every file needs; Boost, TBB, toml++ and nlohmann are left out on purpose: each is included by a file or
# two. All layers share one precompiled header and all test programs another: one for each target took an eighth of a build.
set(WEIR_PRECOMPILED <algorithm> <chrono> <cstdint> <functional> <map> <memory> <optional> <span> <string>
    <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)
add_library(weir_precompiled STATIC ${CMAKE_SOURCE_DIR}/cmake/precompiled.cpp)
target_link_libraries(weir_precompiled PRIVATE weir_flags tl::expected fmt::fmt)
target_precompile_headers(weir_precompiled PRIVATE ${WEIR_PRECOMPILED})

# Nobody waits for the code of a test; everybody waits for its compiler.
set(WEIR_TEST_OPTIONS $<$<CONFIG:Release>:-O1> -Wno-subobject-linkage)  # the second is about fixtures in batches
if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
  # Tests include what they test; what all of them need comes by itself, also where nothing is precompiled (for ccache).
  foreach(header IN ITEMS ${WEIR_PRECOMPILED} <gtest/gtest.h>)
    string(REGEX REPLACE "[<>]" "" header "${header}")
    list(APPEND WEIR_TEST_OPTIONS "SHELL:-include ${header}")
  endforeach()
endif()
if(WEIR_TESTS)
  add_executable(weir_test_precompiled ${CMAKE_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(weir_test_precompiled PRIVATE weir_flags tl::expected fmt::fmt GTest::gtest_main)
  target_compile_options(weir_test_precompiled PRIVATE ${WEIR_TEST_OPTIONS})
  target_precompile_headers(weir_test_precompiled PRIVATE ${WEIR_PRECOMPILED} <gtest/gtest.h>)
  set_target_properties(weir_test_precompiled PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endif()

# Parsing headers is half of a file's compile time, and files of one layer include the same ones. Batches keep both cores
# busy and a rebuild short. So names in unnamed namespaces must be unique within a layer, or a test program.
function(weir_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WEIR_UNITY} UNITY_BUILD_BATCH_SIZE ${WEIR_UNITY_BATCH})
endfunction()

# core/exec -> weir_exec
function(weir_target_of layer out)
  string(REPLACE "core/" "" name ${layer})
  string(REPLACE "/" "_" name ${name})
  set(${out} weir_${name} PARENT_SCOPE)
endfunction()

# weir_layer(core/exec [LINK target...] [OPTIONS option...]): the library of one layer, from all .cpp files of its folder
# but main.cpp.
function(weir_layer layer)
  cmake_parse_arguments(ARG "" "" "LINK;OPTIONS" ${ARGN})
  weir_target_of(${layer} target)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(below "")
  foreach(lower IN LISTS WEIR_LAYER_${layer})
    weir_target_of(${lower} lower_target)
    list(APPEND below ${lower_target})
  endforeach()
  if(NOT sources)
    add_library(${target} INTERFACE)
    return()
  endif()
  add_library(${target} STATIC ${sources})
  target_link_libraries(${target} PUBLIC weir_flags ${below} ${ARG_LINK})
  target_compile_options(${target} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${target} REUSE_FROM weir_precompiled)
  weir_unity(${target})
endfunction()

# tests_unit, tests_scenario...: all programs with that label, so that a sanitizer build holds only what it runs.
function(weir_test_label label)
  if(NOT TARGET tests_${label})
    add_custom_target(tests_${label})
  endif()
endfunction()

# weir_test(unit_exec LABEL unit SOURCES a.cpp.. LINK weir_exec..): one GoogleTest program, each test a ctest.
function(weir_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} weir_flags tl::expected fmt::fmt GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${WEIR_TEST_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM weir_test_precompiled)
  weir_unity(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  weir_test_label(${ARG_LABEL})
  add_dependencies(tests_${ARG_LABEL} ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  gtest_discover_tests(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT} DISCOVERY_TIMEOUT 60)
endfunction()
