// SPDX-License-Identifier: Apache-2.0
// This file declares who of this machine's users is at the other end of a TCP connection.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace argosy::access {

/// The user behind a connection from this machine to the port `to` of this process; `peer` is as
/// gRPC names it, "ipv4:127.0.0.1:53120" or "ipv6:%5B::1%5D:53120". Nothing if the peer is not on a
/// loopback address or has gone. It asks the kernel for this one connection, which takes
/// microseconds; where the kernel cannot be asked, it looks at all connections of the machine.
[[nodiscard]] std::optional<uid_t> uid_behind(std::string_view peer, std::uint16_t to);

/// The user of the connection by the contents of /proc/net/tcp or /proc/net/tcp6. `address` is the
/// peer's as it stands there, for example "0100007F:CF80". Only a connection that is established
/// counts: the kernel shows those that have ended as root's, whoever had them.
[[nodiscard]] std::optional<uid_t> uid_of_socket(std::string_view table, std::string_view address,
                                                 std::uint16_t to);

}  // namespace argosy::access
