# SPDX-License-Identifier: Apache-2.0
# Finds gRPC for C++ and makes the target gRPC::grpc++. Debian's own file for CMake asks for the
# plugins of protoc, which nothing here needs, and pkg-config takes 14 s to tell what gRPC is made
# of.

find_path(GRPC_INCLUDE_DIR grpcpp/grpcpp.h)
find_library(GRPC_CPP_LIBRARY grpc++)
find_library(GRPC_CORE_LIBRARY grpc)
find_library(GRPC_PORTABILITY_LIBRARY gpr)
mark_as_advanced(GRPC_INCLUDE_DIR GRPC_CPP_LIBRARY GRPC_CORE_LIBRARY GRPC_PORTABILITY_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(gRPC REQUIRED_VARS
  GRPC_CPP_LIBRARY GRPC_CORE_LIBRARY GRPC_PORTABILITY_LIBRARY GRPC_INCLUDE_DIR)

if(gRPC_FOUND AND NOT TARGET gRPC::grpc++)
  add_library(gRPC::grpc++ UNKNOWN IMPORTED)
  set_target_properties(gRPC::grpc++ PROPERTIES
    IMPORTED_LOCATION ${GRPC_CPP_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${GRPC_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${GRPC_CORE_LIBRARY};${GRPC_PORTABILITY_LIBRARY}")
endif()
