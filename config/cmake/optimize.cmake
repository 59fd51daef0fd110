# SPDX-License-Identifier: Apache-2.0
# These functions have the compiler do less where nothing is hot.

# argosy_optimize_little(TARGET...): nothing in them is hot, so that -O1 is enough, which saves a
# sixth of the compiler's time. A build for one program lacks some of the targets.
function(argosy_optimize_little)
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      continue()
    endif()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# argosy_optimize_least(TARGET...): as little, and takes no more than small functions into their
# callers, which saves another fifth. It is not for what argosyd does for each job: with all actors
# compiled so, simulated jobs took 8 % longer.
function(argosy_optimize_least)
  argosy_optimize_little(${ARGN})
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      continue()
    endif()
    target_compile_options(${target} PRIVATE
      "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:Clang>>:SHELL:-mllvm -inline-threshold=25>")
  endforeach()
endfunction()
