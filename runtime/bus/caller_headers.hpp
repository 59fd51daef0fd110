// SPDX-License-Identifier: Apache-2.0
// The headers that say who sent a request over a transport of this process. Only transports that
// have checked it write them, and no header of a client is ever handed on under these names.
#pragma once

#include "runtime/access/principal.hpp"
#include "runtime/bus/headers.hpp"

namespace argosy::bus {

/// The size that the groups of a caller may have together, in bytes, and his scopes. What is more
/// is left out.
inline constexpr std::size_t group_bytes_max = 8'192;

[[nodiscard]] headers caller_headers(const access::principal& who);

/// The principal of these headers. What is missing or damaged gives no group and no permission.
[[nodiscard]] access::principal caller_of(const headers& from);

}  // namespace argosy::bus
