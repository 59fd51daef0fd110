// SPDX-License-Identifier: Apache-2.0
// One call over gRPC from its request to its status: with one answer, with a stream of them, or
// with a status alone.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <string>

#include "runtime/rpc/server.hpp"

namespace argosy::rpc {

/// What all calls of a server share. It outlives them.
struct call_room {
  const server_config& config;
};

// Each of these owns itself and ends when the library says that the call is done.

[[nodiscard]] ::grpc::ServerGenericBidiReactor* begin_unary(const call_room& room,
                                                            ::grpc::CallbackServerContext& context,
                                                            const method& what, bus::headers with);
[[nodiscard]] ::grpc::ServerGenericBidiReactor* begin_stream(const call_room& room,
                                                             const method& what, bus::headers with);
/// Answers questions about the services with config.reflect.
[[nodiscard]] ::grpc::ServerGenericBidiReactor* begin_reflection(const call_room& room);
[[nodiscard]] ::grpc::ServerGenericBidiReactor* refuse(const ::grpc::Status& why);

}  // namespace argosy::rpc
