// SPDX-License-Identifier: Apache-2.0
// How an error of ours is told to a caller over gRPC.
#pragma once

#include <grpcpp/support/status.h>

#include "runtime/base/error.hpp"

namespace argosy::rpc {

/// The status whose code makes clients do what the error asks for: those that try again by
/// themselves do so on RESOURCE_EXHAUSTED and UNAVAILABLE, and only then may the same request
/// succeed later. The detail is the message; a missing code stands for success.
[[nodiscard]] ::grpc::Status to_status(const error& why);

}  // namespace argosy::rpc
