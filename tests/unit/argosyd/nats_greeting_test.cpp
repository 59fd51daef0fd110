// SPDX-License-Identifier: Apache-2.0
// Goal: what a nats-server says of itself is read from whatever greets, and only servers that keep
// what they confirm may have one of several copies of the log. Method: lines, as servers send them.
#include "bins/shared/nats_greeting.hpp"

#include <gtest/gtest.h>

namespace argosy {

namespace {

TEST(nats_greeting, has_the_name_and_the_version_of_the_server) {
  const auto read = parse_greeting(
      R"(INFO {"server_id":"NX","server_name":"a.example","version":"2.15.1","port":4222} )");
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(read->server_name, "a.example");
  EXPECT_EQ(read->version, "2.15.1");
}

TEST(nats_greeting, of_something_else_is_refused) {
  for (const auto* line : {"", "INFO", "INFO ", "INFO {", "INFO []", "HTTP/1.1 400 Bad Request"})
    EXPECT_FALSE(parse_greeting(line)) << line;
  const auto odd = parse_greeting(R"(INFO {"server_name":7,"version":null})");
  ASSERT_TRUE(odd);
  EXPECT_FALSE(check_copies(*odd, "a:4222")) << "who does not tell his version is an old one";
}

TEST(nats_greeting, lets_copies_of_the_log_lie_on_servers_that_keep_what_they_confirm) {
  for (const auto* version : {"2.10.23", "2.10.24-RC.1", "2.11.0", "2.15.1", "3.0.0", "10.0.0"})
    EXPECT_TRUE(check_copies({"a", version}, "a:4222")) << version;
  for (const auto* version : {"2.9.10", "2.10.22", "2.10.3", "2.10", "1.99.99", "", "x"}) {
    const auto refused = check_copies({"a", version}, "a:4222");
    ASSERT_FALSE(refused) << version;
    EXPECT_EQ(refused.error().code, ec::conflict);
    EXPECT_NE(refused.error().detail.find("the nats-server at a:4222 has version "),
              std::string::npos);
  }
}

}  // namespace

}  // namespace argosy
