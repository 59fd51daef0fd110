// SPDX-License-Identifier: Apache-2.0
// Goal: limits that an older version wrote are found and replaced, and what somebody wrote himself
// stays. Method: configurations as text.
#include "runtime/access/server_limits.hpp"

#include <gtest/gtest.h>

#include "runtime/access/server_lines.hpp"
#include "runtime/access/server_plan.hpp"

namespace argosy::access {

namespace {

const std::string begin = "listen: \"127.0.0.1:4222\"\nmax_payload: 8388608\n";
const std::string end =
    "jetstream { store_dir: \"/x\", max_file_store: 1125899906842624 }\n"
    "include \"accounts.conf\"\n# mine\n";
const std::string today = begin + limit_lines() + end;

TEST(server_limits, of_today_are_those_that_a_new_configuration_has) {
  const auto conf = server_conf({});
  EXPECT_NE(conf.find(limit_lines()), std::string::npos);
  EXPECT_EQ(older_limits(conf), "");
  EXPECT_EQ(with_limits(conf), std::nullopt);
}

TEST(server_limits, that_are_missing_or_were_written_before_are_replaced) {
  const std::string before = begin +
                             "max_connections: 8192\n"
                             "max_subscriptions: 1000  # of one connection\n" +
                             end;
  EXPECT_EQ(older_limits(before), "max_subscriptions: 1000, no max_pending");
  EXPECT_EQ(with_limits(before), today);
  EXPECT_EQ(older_limits(begin + end), "no max_connections, no max_subscriptions, no max_pending");
  EXPECT_EQ(with_limits(begin + end), today);
  const std::string one_night = begin +
                                "max_connections: 8192\n"
                                "max_subscriptions: 1000  # of one connection\n"
                                "write_deadline: \"4s\"  # Whoever does not read is closed.\n"
                                "max_pending: 536870912  # Until then he holds nobody up.\n" +
                                end;
  EXPECT_EQ(with_limits(one_night), today);
  EXPECT_EQ(older_limits(today), "");
}

TEST(server_limits, of_the_store_are_set_where_the_server_would_choose_one_by_what_is_free) {
  const std::string before = begin + limit_lines() + "jetstream { store_dir: \"/x y\" }\n";
  EXPECT_EQ(older_limits(before), "no max_file_store");
  EXPECT_EQ(with_limits(before), begin + limit_lines() + store_line("\"/x y\""));
  for (const auto& own : {"jetstream { store_dir: \"/x\", max_file: 5GB }\n",
                          "jetstream {\n  store_dir: \"/x\"\n}\n", "jetstream: enabled\n"})
    EXPECT_EQ(older_limits(begin + limit_lines() + own), "") << own;
}

TEST(server_limits, that_somebody_chose_stay) {
  for (const auto& own : {"max_conn: 5\nMAX_SUBS = 1000\nmax_pending 64mb\n",
                          "max_connections: 99\nmax_subscriptions: 1000\nmax_pending: 1\n"})
    EXPECT_EQ(older_limits(begin + own + end), "") << own;
  EXPECT_EQ(older_limits("include \"limits.conf\"\n" + begin + end), "")
      << "they may stand in that file";
  const auto mixed = with_limits(begin + "max_subs: 7\n" + end).value_or("");
  EXPECT_NE(mixed.find("max_subs: 7\n"), std::string::npos);
  EXPECT_EQ(mixed.find("max_subscriptions"), std::string::npos);
  EXPECT_NE(mixed.find("max_pending: "), std::string::npos);
}

}  // namespace

}  // namespace argosy::access
