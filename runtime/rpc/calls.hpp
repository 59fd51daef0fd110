// SPDX-License-Identifier: Apache-2.0
// One call over gRPC from its request to its status: with one answer, with a stream of them, or
// with a status alone.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <functional>
#include <string>

#include "runtime/rpc/patience.hpp"
#include "runtime/rpc/server.hpp"

namespace argosy::rpc {

/// What all calls of a server share. It outlives them.
struct call_room {
  const server_config& config;
  patience& callers;
};

// Each of these owns itself and ends when the library says that the call is done.

/// A call that waits until it is known who calls. Nothing of its request is read before.
struct waiting_call {
  ::grpc::ServerGenericBidiReactor* reactor = nullptr;
  /// Must be called exactly once, on any thread. The call lives until then.
  std::function<void(const admission&)> known;
};

[[nodiscard]] waiting_call make_unary(const call_room& room, ::grpc::CallbackServerContext& context,
                                      const method& what);
[[nodiscard]] waiting_call make_stream(const call_room& room,
                                       ::grpc::CallbackServerContext& context, const method& what);
/// Answers questions about the services with config.reflect.
[[nodiscard]] waiting_call make_reflection(const call_room& room,
                                           ::grpc::CallbackServerContext& context);
/// The status for a caller who is not admitted.
[[nodiscard]] ::grpc::Status status_of(const admission& who);
/// The status for a caller who ended the call before its request.
[[nodiscard]] ::grpc::Status no_request();
/// The largest request of the method.
[[nodiscard]] std::size_t request_bytes_max(const server_config& config, const method& what);
/// How an answer is written: small ones gain nothing from compression.
[[nodiscard]] ::grpc::WriteOptions options_for(const ::grpc::ByteBuffer& answer);
[[nodiscard]] ::grpc::ServerGenericBidiReactor* refuse(const ::grpc::Status& why);

}  // namespace argosy::rpc
