// SPDX-License-Identifier: Apache-2.0
// The headers that say who sent a request over a transport of this process. Only transports that
// have checked it write them, and no header of a client is ever handed on under these names. Over
// NATS a client may show a proof himself, which the GATEWAY has checked.
#pragma once

#include <string>
#include <string_view>

#include "runtime/access/principal.hpp"
#include "runtime/bus/frame.hpp"

namespace argosy::bus {

/// The header by which a request over NATS shows who sends it, as `Bearer TOKEN`.
inline constexpr std::string_view proof_header = "authorization";

/// The size that the groups of a caller may have together, in bytes, and his scopes. What is more
/// is left out of the headers: who lets callers in refuses those whose groups do not fit.
inline constexpr std::size_t group_bytes_max = 8'192;
[[nodiscard]] bool groups_fit(const access::principal& who);

[[nodiscard]] headers caller_headers(const access::principal& who);

/// The principal of these headers. What is missing or damaged gives no group and no permission.
[[nodiscard]] access::principal caller_of(const headers& from);

/// Who has sent this request, as a key of what callers share: the user, or the cluster of an agent,
/// or else the address of his machine or the connection that waits for the answer. In headers only
/// transports of this process say it, so that they are looked at only with `in_header`.
[[nodiscard]] std::string caller_key(const frame& request, bool in_header);
/// The same of a caller who is known by these headers and calls from `peer`.
[[nodiscard]] std::string caller_key(const headers& who, std::string_view peer);

/// Adds to the headers of a caller by which transport he came, "grpc", and from where. `peer` is as
/// gRPC names it: "ipv4:127.0.0.1:53120".
void set_way(headers& to, std::string_view via, std::string_view peer);

/// The method by which a transport of this process tells the GATEWAY whom it did not believe that
/// he is who he says he is. The headers name him and his way; the payload says why. Nobody is
/// answered.
inline constexpr std::string_view refused_caller_method = "Audit.RefusedCaller";

}  // namespace argosy::bus
