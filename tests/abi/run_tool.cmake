# cmake -DTOOL=abidiff -DPACKAGE=abigail-tools "-DARGUMENTS=a;b" -P run_tool.cmake: runs it; if it is not here, says so and fails.
find_program(program ${TOOL})
if(NOT program)
  message(FATAL_ERROR "${TOOL} is not installed: apt-get install ${PACKAGE}")
endif()
execute_process(COMMAND ${program} ${ARGUMENTS} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${TOOL} ended with ${result}")
endif()
