// SPDX-License-Identifier: Apache-2.0
// Goal: the endpoint's own page may call it and learns where its readers log in; a page that only
// has its name resolve to this machine may not call it, and no URL of the settings can add to the
// security policy. Method: the rules, case by case.
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

TEST(page_logins, tell_what_there_is_and_nothing_else) {
  EXPECT_EQ(login_body({}), "{}");
  EXPECT_EQ(login_body({"https://login.example.com", "", false}), "{}");
  EXPECT_EQ(login_body({"https://login.example.com/x", "argosy", false}),
            R"({"issuer":"https://login.example.com/x","clientId":"argosy"})");
  EXPECT_EQ(login_body({"", "argosy", true}), R"({"passwords":true})");
}

TEST(page_logins, let_the_page_call_the_origin_of_the_provider) {
  EXPECT_EQ(origin_of("https://login.example.com/realms/a?b#c"), "https://login.example.com");
  EXPECT_EQ(origin_of("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
  EXPECT_EQ(origin_of("https://[::1]:8443/x"), "https://[::1]:8443");
}

TEST(page_logins, let_no_url_say_more_than_an_origin) {
  for (const auto* url :
       {"", "login.example.com", "ftp://login.example.com", "https://",
        "https://a.example.com; script-src *", "https://*", "https://a,b",
        "https://user@a.example.com", "https://a.example.com 'unsafe-inline'", "javascript://a"})
    EXPECT_EQ(origin_of(url), "") << url;
}

}  // namespace argosy::rest
