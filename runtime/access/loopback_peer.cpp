// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/loopback_peer.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

/// An address and port as the kernel's question has them. An IPv4 address is never written as IPv6.
struct end_point {
  bool v4 = true;
  std::array<std::uint32_t, 4> address{};  ///< As it is sent.
  std::uint16_t port = 0;                  ///< As it is sent.

  friend bool operator==(const end_point&, const end_point&) = default;
};

end_point loopback(bool v4, std::uint16_t port) {
  end_point out{v4, {}, htons(port)};
  out.address[v4 ? 0 : 3] = htonl(v4 ? INADDR_LOOPBACK : 1);
  return out;
}

std::optional<end_point> end_of(int socket, int (*name)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage got{};
  socklen_t size = sizeof(got);
  if (name(socket, reinterpret_cast<sockaddr*>(&got), &size) != 0) return std::nullopt;
  end_point out;
  if (got.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(got);
    out.address[0] = v4.sin_addr.s_addr;
    out.port = v4.sin_port;
    return out;
  }
  if (got.ss_family != AF_INET6) return std::nullopt;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(got);
  out.port = v6.sin6_port;
  std::memcpy(out.address.data(), &v6.sin6_addr, sizeof(v6.sin6_addr));
  out.v4 = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
  if (out.v4) out.address = {out.address[3], 0, 0, 0};
  return out;
}

socket_question ask_for(const end_point& from, const end_point& to) {
  socket_question out;
  out.head.nlmsg_len = sizeof(out);
  out.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  out.head.nlmsg_flags = NLM_F_REQUEST;
  out.what.sdiag_family = from.v4 ? AF_INET : AF_INET6;
  out.what.sdiag_protocol = IPPROTO_TCP;
  out.what.idiag_states = ~0U;
  auto& id = out.what.id;
  id.idiag_sport = from.port;
  id.idiag_dport = to.port;
  std::copy(from.address.begin(), from.address.end(), id.idiag_src);
  std::copy(to.address.begin(), to.address.end(), id.idiag_dst);
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return out;
}

/// The attribute of an answer that has the id of the control group; 0 if there is none.
std::uint64_t cgroup_in(std::string_view answer) {
  constexpr int cgroup_id = 21;  ///< INET_DIAG_CGROUP_ID, which older headers lack.
  auto rest = answer.substr(NLMSG_ALIGN(NLMSG_HDRLEN + sizeof(inet_diag_msg)));
  while (rest.size() >= sizeof(nlattr)) {
    nlattr head{};
    std::memcpy(&head, rest.data(), sizeof(head));
    if (head.nla_len < sizeof(head) || head.nla_len > rest.size()) break;
    std::uint64_t id = 0;
    if (head.nla_type == cgroup_id && head.nla_len >= NLA_HDRLEN + sizeof(id)) {
      std::memcpy(&id, rest.data() + NLA_HDRLEN, sizeof(id));
      return id;
    }
    rest.remove_prefix(std::min<std::size_t>(NLA_ALIGN(head.nla_len), rest.size()));
  }
  return 0;
}

/// One end of a connection.
struct found_end {
  bool established = false;
  local_peer who;
};

/// Nothing if there is no such end in this network, or the kernel does not say.
std::optional<found_end> asked_of_kernel(const end_point& from, const end_point& to) {
  const int asking = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (asking < 0) return std::nullopt;
  const auto request = ask_for(from, to);
  alignas(nlmsghdr) char answer[2'048] = {};
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
  const auto size = std::min<std::size_t>(static_cast<std::size_t>(got), head.nlmsg_len);
  return found_end{found.idiag_state == TCP_ESTABLISHED,
                   {found.idiag_uid, cgroup_in({answer, size})}};
}

/// What the kernel says of the other end of our own: nothing in it if that has gone. Nothing at all
/// if it does not say; it is asked for our own end to know that, since to look at all connections
/// of the machine for each that has gone takes long when there are many.
std::optional<std::optional<local_peer>> peer_by_kernel(const end_point& peer,
                                                        const end_point& own) {
  if (const auto found = asked_of_kernel(peer, own))
    return found->established ? std::optional{found->who} : std::nullopt;
  if (asked_of_kernel(own, peer)) return std::optional<local_peer>{};
  return std::nullopt;
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

bool is_loopback(int socket) {
  const auto peer = end_of(socket, ::getpeername);
  if (!peer) return true;
  const auto first = reinterpret_cast<const unsigned char*>(peer->address.data())[0];
  return peer->v4 ? first == IN_LOOPBACKNET : *peer == loopback(false, ntohs(peer->port));
}

std::optional<local_peer> local_peer_of(int socket) {
  const auto peer = end_of(socket, ::getpeername);
  const auto own = end_of(socket, ::getsockname);
  if (!peer || !own) return std::nullopt;
  if (const auto known = peer_by_kernel(*peer, *own)) return *known;
  if (!(*peer == loopback(peer->v4, ntohs(peer->port)))) return std::nullopt;
  const auto name = (peer->v4 ? std::string{v4_loopback} : std::string{v6_loopback}) +
                    std::to_string(ntohs(peer->port));
  const auto uid = uid_behind(name, ntohs(own->port));
  return uid ? std::optional{local_peer{*uid, 0}} : std::nullopt;
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
  if (const auto known = peer_by_kernel(loopback(v4, port), loopback(v4, to)))
    return *known ? std::optional{(*known)->uid} : std::nullopt;
  const auto suffix = port_in_table(port);
  if (v4)
    if (const auto known =
            uid_of_socket(contents("/proc/net/tcp"), std::string{v4_in_table} + suffix, to))
      return known;
  return uid_of_socket(contents("/proc/net/tcp6"),
                       std::string{v4 ? v4_mapped_in_table : v6_in_table} + suffix, to);
}

}  // namespace argosy::access
