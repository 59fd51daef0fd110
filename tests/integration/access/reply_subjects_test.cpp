// SPDX-License-Identifier: Apache-2.0
// Goal: a message that somebody receives gives him no right, whatever subject it names for its
// reply. Method: the table of all roles and subjects, tried with frames that are written by hand on
// a real nats-server that runs from what `argosyd init` wrote.
#include "tests/integration/access/access_fixture.hpp"
#include "tests/integration/access/access_table.hpp"
#include "tests/support/nats/raw_nats.hpp"

namespace argosy::testing {

namespace {

class reply_subjects : public access_fixture {
 protected:
  [[nodiscard]] std::unique_ptr<raw_nats> raw(const std::string& who) const {
    const auto found = access::read_credentials(folder() / "credentials" / who);
    EXPECT_TRUE(found) << who;
    return std::make_unique<raw_nats>(static_cast<std::uint16_t>(port_),
                                      found.value_or(access::credentials{}));
  }

  /// Whether the server refuses the subject of the reply by itself, as it does its own ones. What
  /// the client hears meanwhile is not lost.
  static bool refused_reply(raw_nats& client, const std::string& subject) {
    const auto begins = [&](const char* prefix) { return subject.starts_with(prefix); };
    return (begins("$JS.ACK.") || begins("$JS.FC.") || begins("_R_.")) && client.alive();
  }
};

/// A right that the server gives to whoever receives a message, as `allow_responses` does, is a
/// right to everything: a message names any subject for its reply, also one that somebody sends to
/// himself.
TEST_F(reply_subjects, give_no_right_to_whoever_hears_a_message) {
  const auto speaker = raw("argosyd");
  for (const auto& [letter, who] : parties) {
    if (letter == 'd') continue;
    const auto client = raw(who);
    ASSERT_TRUE(client->alive()) << who;
    int number = 0;
    for (const auto& tried : rules) {
      if (tried.what != pub || may(tried, letter)) continue;
      const auto name = std::to_string(++number);
      speaker->publish(client->inbox(name), tried.subject, "", "a question");
      ASSERT_TRUE(refused_reply(*speaker, tried.subject) || client->answer(name))
          << who << " did not hear the question";
      EXPECT_FALSE(client->may_publish(tried.subject))
          << who << " publishes " << tried.subject << " after a message with that reply subject";
    }
    EXPECT_GT(number, 60) << who;
  }
}

TEST_F(reply_subjects, give_agents_and_owners_no_right_by_messages_to_themselves) {
  for (const auto& [letter, who] :
       std::map<char, std::string>{{'a', "agent-c1"}, {'w', "user-dev"}})
    for (const auto* own : {"argosy.agent.c1.raw", "argosy.agent.c1.7.orders"}) {
      const auto client = raw(who);
      client->send("SUB " + std::string{own} + " 2\r\nSUB argosy.agent.c1.> group 3\r\n");
      for (const auto& tried : rules) {
        if (tried.what != pub || may(tried, letter)) continue;
        client->publish(own, tried.subject, "", "to myself");
        ASSERT_TRUE(refused_reply(*client, tried.subject) || client->heard(own)) << who;
        EXPECT_FALSE(client->may_publish(tried.subject)) << who << " publishes " << tried.subject;
      }
    }
}

/// Nobody but an agent may hear himself at all.
TEST_F(reply_subjects, are_heard_by_no_user_who_writes_to_himself) {
  for (const auto* who : {"user-eve", "user-alice", "user-root", "user-ten"}) {
    const auto client = raw(who);
    EXPECT_FALSE(client->may_publish(client->inbox("x"))) << who;
    client->publish(client->inbox("x"), "argosy.log.0001", "", "");
    ASSERT_TRUE(client->refusals());
    EXPECT_FALSE(client->may_publish("argosy.log.0001")) << who;
  }
}

}  // namespace

}  // namespace argosy::testing
