// SPDX-License-Identifier: Apache-2.0
// How the gRPC server proves who it is: with a certificate, or not at all.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "runtime/rpc/server.hpp"

namespace argosy::rpc {

/// Without a certificate the connection is not encrypted. Files that are replaced are read again
/// within a minute. Fails with ec::invalid_argument, which names the file, if one cannot be read or
/// certificate and key are no pair.
[[nodiscard]] result<std::shared_ptr<::grpc::ServerCredentials>> credentials_of(
    const server_config& config);

}  // namespace argosy::rpc
