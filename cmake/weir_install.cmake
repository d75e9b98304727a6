# `cmake --install`: the program, what it starts and loads beside it, documents, and all that plugins are built with.
# Folders are fixed, since the program looks for its own relative to itself. weir_own_plugin installs the kinds. After a
# partial build (examples/run) kinds that were not built are left out.
include(CMakePackageConfigHelpers)

install(TARGETS weir EXPORT weir DESTINATION bin)
install(TARGETS weir-init DESTINATION lib/weir)
if(WEIR_COMPLETE)
  install(TARGETS weir-transfer DESTINATION lib/weir COMPONENT transfer OPTIONAL)
endif()

# Manual pages and completion, where man and the shells look for them.
install(DIRECTORY ${CMAKE_BINARY_DIR}/help/share DESTINATION .)
install(DIRECTORY docs DESTINATION share/doc/weir)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/weir)

install(TARGETS weir_plugins_abi weir_plugins_sdk EXPORT weir ARCHIVE DESTINATION lib COMPONENT dev)
install(DIRECTORY plugins/sdk/include/weir DESTINATION include COMPONENT dev)

set(package lib/cmake/weir)
install(EXPORT weir FILE weirTargets.cmake NAMESPACE weir:: DESTINATION ${package} COMPONENT dev)
# Headers are only ever appended to, so what asks for an older version is well served.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weirConfigVersion.cmake COMPATIBILITY AnyNewerVersion)
install(FILES ${CMAKE_BINARY_DIR}/weirConfigVersion.cmake cmake/weirConfig.cmake cmake/weir_add_plugin.cmake cmake/plugin_exports.map
  DESTINATION ${package} COMPONENT dev)
