// SPDX-License-Identifier: Apache-2.0
// Goal: where a server listens is read as it is meant, or not at all. Method: texts, case by case.
#include "runtime/border/host_and_port.hpp"

#include <gtest/gtest.h>

namespace argosy {

TEST(host_and_port, is_read_with_and_without_brackets) {
  const auto plain = read_host_and_port("127.0.0.1:80");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, 80);
  const auto v6 = read_host_and_port("[::1]:0");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 0);
}

TEST(host_and_port, has_both) {
  for (const auto* bad : {"", ":", ":80", "a", "a:", "a:x", "a:80 ", "a:-1", "a:65536", "[]:80"})
    EXPECT_FALSE(read_host_and_port(bad)) << bad;
}

}  // namespace argosy
