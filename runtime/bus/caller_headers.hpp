// SPDX-License-Identifier: Apache-2.0
// The headers that say who sent a request over a transport of this process. Only transports that
// have checked it write them, and no header of a client is ever handed on under these names. Over
// NATS a client may show a proof himself, which the GATEWAY has checked.
#pragma once

#include "runtime/access/principal.hpp"
#include "runtime/bus/headers.hpp"

namespace argosy::bus {

/// The header by which a request over NATS shows who sends it, as `Bearer TOKEN`.
inline constexpr std::string_view proof_header = "authorization";

/// The size that the groups of a caller may have together, in bytes, and his scopes. What is more
/// is left out.
inline constexpr std::size_t group_bytes_max = 8'192;

[[nodiscard]] headers caller_headers(const access::principal& who);

/// The principal of these headers. What is missing or damaged gives no group and no permission.
[[nodiscard]] access::principal caller_of(const headers& from);

/// Adds to the headers of a caller by which transport he came, "grpc", and from where. `peer` is as
/// gRPC names it: "ipv4:127.0.0.1:53120".
void set_way(headers& to, std::string_view via, std::string_view peer);

/// The method by which a transport of this process tells the GATEWAY whom it did not believe that
/// he is who he says he is. The headers name him and his way; the payload says why. Nobody is
/// answered.
inline constexpr std::string_view refused_caller_method = "Audit.RefusedCaller";

}  // namespace argosy::bus
