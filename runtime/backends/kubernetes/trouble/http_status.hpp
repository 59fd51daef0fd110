// SPDX-License-Identifier: Apache-2.0
// The statuses of HTTP that this backend tells apart.
#pragma once

namespace argosy::backends {

inline constexpr int http_unauthorized = 401;
inline constexpr int http_forbidden = 403;
inline constexpr int http_not_found = 404;
inline constexpr int http_conflict = 409;
inline constexpr int http_server_error = 500;  ///< And above: the fault is the server's.

}  // namespace argosy::backends
