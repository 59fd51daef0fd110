# SPDX-License-Identifier: Apache-2.0
# This file says which tests ctest has.
include(GoogleTest)

# argosy_find_tests(TARGET LABEL LABELS TIMEOUT) makes the cases of a GoogleTest program known to
# ctest. The suites of unit and of actors are one test each, LABEL.SUITE: a process for each of
# their thousands of cases took a tenth of the time of all tests (2026-11-26). Elsewhere each case
# is a test, LABEL.SUITE.NAME, since it works with processes and files of its own for much longer.
function(argosy_find_tests target label labels timeout)
  if(NOT label MATCHES "^(unit|actors)$")
    # Begun before the short ones, so that none of them runs alone at the end.
    set(cost 5)
    if(label STREQUAL faults)
      set(cost 20)
    endif()
    gtest_discover_tests(${target} TEST_PREFIX "${label}." DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${labels}" TIMEOUT ${timeout} COST ${cost})
    return()
  endif()
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  set(included ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${found} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D PREFIX=${label}
      -D "LABELS=${labels}" -D TIMEOUT=${timeout} -D OUTPUT=${found}
      -P ${CMAKE_SOURCE_DIR}/config/cmake/list_suites.cmake)
  file(WRITE ${included} "if(EXISTS \"${found}\")\n  include(\"${found}\")\nelse()\n"
    "  add_test(${target}_is_not_built ${target}_is_not_built)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${included})
endfunction()
