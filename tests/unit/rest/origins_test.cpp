// SPDX-License-Identifier: Apache-2.0
// Goal: the endpoint's own page may call it, and a page that only has its name resolve to this
// machine may not. Method: the rule, case by case.
#include <gtest/gtest.h>

#include "runtime/rest/replies.hpp"

namespace argosy::rest {

TEST(own_page, is_one_whose_origin_is_the_host_that_was_called) {
  EXPECT_TRUE(is_own_page("http://127.0.0.1:9480", "127.0.0.1:9480", false));
  EXPECT_TRUE(is_own_page("http://localhost:9480", "localhost:9480", false));
  EXPECT_TRUE(is_own_page("http://10.1.2.3:9480", "10.1.2.3:9480", false));
  EXPECT_TRUE(is_own_page("http://[::1]:9480", "[::1]:9480", false));
  EXPECT_FALSE(is_own_page("http://127.0.0.1:9481", "127.0.0.1:9480", false));
  EXPECT_FALSE(is_own_page("https://evil.example.com", "127.0.0.1:9480", true));
}

TEST(own_page, under_a_name_shows_who_its_reader_is) {
  EXPECT_FALSE(is_own_page("https://evil.example.com", "evil.example.com", false));
  EXPECT_TRUE(is_own_page("https://argosy.example.com", "argosy.example.com", true));
  EXPECT_FALSE(is_own_page("http://1.2.3.4.evil.example.com", "1.2.3.4.evil.example.com", false));
}

TEST(own_page, has_an_origin_of_http) {
  EXPECT_FALSE(is_own_page("null", "null", true));
  EXPECT_FALSE(is_own_page("file://", "", true));
  EXPECT_FALSE(is_own_page("", "", true));
  EXPECT_FALSE(is_own_page("ftp://127.0.0.1", "127.0.0.1", true));
  EXPECT_FALSE(is_own_page("http://", "127.0.0.1", true));
}

}  // namespace argosy::rest
