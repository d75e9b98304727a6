# Read by ctest after the tests are known. These compile for minutes on a busy machine, so their limit for hangs is longer.
set_tests_properties(Releases.of_real_software_are_built_and_used PROPERTIES TIMEOUT 1200)
