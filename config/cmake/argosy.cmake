# SPDX-License-Identifier: Apache-2.0
# How every target of the project is built: options, warnings, and the functions that the folders'
# CMakeLists.txt use. A folder is one static library; its sources are globbed, so that adding a file
# needs no change here.

# Whoever builds the programs for use alone is not asked for what tests need.
find_package(GTest QUIET)
find_package(rapidcheck QUIET)
if(GTest_FOUND AND rapidcheck_FOUND)
  set(argosy_can_test ON)
else()
  set(argosy_can_test OFF)
endif()
option(ARGOSY_TESTS "Build the tests and benches; on where the packages of the group test are."
       ${argosy_can_test})
if(NOT ARGOSY_TESTS)
  message(STATUS "Without tests: config/install-packages test installs what they need.")
endif()
option(ARGOSY_UNITY "Compile several files of a folder at a time." ON)
option(ARGOSY_WERROR "Treat warnings as errors." OFF)
option(ARGOSY_PLANTED_FAULTS "For argosy-sim alone: faults that it has to find." OFF)
set(ARGOSY_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread.")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# No -DNDEBUG: the checks stay on in the release build.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELEASE "-O2")
# Nothing is optimised, which saves a quarter of the compiler's time.
set(CMAKE_CXX_FLAGS_QUICK "-O0")
set(CMAKE_C_FLAGS_QUICK "-O0")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# There are no shared libraries, so everything is compiled as programs are. One kind of code lets
# all folders share precompiled headers.
add_compile_options(-fPIE)
# The same sums on every machine: the round's decisions are compared byte by byte.
add_compile_options(-ffp-contract=off)
# GCC collects its garbage from 128 MB on. Files that need little more spend a sixth of their time
# on it; later collections cost 80 MB of memory.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=500000>)

find_program(ARGOSY_CCACHE ccache)
if(ARGOSY_CCACHE)
  # ccache can only cache what uses a precompiled header if the preprocessor keeps its include.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  # Clang would take a precompiled header that came from the cache for one of another time.
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${ARGOSY_CCACHE})
endif()
# Compilers allocate hundreds of megabytes: by jemalloc and in huge pages they take a seventh less
# processor time. It is a dependency of what argosy_use_jemalloc links.
find_library(ARGOSY_COMPILERS_JEMALLOC NAMES libjemalloc.so.2)
if(ARGOSY_COMPILERS_JEMALLOC)
  list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
       LD_PRELOAD=${ARGOSY_COMPILERS_JEMALLOC}
       MALLOC_CONF=thp:always,metadata_thp:always,dirty_decay_ms:-1,muzzy_decay_ms:-1)
endif()
find_program(ARGOSY_MOLD mold)
if(ARGOSY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# A program names only the libraries that it uses, as GCC arranges by itself.
add_link_options(-Wl,--as-needed)

if(ARGOSY_PLANTED_FAULTS)
  add_compile_definitions(ARGOSY_PLANTED_FAULTS)
endif()

if(ARGOSY_SANITIZE)
  add_compile_options(-fsanitize=${ARGOSY_SANITIZE} -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=${ARGOSY_SANITIZE})
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Protobuf REQUIRED)
find_package(CAF REQUIRED)

# The warnings of our own code; generated code is compiled without them. In tests, a name may hide
# one that a neighbour in the batch gives to something of its own.
add_library(argosy_warnings INTERFACE)
target_compile_options(argosy_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wconversion -Wno-sign-conversion
  -Woverloaded-virtual $<$<BOOL:${ARGOSY_WERROR}>:-Werror>)
# Clang has no kind of -Wshadow that leaves alone what a neighbour in the batch declares, so that
# GCC finds hidden names. std::stable_sort of GCC 12's library uses what that library deprecates.
target_compile_options(argosy_warnings INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wshadow$<$<BOOL:$<TARGET_PROPERTY:ARGOSY_TEST>>:=local>>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)
# Sanitizers' own code looks uninitialised to the compiler; the release build keeps the warning.
if(ARGOSY_SANITIZE)
  target_compile_options(argosy_warnings INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
endif()

# Every program, no test.
add_custom_target(programs)

include(precompiled)
include(optimize)

# ---- batches ------------------------------------------------------------------------------------

# argosy_batches(TARGET KILOBYTES [BY_FOLDER]): compiles neighbouring files together, as many as
# have at most so many kB; BY_FOLDER, only those of one folder. Most of a file's time goes into
# headers and templates that its neighbours expand as well. The anonymous namespaces of files that
# are compiled together share their names.
function(argosy_batches target kilobytes)
  if(NOT ARGOSY_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes what another file of the batch declares for declared in a header. The more of the
  # standard library's strings GCC 12 sees at once, the more writes past their end it imagines
  # (bug 105329); the sanitizers' build looks for real ones.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:
    -Wno-subobject-linkage -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
    -Wno-stringop-overread>)
  get_target_property(sources ${target} SOURCES)
  set(folders)
  foreach(source IN LISTS sources)
    set(folder all)
    if("BY_FOLDER" IN_LIST ARGN)
      get_filename_component(folder ${source} DIRECTORY)
      string(MAKE_C_IDENTIFIER ${folder} folder)
    endif()
    file(SIZE ${source} size)
    list(APPEND folders ${folder})
    list(APPEND files_${folder} ${source})
    list(APPEND sizes_${folder} ${size})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(first 0)
  foreach(folder IN LISTS folders)
    list(JOIN sizes_${folder} " + " total)
    math(EXPR total "${total}")
    math(EXPR batches "(${total} + ${kilobytes} * 1024 - 1) / (${kilobytes} * 1024)")
    # A file belongs to the batch in whose share of the bytes its middle lies.
    set(before 0)
    foreach(source size IN ZIP_LISTS files_${folder} sizes_${folder})
      math(EXPR batch "${first} + (${before} + ${size} / 2) * ${batches} / ${total}")
      math(EXPR before "${before} + ${size}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${batch})
    endforeach()
    math(EXPR first "${first} + ${batches}")
  endforeach()
endfunction()

# ---- targets ------------------------------------------------------------------------------------

# argosy_library(NAME [RECURSE] [ALSO folder...] [COLD path...] [BATCH kB] [BY_FOLDER] [PCH name]
#                [LIBS lib...] [PRIVATE_LIBS lib...])
# A static library argosy_NAME of all sources in the calling folder (and below it with RECURSE; and
# in the folders ALSO). What begins with one of the paths COLD is optimised least. BATCH and
# BY_FOLDER: see argosy_batches; PCH: the name of an argosy_pch.
function(argosy_library name)
  cmake_parse_arguments(A "RECURSE;BY_FOLDER" "BATCH;PCH" "ALSO;COLD;LIBS;PRIVATE_LIBS" ${ARGN})
  if(A_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  else()
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  foreach(folder IN LISTS A_ALSO)
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  set(cold_sources)
  foreach(path IN LISTS A_COLD)
    set(begins ${sources})
    list(FILTER begins INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${path}")
    list(APPEND cold_sources ${begins})
    list(REMOVE_ITEM sources ${begins})
  endforeach()
  if(cold_sources)
    add_library(argosy_${name}_cold OBJECT ${cold_sources})
    target_link_libraries(argosy_${name}_cold PRIVATE argosy_warnings ${A_LIBS} ${A_PRIVATE_LIBS})
    target_include_directories(argosy_${name}_cold PRIVATE ${CMAKE_SOURCE_DIR})
    argosy_compile_cheaply(argosy_${name}_cold)
    argosy_optimize_least(argosy_${name}_cold)
  endif()
  if(sources)
    add_library(argosy_${name} STATIC ${sources})
    target_link_libraries(argosy_${name} PUBLIC ${A_LIBS} PRIVATE argosy_warnings ${A_PRIVATE_LIBS})
    target_include_directories(argosy_${name} PUBLIC ${CMAKE_SOURCE_DIR})
    argosy_compile_cheaply(argosy_${name})
    if(cold_sources)
      target_sources(argosy_${name} PRIVATE $<TARGET_OBJECTS:argosy_${name}_cold>)
    endif()
  else()
    add_library(argosy_${name} INTERFACE)
    target_link_libraries(argosy_${name} INTERFACE ${A_LIBS})
    target_include_directories(argosy_${name} INTERFACE ${CMAKE_SOURCE_DIR})
  endif()
endfunction()

# Batches and precompiled headers for the target of the calling function, by its arguments.
macro(argosy_compile_cheaply target)
  if(NOT A_BATCH)
    set(A_BATCH 60)
  endif()
  if(NOT A_PCH)
    set(A_PCH base)
  endif()
  if(A_BY_FOLDER)
    argosy_batches(${target} ${A_BATCH} BY_FOLDER)
  else()
    argosy_batches(${target} ${A_BATCH})
  endif()
  target_precompile_headers(${target} REUSE_FROM argosy_pch_${A_PCH})
endmacro()

# argosy_program(NAME [BATCH kB] [PCH name] LIBS lib...)
# An executable of all sources in the calling folder and below it; part of the target `programs`.
function(argosy_program name)
  cmake_parse_arguments(A "" "BATCH;PCH" "LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  add_dependencies(programs ${name})
  target_link_libraries(${name} PRIVATE ${A_LIBS} argosy_warnings)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  argosy_compile_cheaply(${name})
endfunction()

# argosy_use_jemalloc(TARGET): the program allocates by jemalloc, which is faster than the C
# library's and keeps less (see tests/bench/README.md). Sanitizers bring an allocator of their own.
function(argosy_use_jemalloc target)
  if(ARGOSY_SANITIZE)
    return()
  endif()
  find_library(ARGOSY_JEMALLOC_LIBRARY NAMES libjemalloc_pic.a REQUIRED)
  target_link_libraries(${target} PRIVATE
    ${ARGOSY_JEMALLOC_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

# The tests' own files are not optimised, which halves their compile time; what they test is.
if(ARGOSY_SANITIZE)
  set(ARGOSY_TEST_OPTIONS)
else()
  set(ARGOSY_TEST_OPTIONS -O0)
endif()

# argosy_test(LABEL COMPONENT LIBS lib... [FOLDERS folder...] [OPTIMIZE] [BATCH kB] [PCH name]
#             [TIMEOUT seconds] [LABELS label...])
# One GoogleTest program of the *.cpp files of the calling folder, or of these folders in it; its
# cases are tests of ctest with the given label (and the further LABELS). The target
# tests_LABEL builds all programs of a label. OPTIMIZE is for tests that compute much themselves.
#
# Folders that test the same library share a program: their files are compiled in the same batches,
# which halves what the compiler spends on small ones.
function(argosy_test label component)
  cmake_parse_arguments(A "OPTIMIZE" "BATCH;PCH;TIMEOUT" "LIBS;LABELS;FOLDERS" ${ARGN})
  if(NOT A_FOLDERS)
    set(A_FOLDERS .)
  endif()
  set(sources)
  foreach(folder IN LISTS A_FOLDERS)
    file(GLOB more CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  if(NOT sources)
    return()
  endif()
  set(target test_${label}_${component})
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE ${A_LIBS} GTest::gmock GTest::gtest_main argosy_warnings)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE
    ARGOSY_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ARGOSY_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests ARGOSY_TEST ON)
  if(NOT A_PCH)
    set(A_PCH test)
    if(label STREQUAL actors)
      set(A_PCH actor_test)
    elseif(A_OPTIMIZE)
      set(A_PCH base)
    endif()
  endif()
  if(NOT A_OPTIMIZE)
    target_compile_options(${target} PRIVATE ${ARGOSY_TEST_OPTIONS})
  endif()
  # Twice as large as elsewhere, which saves a seventh of the tests' compile time.
  if(NOT A_BATCH)
    set(A_BATCH 130)
  endif()
  argosy_compile_cheaply(${target})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  if(NOT TARGET tests_${label})
    add_custom_target(tests_${label})
  endif()
  add_dependencies(tests_${label} ${target})
  argosy_find_tests(${target} ${label} "${label};${A_LABELS}" ${A_TIMEOUT})
endfunction()

# argosy_subfolders(DIR...): adds those of the named folders that have a CMakeLists.txt.
function(argosy_subfolders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()
