# SPDX-License-Identifier: Apache-2.0
# This file chooses the compiler before the project begins. It takes Clang where that is installed,
# since Clang compiles all of this in two thirds of GCC's time, and the tests in half. GCC builds it
# as well; CXX=g++ in the environment or -DCMAKE_CXX_COMPILER=g++ asks for it.

if(NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(ARGOSY_CLANG clang++-19)
  mark_as_advanced(ARGOSY_CLANG)
  if(ARGOSY_CLANG)
    set(CMAKE_CXX_COMPILER ${ARGOSY_CLANG} CACHE FILEPATH "The C++ compiler.")
  endif()
endif()
