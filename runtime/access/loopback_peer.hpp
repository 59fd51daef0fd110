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

/// A process of this machine, by its end of a connection.
struct local_peer {
  uid_t uid = 0;
  std::uint64_t cgroup = 0;  ///< The id of its control group (version 2); 0 if it is not known.
};

/// Who of this machine is at the other end of a TCP connection that was accepted, whichever
/// addresses of the machine it is between. Nothing if that is on another machine, or in a network
/// of its own, or has gone.
[[nodiscard]] std::optional<local_peer> local_peer_of(int socket);

/// Whether the other end of the connection has a loopback address, so that it is on this machine.
[[nodiscard]] bool is_loopback(int socket);

/// The user of the connection by the contents of /proc/net/tcp or /proc/net/tcp6. `address` is the
/// peer's as it stands there, for example "0100007F:CF80". Only a connection that is established
/// counts: the kernel shows those that have ended as root's, whoever had them.
[[nodiscard]] std::optional<uid_t> uid_of_socket(std::string_view table, std::string_view address,
                                                 std::uint16_t to);

}  // namespace argosy::access
