// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/loopback_peer.hpp"

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace argosy::access {

namespace {

constexpr std::string_view v4_loopback = "ipv4:127.0.0.1:";
constexpr std::string_view v6_loopback = "ipv6:%5B::1%5D:";
// The addresses as the kernel prints them, in the byte order of the machine.
constexpr const char* v4_in_table = "0100007F";
constexpr const char* v4_mapped_in_table = "0000000000000000FFFF00000100007F";
constexpr const char* v6_in_table = "00000000000000000000000001000000";

std::string contents(const char* path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

// A line has: number, local address, remote address, state, queues, timer, retransmissions, user.
std::optional<uid_t> uid_of_socket(std::string_view table, std::string_view address) {
  std::istringstream lines{std::string{table}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns{line};
    std::string skipped;
    std::string local;
    uid_t uid = 0;
    columns >> skipped >> local >> skipped >> skipped >> skipped >> skipped >> skipped >> uid;
    if (columns && local == address) return uid;
  }
  return std::nullopt;
}

std::optional<uid_t> uid_behind(std::string_view peer) {
  const bool v4 = peer.starts_with(v4_loopback);
  if (!v4 && !peer.starts_with(v6_loopback)) return std::nullopt;
  const auto number = peer.substr(v4 ? v4_loopback.size() : v6_loopback.size());
  std::uint16_t port = 0;
  const auto* const end = number.data() + number.size();
  if (const auto [last, code] = std::from_chars(number.data(), end, port);
      code != std::errc{} || last != end)
    return std::nullopt;
  char suffix[8] = {};
  std::snprintf(suffix, sizeof(suffix), ":%04X", static_cast<unsigned>(port));
  if (v4)
    if (const auto known =
            uid_of_socket(contents("/proc/net/tcp"), std::string{v4_in_table} + suffix))
      return known;
  return uid_of_socket(contents("/proc/net/tcp6"),
                       std::string{v4 ? v4_mapped_in_table : v6_in_table} + suffix);
}

}  // namespace argosy::access
