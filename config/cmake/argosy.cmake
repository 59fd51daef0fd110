# SPDX-License-Identifier: Apache-2.0
# How every target of the project is built: options, warnings, and the functions that the folders'
# CMakeLists.txt use. A folder is one static library; its sources are globbed, so that adding a file
# needs no change here.

option(ARGOSY_TESTS "Build the tests and benches." ON)
option(ARGOSY_UNITY "Compile some folders several files at a time." ON)
option(ARGOSY_WERROR "Treat warnings as errors." OFF)
set(ARGOSY_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread.")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# No -DNDEBUG: the checks stay on in the release build.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# The same sums on every machine: the round's decisions are compared byte by byte.
add_compile_options(-ffp-contract=off)

find_program(ARGOSY_CCACHE ccache)
if(ARGOSY_CCACHE)
  # ccache can only cache what uses a precompiled header if the preprocessor keeps its include.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${ARGOSY_CCACHE})
endif()
find_program(ARGOSY_MOLD mold)
if(ARGOSY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(ARGOSY_SANITIZE)
  add_compile_options(-fsanitize=${ARGOSY_SANITIZE} -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=${ARGOSY_SANITIZE})
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Protobuf REQUIRED)

# The warnings of our own code; generated code is compiled without them.
add_library(argosy_warnings INTERFACE)
target_compile_options(argosy_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion
  -Woverloaded-virtual $<$<BOOL:${ARGOSY_WERROR}>:-Werror>)
# Sanitizers' own code looks uninitialised to the compiler; the release build keeps the warning.
if(ARGOSY_SANITIZE)
  target_compile_options(argosy_warnings INTERFACE -Wno-maybe-uninitialized)
endif()

# What the quick start builds: every program, no test.
add_custom_target(programs)

# argosy_library(NAME [RECURSE] [UNITY] [LIBS lib...] [PRIVATE_LIBS lib...] [PCH header...])
# A static library argosy_NAME of all sources in the calling folder (and below it with RECURSE).
# UNITY compiles six files at a time, for folders of small files that all expand the same large
# templates; their anonymous namespaces then share their names.
function(argosy_library name)
  cmake_parse_arguments(A "RECURSE;UNITY" "" "LIBS;PRIVATE_LIBS;PCH" ${ARGN})
  if(A_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  else()
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  if(sources)
    add_library(argosy_${name} STATIC ${sources})
    target_link_libraries(argosy_${name} PUBLIC ${A_LIBS} PRIVATE argosy_warnings ${A_PRIVATE_LIBS})
    target_include_directories(argosy_${name} PUBLIC ${CMAKE_SOURCE_DIR})
    if(A_PCH)
      target_precompile_headers(argosy_${name} PRIVATE ${A_PCH})
    endif()
    if(A_UNITY AND ARGOSY_UNITY)
      set_target_properties(argosy_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    endif()
  else()
    add_library(argosy_${name} INTERFACE)
    target_link_libraries(argosy_${name} INTERFACE ${A_LIBS})
    target_include_directories(argosy_${name} INTERFACE ${CMAKE_SOURCE_DIR})
  endif()
endfunction()

# argosy_program(NAME LIBS lib... [PCH header...])
# An executable of all sources in the calling folder and below it; part of the target `programs`.
function(argosy_program name)
  cmake_parse_arguments(A "" "" "LIBS;PCH" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  add_dependencies(programs ${name})
  target_link_libraries(${name} PRIVATE ${A_LIBS} argosy_warnings)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  if(A_PCH)
    target_precompile_headers(${name} PRIVATE ${A_PCH})
  endif()
endfunction()

# argosy_test_pch(NAME header...): headers that are precompiled once for many test programs.
# Compiled exactly as they are (-fPIE, same warnings and optimisation), or the compiler would not
# accept the result there.
function(argosy_test_pch name)
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE GTest::gmock argosy_warnings)
  target_compile_options(${name} PRIVATE -fPIE ${ARGOSY_TEST_OPTIONS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h> ${ARGN})
endfunction()

# The tests' own files are not optimised, which halves their compile time; what they test is.
if(ARGOSY_SANITIZE)
  set(ARGOSY_TEST_OPTIONS)
else()
  set(ARGOSY_TEST_OPTIONS -O0)
endif()

# argosy_test(LABEL COMPONENT LIBS lib... [OPTIMIZE] [PCH header...] [TIMEOUT seconds]
#             [LABELS label...])
# One GoogleTest program of the calling folder's *.cpp files; every case is a ctest LABEL.SUITE.NAME
# with the given label (and the further LABELS). The target tests_LABEL builds all programs of a
# label. OPTIMIZE is for tests that compute much themselves. With PCH the target has a precompiled
# header of its own, to which GoogleTest is added.
function(argosy_test label component)
  cmake_parse_arguments(A "OPTIMIZE" "TIMEOUT" "LIBS;PCH;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(target test_${label}_${component})
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE ${A_LIBS} GTest::gmock GTest::gtest_main argosy_warnings)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE
    ARGOSY_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ARGOSY_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(NOT A_OPTIMIZE)
    target_compile_options(${target} PRIVATE ${ARGOSY_TEST_OPTIONS})
  endif()
  if(A_PCH)
    target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <gtest/gtest.h> ${A_PCH})
  elseif(label STREQUAL actors)
    target_precompile_headers(${target} REUSE_FROM argosy_actor_test_pch)
  elseif(NOT A_OPTIMIZE)
    target_precompile_headers(${target} REUSE_FROM argosy_test_pch)
  endif()
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  if(NOT TARGET tests_${label})
    add_custom_target(tests_${label})
  endif()
  add_dependencies(tests_${label} ${target})
  gtest_discover_tests(${target} TEST_PREFIX "${label}." DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${label};${A_LABELS}" TIMEOUT ${A_TIMEOUT})
endfunction()

# argosy_subfolders(DIR...): adds those of the named folders that have a CMakeLists.txt.
function(argosy_subfolders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()
