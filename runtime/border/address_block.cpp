// SPDX-License-Identifier: Apache-2.0
#include "runtime/border/address_block.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace argosy::border {

namespace {

constexpr std::size_t network_bytes = 8;  ///< The /64 of an IPv6 address.
constexpr std::size_t v4_at = 12;         ///< Where in 16 bytes an IPv4 address stands.
constexpr std::string_view v4_word = "ipv4:";
constexpr std::string_view v6_word = "ipv6:";
constexpr std::string_view open_bracket = "%5B";
constexpr std::string_view closed_bracket = "%5D";

/// "1.2.3.4" of "1.2.3.4:80".
std::string without_port(std::string_view text) {
  return std::string{text.substr(0, text.rfind(':'))};
}

/// "fe80::1" of "%5Bfe80::1%25eth0%5D:80" or "[fe80::1]:80".
std::string without_brackets(std::string_view text) {
  if (text.starts_with(open_bracket))
    text = text.substr(open_bracket.size(), text.find(closed_bracket) - open_bracket.size());
  else if (text.starts_with('['))
    text = text.substr(1, text.find(']') - 1);
  return std::string{text.substr(0, text.find('%'))};
}

}  // namespace

address_block address_block::of_v4(const void* address) {
  address_block out;
  out.bytes_[v4_at - 2] = out.bytes_[v4_at - 1] = 0xff;
  std::memcpy(out.bytes_.data() + v4_at, address, sizeof(in_addr));
  return out;
}

address_block address_block::of_v6(const void* address) {
  in6_addr read{};
  std::memcpy(&read, address, sizeof read);
  if (IN6_IS_ADDR_V4MAPPED(&read)) return of_v4(read.s6_addr + v4_at);
  address_block out;
  std::copy_n(read.s6_addr, network_bytes, out.bytes_.begin());
  return out;
}

address_block address_block::of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET)
    return of_v4(&reinterpret_cast<const sockaddr_in&>(address).sin_addr);
  if (address.ss_family == AF_INET6)
    return of_v6(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  return {};
}

address_block address_block::of_peer(std::string_view peer) {
  in6_addr v6{};
  in_addr v4{};
  if (peer.starts_with(v4_word) &&
      ::inet_pton(AF_INET, without_port(peer.substr(v4_word.size())).c_str(), &v4) == 1)
    return of_v4(&v4);
  if (peer.starts_with(v6_word) &&
      ::inet_pton(AF_INET6, without_brackets(peer.substr(v6_word.size())).c_str(), &v6) == 1)
    return of_v6(&v6);
  return {};
}

}  // namespace argosy::border
