# find_package(weir): weir_add_plugin, the SDK as weir::sdk, its C header alone as weir::abi, and the program as weir::weir, for the tests of a plugin.
# Nothing here holds a path of the machine that it was built on: the folder may be moved.
include(${CMAKE_CURRENT_LIST_DIR}/weirTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/weir_add_plugin.cmake)
