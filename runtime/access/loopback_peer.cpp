// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/loopback_peer.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>
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
constexpr const char* established_in_table = "01";

std::string contents(const char* path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string port_in_table(std::uint16_t port) {
  char out[8] = {};
  std::snprintf(out, sizeof(out), ":%04X", static_cast<unsigned>(port));
  return out;
}

/// A question to the kernel for the peer's end of one connection (sock_diag(7)).
struct socket_question {
  nlmsghdr head{};
  inet_diag_req_v2 what{};
};

socket_question ask_for(bool v4, std::uint16_t from, std::uint16_t to) {
  socket_question out;
  out.head.nlmsg_len = sizeof(out);
  out.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  out.head.nlmsg_flags = NLM_F_REQUEST;
  out.what.sdiag_family = v4 ? AF_INET : AF_INET6;
  out.what.sdiag_protocol = IPPROTO_TCP;
  out.what.idiag_states = ~0U;
  auto& id = out.what.id;
  id.idiag_sport = htons(from);
  id.idiag_dport = htons(to);
  if (v4) {
    id.idiag_src[0] = id.idiag_dst[0] = htonl(INADDR_LOOPBACK);
  } else {
    id.idiag_src[3] = id.idiag_dst[3] = htonl(1);
  }
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return out;
}

/// Nothing if there is no such connection between loopback addresses, or the kernel does not say.
std::optional<uid_t> asked_of_kernel(bool v4, std::uint16_t from, std::uint16_t to) {
  const int asking = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (asking < 0) return std::nullopt;
  const auto request = ask_for(v4, from, to);
  alignas(nlmsghdr) char answer[1'024] = {};
  const auto sent = ::send(asking, &request, sizeof(request), 0);
  // The kernel has answered when it has taken the question.
  const auto got = sent < 0 ? sent : ::recv(asking, answer, sizeof(answer), MSG_DONTWAIT);
  ::close(asking);
  if (got < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(inet_diag_msg)))) return std::nullopt;
  nlmsghdr head{};
  std::memcpy(&head, answer, sizeof(head));
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  inet_diag_msg found{};
  std::memcpy(&found, answer + NLMSG_HDRLEN, sizeof(found));
  if (found.idiag_state != TCP_ESTABLISHED) return std::nullopt;
  return found.idiag_uid;
}

}  // namespace

// A line has: number, local address, remote address, state, queues, timer, retransmissions, user.
std::optional<uid_t> uid_of_socket(std::string_view table, std::string_view address,
                                   std::uint16_t to) {
  std::istringstream lines{std::string{table}};
  const auto port = port_in_table(to);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns{line};
    std::string skipped;
    std::string local;
    std::string remote;
    std::string state;
    uid_t uid = 0;
    columns >> skipped >> local >> remote >> state >> skipped >> skipped >> skipped >> uid;
    if (columns && local == address && remote.ends_with(port) && state == established_in_table)
      return uid;
  }
  return std::nullopt;
}

std::optional<uid_t> uid_behind(std::string_view peer, std::uint16_t to) {
  const bool v4 = peer.starts_with(v4_loopback);
  if (!v4 && !peer.starts_with(v6_loopback)) return std::nullopt;
  const auto number = peer.substr(v4 ? v4_loopback.size() : v6_loopback.size());
  std::uint16_t port = 0;
  const auto* const end = number.data() + number.size();
  if (const auto [last, code] = std::from_chars(number.data(), end, port);
      code != std::errc{} || last != end)
    return std::nullopt;
  if (const auto known = asked_of_kernel(v4, port, to)) return known;
  const auto suffix = port_in_table(port);
  if (v4)
    if (const auto known =
            uid_of_socket(contents("/proc/net/tcp"), std::string{v4_in_table} + suffix, to))
      return known;
  return uid_of_socket(contents("/proc/net/tcp6"),
                       std::string{v4 ? v4_mapped_in_table : v6_in_table} + suffix, to);
}

}  // namespace argosy::access
