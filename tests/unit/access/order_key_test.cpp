// SPDX-License-Identifier: Apache-2.0
// Goal: an agent takes what its control plane signed for it, and nothing else. Method: messages
// that are signed, and then changed in each way.
#include "runtime/access/order_key.hpp"

#include <gtest/gtest.h>

#include "runtime/access/nkey.hpp"

namespace argosy::access {

namespace {

constexpr const char* subject = "argosy.agent.c.0000000000000007.orders";

struct order_key : ::testing::Test {
  static order_checker checker_of(const std::vector<std::string>& keys) {
    return order_checker::of_keys(keys).value();
  }
  std::string signed_message(const std::string& content) const {
    auto out = content;
    order_signer::from_seed(key.seed).value().sign(out, subject);
    return out;
  }

  nkey key = make_nkey().value();
  nkey other = make_nkey().value();
  order_checker checker = checker_of({key.public_key});
};

TEST_F(order_key, signs_what_its_public_key_accepts) {
  for (const auto& content : {std::string{}, std::string{"orders"}, std::string(600'000, '\0')})
    EXPECT_TRUE(checker.accepts(signed_message(content), subject));
}

TEST_F(order_key, accepts_no_message_without_a_signature) {
  EXPECT_FALSE(checker.accepts("", subject));
  EXPECT_FALSE(checker.accepts("orders", subject));
  EXPECT_FALSE(checker.accepts(std::string(200, 'x'), subject));
}

TEST_F(order_key, accepts_no_message_that_was_changed_anywhere) {
  const auto right = signed_message("orders");
  for (std::size_t i = 0; i < right.size(); ++i) {
    auto wrong = right;
    wrong[i] = static_cast<char>(wrong[i] ^ 1);
    EXPECT_FALSE(checker.accepts(wrong, subject)) << i;
    EXPECT_FALSE(checker.accepts(right.substr(0, i), subject)) << i;
  }
  EXPECT_FALSE(checker.accepts(right + "x", subject));
  EXPECT_FALSE(checker.accepts("x" + right, subject));
}

TEST_F(order_key, accepts_nothing_that_was_signed_for_another_agent_process_or_purpose) {
  const auto right = signed_message("orders");
  for (const auto* elsewhere :
       {"argosy.agent.d.0000000000000007.orders", "argosy.agent.c.0000000000000008.orders",
        "argosy.agent.c.0000000000000007.logs", ""})
    EXPECT_FALSE(checker.accepts(right, elsewhere)) << elsewhere;
}

TEST_F(order_key, accepts_any_of_several_keys_and_no_other_one) {
  const auto right = signed_message("orders");
  EXPECT_TRUE(checker_of({other.public_key, key.public_key}).accepts(right, subject));
  EXPECT_FALSE(checker_of({other.public_key}).accepts(right, subject));
  EXPECT_FALSE(checker_of({}).accepts(right, subject));
}

/// A nats-server lets its clients sign what it chooses, so that a login must not sign orders.
TEST_F(order_key, accepts_no_signature_of_a_login) {
  const auto login = sign(key.seed, "orders").value();
  EXPECT_FALSE(checker.accepts("orders\x7a\x40" + login, subject));
}

TEST_F(order_key, of_a_text_that_is_no_key_is_refused_without_repeating_it) {
  EXPECT_FALSE(order_checker::of_keys({key.public_key, "U"}));
  const auto damaged = "SUX" + key.seed.substr(3);
  const auto got = order_signer::from_seed(damaged);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().detail.find(key.seed.substr(10)), std::string::npos);
}

}  // namespace

}  // namespace argosy::access
