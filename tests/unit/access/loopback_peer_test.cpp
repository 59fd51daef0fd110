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
    "   1: 0100007F:CF80 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 "
    "2\n";

TEST(uid_of_socket, is_that_of_the_line_with_the_local_address) {
  EXPECT_EQ(uid_of_socket(table, "0100007F:CF80"), 1000u);
  EXPECT_EQ(uid_of_socket(table, "0100007F:1F90"), 0u) << "not that of the other end";
  EXPECT_EQ(uid_of_socket(table, "0100007F:0001"), std::nullopt);
  EXPECT_EQ(uid_of_socket("", "0100007F:1F90"), std::nullopt);
  EXPECT_EQ(uid_of_socket("   0: 0100007F:1F90 broken", "0100007F:1F90"), std::nullopt);
}

TEST(uid_behind, is_the_user_of_this_process_for_its_own_connection) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  const int calling = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const as_any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listening, as_any, size), 0);
  ASSERT_EQ(::listen(listening, 1), 0);
  ASSERT_EQ(::getsockname(listening, as_any, &size), 0);
  ASSERT_EQ(::connect(calling, as_any, size), 0);
  ASSERT_EQ(::getsockname(calling, as_any, &size), 0);
  EXPECT_EQ(uid_behind("ipv4:127.0.0.1:" + std::to_string(ntohs(address.sin_port))), ::getuid());
  ::close(calling);
  ::close(listening);
}

TEST(uid_behind, knows_nobody_elsewhere) {
  for (const auto* peer : {"", "ipv4:10.0.0.1:80", "ipv4:127.0.0.1:", "ipv4:127.0.0.1:99999",
                           "unix:/tmp/x", "ipv4:127.0.0.1:1x"})
    EXPECT_EQ(uid_behind(peer), std::nullopt) << peer;
}

}  // namespace

}  // namespace argosy::access
