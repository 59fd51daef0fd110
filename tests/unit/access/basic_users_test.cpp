// SPDX-License-Identifier: Apache-2.0
// Goal: who has the password is let in and nobody else, and checks cost no more than one thread.
// Method: one user with a real hash; answers are waited for.
#include "runtime/access/basic_users.hpp"

#include <gtest/gtest.h>

#include <future>

#include "runtime/access/key_password.hpp"
#include "runtime/access/nkey.hpp"
#include "runtime/access/password.hpp"

namespace argosy::access {

namespace {

struct basic_login : ::testing::Test {
  std::string ask(basic_users& users, const std::string& name, const std::string& password,
                  const char* from = "ipv4:192.0.2.1:1") {
    std::promise<basic_users::outcome> came;
    auto future = came.get_future();
    users.check(border::address_block::of_peer(from), {name, password},
                [&](basic_users::outcome got) { came.set_value(std::move(got)); });
    const auto got = future.get();
    if (const auto* why = std::get_if<error>(&got)) return to_string(*why);
    return std::get<principal>(got).name;
  }

  const std::vector<basic_user> list{{"ann", hash_password("secret").value(), {"staff"}}};
  const std::string wrong = "denied: the user name or the password is wrong";
};

TEST_F(basic_login, is_for_who_has_the_password) {
  basic_users users{list, {{permission::submit_any_jobs, {"staff"}, {}, {}}}, {}};
  EXPECT_EQ(ask(users, "ann", "secret"), "ann");
  EXPECT_EQ(ask(users, "ann", "secret"), "ann") << "from memory";
  EXPECT_EQ(ask(users, "ann", "Secret"), wrong);
  EXPECT_EQ(ask(users, "ann", ""), wrong);
  EXPECT_EQ(ask(users, "bob", "secret"), wrong);
  EXPECT_EQ(ask(users, "", ""), wrong);
}

TEST_F(basic_login, is_by_the_password_of_ones_own_key_too) {
  const auto key = make_nkey().value();
  const auto other = make_nkey().value();
  const auto password = key_password(key.seed).value();
  EXPECT_EQ(password.find_first_not_of("-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "abcdefghijklmnopqrstuvwxyz"),
            std::string::npos);
  basic_users users{{{"ann", list.front().password_hash, {}, {}},
                     {"ann", key.public_key, {}, {permission::submit_any_jobs}}},
                    {},
                    {}};
  EXPECT_EQ(ask(users, "ann", password), "ann");
  EXPECT_EQ(ask(users, "ann", "secret"), "ann");
  EXPECT_EQ(ask(users, "bob", password), wrong);
  for (const auto& shown : {key_password(other.seed).value(), key.public_key, key.seed,
                            password + "=", password.substr(1), std::string(86, 'A')})
    EXPECT_EQ(ask(users, "ann", shown), wrong) << shown;
}

TEST_F(basic_login, refuses_more_than_may_wait_and_remembers_who_was_right) {
  basic_users users{list, {}, {.waiting_max = 0, .remembered_for = std::chrono::minutes{1}}};
  EXPECT_EQ(ask(users, "ann", "secret"),
            "overloaded: too many passwords are being checked; try again in a second");
}

TEST_F(basic_login, is_for_who_is_known_and_for_other_addresses_while_one_sends_wrong_passwords) {
  basic_users users{list, {}, {.waiting_max = 40}};
  ASSERT_EQ(ask(users, "ann", "secret"), "ann");
  // The thread that checks passwords is held, so that the flood waits.
  std::promise<void> held;
  std::promise<void> gate;
  const auto flood = border::address_block::of_peer("ipv4:192.0.2.1:1");
  users.check(flood, {"ann", "first"}, [&](const auto&) {
    held.set_value();
    gate.get_future().wait();
  });
  held.get_future().wait();
  std::atomic<int> refused{0};
  std::atomic<int> looked_at{0};
  for (int i = 0; i < 200; ++i)
    users.check(flood, {"ann", std::to_string(i)}, [&](const basic_users::outcome& got) {
      ++(std::get<error>(got).code == ec::overloaded ? refused : looked_at);
    });
  EXPECT_EQ(refused, 160) << "it fills the line";
  EXPECT_EQ(ask(users, "ann", "secret"), "ann") << "known, at the address of the flood";
  std::promise<int> other;
  users.check(border::address_block::of_peer("ipv4:192.0.2.2:1"), {"ann", "x"},
              [&](const auto&) { other.set_value(looked_at); });
  EXPECT_EQ(refused, 161) << "another address has its place of the one with the most";
  gate.set_value();
  EXPECT_LE(other.get_future().get(), 1) << "another address is served in turn";
}

TEST_F(basic_login, is_for_all_who_come_at_once_from_behind_one_address) {
  std::atomic<int> refused{0};
  std::atomic<int> answers{0};
  {
    basic_users users{list, {}, {}};
    for (int i = 0; i < 60; ++i)
      users.check({}, {"ann", "wrong" + std::to_string(i)}, [&](const basic_users::outcome& got) {
        ++answers;
        if (std::get<error>(got).code == ec::overloaded) ++refused;
      });
  }
  EXPECT_EQ(answers, 60);
  EXPECT_EQ(refused, 0);
}

TEST_F(basic_login, answers_all_that_wait_when_it_ends) {
  std::atomic<int> answers{0};
  {
    basic_users users{list, {}, {}};
    for (int i = 0; i < 30; ++i)
      users.check({}, {"ann", std::to_string(i)}, [&](const auto&) { ++answers; });
  }
  EXPECT_EQ(answers, 30);
}

TEST(basic_header, is_read_as_clients_write_it) {
  const auto read = [](const char* text) {
    const auto got = parse_basic(text);
    return got ? got->name + "|" + got->password : "none";
  };
  EXPECT_EQ(read("Basic YW5uOnNlY3JldA=="), "ann|secret");
  EXPECT_EQ(read("basic YW5uOmE6Yg=="), "ann|a:b");
  EXPECT_EQ(read("BASIC YW5uOg=="), "ann|");
  EXPECT_EQ(read("basic YW5u"), "none") << "no colon";
  EXPECT_EQ(read("basic YW5uOnNl=="), "none");
  EXPECT_EQ(read("basic ****"), "none");
  EXPECT_EQ(read("basic "), "none");
  EXPECT_FALSE(is_basic("Bearer abc"));
  EXPECT_FALSE(is_basic("basic"));
}

TEST(passwords, are_hashed_with_a_salt_by_yescrypt) {
  const auto once = hash_password("a").value();
  EXPECT_TRUE(once.starts_with("$y$"));
  EXPECT_NE(once, hash_password("a").value());
  EXPECT_TRUE(is_password_hash(once));
  EXPECT_TRUE(password_matches("a", once));
  EXPECT_FALSE(password_matches("b", once));
  EXPECT_FALSE(hash_password(""));
  for (const auto* text : {"", "secret", "$y$", "$1$abcdefgh$xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                           "a plain text that is as long as a hash would be"})
    EXPECT_FALSE(is_password_hash(text)) << text;
}

}  // namespace

}  // namespace argosy::access
