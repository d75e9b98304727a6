# weir_add_plugin(TARGET TYPE element|source|queue|remote|allocator|placer KIND name SOURCES file.. [LINK target..]): a plugin of
# weir, TYPE-KIND.so: C99 or C++20, nothing exported but its entry. Used by weir itself and, installed with it, by others.
# C alone needs the header and not the library of the SDK, which would bring the C++ runtime with it.
function(weir_add_plugin target)
  cmake_parse_arguments(ARG "" "TYPE;KIND" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_TYPE MATCHES "^(element|source|queue|remote|allocator|placer)$" OR NOT ARG_KIND MATCHES "^[a-z0-9-]+$" OR NOT ARG_SOURCES)
    message(FATAL_ERROR "weir_add_plugin(${target}): TYPE is element, source, queue, remote, allocator or placer, KIND has a-z, 0-9 "
      "and -, and SOURCES are needed")
  endif()
  set(in_cxx ${ARG_SOURCES})
  list(FILTER in_cxx EXCLUDE REGEX "\\.[ch]$")
  set(sdk weir::abi)
  if(in_cxx)
    set(sdk weir::sdk)
  endif()
  add_library(${target} MODULE ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${sdk} ${ARG_LINK})
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin_exports.map -Wl,-z,defs)
  set_target_properties(${target} PROPERTIES C_STANDARD 99 CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
    PREFIX "" OUTPUT_NAME ${ARG_TYPE}-${ARG_KIND} SUFFIX .so
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
