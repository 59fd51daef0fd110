# SPDX-License-Identifier: Apache-2.0
# cmake -D PROGRAM=... -D PREFIX=... -D LABELS=... -D TIMEOUT=... -D OUTPUT=... -P list_suites.cmake
# Asks a GoogleTest program for its suites, and writes a file in which each of them is a test of
# ctest, called PREFIX.SUITE.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listing RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests ended with ${code}")
endif()
# A suite begins a line and ends with a dot, "rounds/presets.  # TypeParam = x"; its cases are
# indented.
string(REGEX MATCHALL "\n[A-Za-z_][A-Za-z0-9_/]*\\." suites "\n${listing}")
if(NOT suites)
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
set(text "")
foreach(found IN LISTS suites)
  string(REGEX REPLACE "^\n(.*)\\.$" "\\1" suite "${found}")
  set(name "[=[${PREFIX}.${suite}]=]")
  string(APPEND text
    "add_test(${name} [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n"
    "set_tests_properties(${name} PROPERTIES LABELS [=[${LABELS}]=] TIMEOUT ${TIMEOUT})\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
