include(${CMAKE_SOURCE_DIR}/cmake/weir_add_plugin.cmake)

# weir_own_plugin(element make make.cpp [SOURCES more.cpp..] [LINK target..]): a kind that comes with weir, found beside the program.
add_custom_target(weir_plugins)
function(weir_own_plugin type kind source)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  set(target plugin_${type}_${kind})
  weir_add_plugin(${target} TYPE ${type} KIND ${kind} SOURCES ${source} ${ARG_SOURCES} LINK ${ARG_LINK})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE WEIR_VERSION="${PROJECT_VERSION}")
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/weir/plugins)
  # Sanitizers look at the host and at the SDK (tests/unit/plugins), not at the kinds.
  if(WEIR_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(type MATCHES "^(element|source|queue)$")
    # A handful of questions per element: the compiler's time counts, their own does not.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  add_dependencies(weir_plugins ${target})
  set(component weir)
  if(type STREQUAL remote AND NOT kind STREQUAL dir)
    set(component remote-${kind})  # a package of its own: cmake/weir_package.cmake
  endif()
  install(TARGETS ${target} DESTINATION lib/weir/plugins COMPONENT ${component} OPTIONAL)
endfunction()
