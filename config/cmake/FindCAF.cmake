# SPDX-License-Identifier: Apache-2.0
# Finds the C++ Actor Framework, whose Debian package ships no CMake configuration.
# Defines CAF_FOUND, CAF_VERSION (an integer such as 1706) and the target CAF::core.

find_path(CAF_INCLUDE_DIR NAMES caf/actor_system.hpp)
find_library(CAF_CORE_LIBRARY NAMES caf_core)

if(CAF_INCLUDE_DIR AND EXISTS ${CAF_INCLUDE_DIR}/caf/config.hpp)
  file(STRINGS ${CAF_INCLUDE_DIR}/caf/config.hpp version_line REGEX "#define CAF_VERSION +[0-9]+")
  string(REGEX REPLACE ".*CAF_VERSION +([0-9]+).*" "\\1" CAF_VERSION "${version_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_CORE_LIBRARY CAF_INCLUDE_DIR)

if(CAF_FOUND AND NOT TARGET CAF::core)
  add_library(CAF::core UNKNOWN IMPORTED)
  set_target_properties(CAF::core PROPERTIES
    IMPORTED_LOCATION ${CAF_CORE_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${CAF_INCLUDE_DIR})
endif()
