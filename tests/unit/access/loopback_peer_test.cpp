// SPDX-License-Identifier: Apache-2.0
// Goal: it is known which user of the machine is behind a connection. Method: tables as the kernel
// prints them, and a connection of this process to itself.
#include "runtime/access/loopback_peer.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

namespace argosy::access {

namespace {

constexpr std::string_view table =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1\n"
    "   1: 0100007F:CF80 0100007F:2000 01 00000000:00000000 00:00000000 00000000     7        0 3\n"
    "   2: 0100007F:CF80 0100007F:1F91 06 00000000:00000000 00:00000000 00000000     0        0 0\n"
    "   3: 0100007F:CF80 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 "
    "2\n";

TEST(uid_of_socket, is_that_of_the_connection_between_both_ends) {
  EXPECT_EQ(uid_of_socket(table, "0100007F:CF80", 0x1F90), 1000u);
  EXPECT_EQ(uid_of_socket(table, "0100007F:CF80", 0x2000), 7u) << "the same port to another server";
  EXPECT_EQ(uid_of_socket(table, "0100007F:1F90", 0), std::nullopt) << "it listens";
  EXPECT_EQ(uid_of_socket(table, "0100007F:0001", 0x1F90), std::nullopt);
  EXPECT_EQ(uid_of_socket("", "0100007F:1F90", 0x1F90), std::nullopt);
  EXPECT_EQ(uid_of_socket("   0: 0100007F:1F90 broken", "0100007F:1F90", 0x1F90), std::nullopt);
}

TEST(uid_of_socket, does_not_take_an_ended_connection_for_one_of_root) {
  EXPECT_EQ(uid_of_socket(table, "0100007F:CF80", 0x1F91), std::nullopt);
}

/// A connection of this process to itself.
class own_connection {
 public:
  explicit own_connection(int family) : listening_(open(family)), calling_(open(family)) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    auto* const as_any = reinterpret_cast<sockaddr*>(&address);
    if (family == AF_INET) {
      auto& v4 = reinterpret_cast<sockaddr_in&>(address);
      v4.sin_family = AF_INET;
      v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      size = sizeof(v4);
    } else {
      auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
      v6.sin6_family = AF_INET6;
      v6.sin6_addr = in6addr_loopback;
      size = sizeof(v6);
    }
    there = ::bind(listening_, as_any, size) == 0 && ::listen(listening_, 1) == 0 &&
            ::getsockname(listening_, as_any, &size) == 0 && ::connect(calling_, as_any, size) == 0;
    to = port_of(listening_);
    from = port_of(calling_);
  }
  own_connection(const own_connection&) = delete;
  own_connection& operator=(const own_connection&) = delete;
  ~own_connection() {
    ::close(listening_);
    hang_up();
  }
  int accept() const { return ::accept(listening_, nullptr, nullptr); }
  void hang_up() {
    if (calling_ >= 0) ::close(calling_);
    calling_ = -1;
  }

  bool there = false;
  std::uint16_t from = 0;
  std::uint16_t to = 0;

 private:
  static int open(int family) { return ::socket(family, SOCK_STREAM, 0); }
  static std::uint16_t port_of(int socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    // The port stands at the same place in both kinds of addresses.
    return ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
  }

  int listening_;
  int calling_;
};

TEST(uid_behind, is_the_user_of_this_process_for_its_own_connection) {
  own_connection open{AF_INET};
  ASSERT_TRUE(open.there);
  const auto peer = "ipv4:127.0.0.1:" + std::to_string(open.from);
  EXPECT_EQ(uid_behind(peer, open.to), ::getuid());
  EXPECT_EQ(uid_behind(peer, static_cast<std::uint16_t>(open.to + 1)), std::nullopt)
      << "it is no connection to that port";
  open.hang_up();
  EXPECT_EQ(uid_behind(peer, open.to), std::nullopt) << "it has ended";
}

TEST(uid_behind, knows_connections_of_the_other_protocol) {
  const own_connection open{AF_INET6};
  if (!open.there) GTEST_SKIP() << "this machine has no IPv6";
  EXPECT_EQ(uid_behind("ipv6:%5B::1%5D:" + std::to_string(open.from), open.to), ::getuid());
}

TEST(local_peer, is_this_process_at_the_accepted_end_of_its_own_connection) {
  for (const int family : {AF_INET, AF_INET6}) {
    own_connection open{family};
    if (!open.there) continue;
    const int accepted = open.accept();
    const auto peer = local_peer_of(accepted);
    ASSERT_TRUE(peer) << family;
    EXPECT_EQ(peer->uid, ::getuid());
    EXPECT_TRUE(is_loopback(accepted));
    open.hang_up();
    EXPECT_FALSE(local_peer_of(accepted)) << "it has gone";
    ::close(accepted);
  }
}

TEST(uid_behind, knows_nobody_elsewhere) {
  for (const auto* peer : {"", "ipv4:10.0.0.1:80", "ipv4:127.0.0.1:", "ipv4:127.0.0.1:99999",
                           "unix:/tmp/x", "ipv4:127.0.0.1:1x"})
    EXPECT_EQ(uid_behind(peer, 80), std::nullopt) << peer;
}

}  // namespace

}  // namespace argosy::access
