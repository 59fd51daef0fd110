// SPDX-License-Identifier: Apache-2.0
// Goal: the web page learns where its readers log in, and may call that place alone beside its own
// server; no URL of the settings can add to the security policy. Method: the rules, case by case.
#include <gtest/gtest.h>

#include "runtime/rest/replies.hpp"

namespace argosy::rest {

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
