// SPDX-License-Identifier: Apache-2.0
// This file declares which addresses share the budgets of one stranger.
#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace argosy::border {

/// An IPv4 address, or the /64 of an IPv6 address: whoever has one address of such a network can
/// take any other. An IPv4 address that is written as IPv6 is the IPv4 address. All peers without
/// an IP address, such as those of Unix sockets, are one block.
class address_block {
 public:
  address_block() = default;
  /// The block of an address as the kernel tells it.
  [[nodiscard]] static address_block of(const sockaddr_storage& address);
  /// The block of a peer as gRPC names it: "ipv4:127.0.0.1:53120" or "ipv6:%5B::1%5D:53120".
  [[nodiscard]] static address_block of_peer(std::string_view peer);

  /// A key that is the same for the same block, and not for people to read.
  [[nodiscard]] std::string key() const { return {bytes_.begin(), bytes_.end()}; }

  friend auto operator<=>(const address_block&, const address_block&) = default;

 private:
  static address_block of_v4(const void* address);
  static address_block of_v6(const void* address);

  /// An IPv4 address stands here as ::ffff:a.b.c.d; of IPv6 the second half is zero.
  std::array<std::uint8_t, 16> bytes_{};
};

}  // namespace argosy::border
