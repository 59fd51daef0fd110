// SPDX-License-Identifier: Apache-2.0
// Goal: each role may say and hear what its list has, and nothing else. Method: the list as a table
// of all roles and subjects, tried on a real nats-server that runs from what `argosyd init` wrote.
// The server answers at once, so that each refusal is known when the next flush returns.
#include "tests/integration/access/access_fixture.hpp"
#include "tests/integration/access/access_table.hpp"

namespace argosy::testing {

namespace {

class access_matrix : public access_fixture {
 protected:
  /// Whether the server let it pass.
  static const char* group_of(const rule& tried) {
    return tried.what == await ? access::inbox_group.data() : "group";
  }
  static bool passes(const bus::nats_session& session, const rule& tried) {
    auto* const connection = session.get();
    natsSubscription* heard = nullptr;
    natsStatus code = NATS_OK;
    if (tried.what == pub)
      code = natsConnection_PublishString(connection, tried.subject, "");
    else if (tried.what == sub)
      code = natsConnection_SubscribeSync(&heard, connection, tried.subject);
    else
      code = natsConnection_QueueSubscribeSync(&heard, connection, tried.subject, group_of(tried));
    EXPECT_EQ(code, NATS_OK) << tried.subject;
    EXPECT_EQ(natsConnection_FlushTimeout(connection, 5'000), NATS_OK);
    natsSubscription_Destroy(heard);
    // The last error of a connection stays: it is about this attempt if it has its words.
    const char* text = nullptr;
    natsConnection_GetLastError(connection, &text);
    const std::string said = text == nullptr ? "" : text;
    const auto subject = "\"" + std::string{tried.subject} + "\"";
    if (tried.what == pub) return said.find("Publish to " + subject) == std::string::npos;
    const auto group =
        tried.what == sub ? std::string{} : " using queue \"" + std::string{group_of(tried)} + "\"";
    return !said.ends_with("Subscription to " + subject + group);
  }
};

TEST_F(access_matrix, is_what_the_table_says) {
  for (const auto& [letter, who] : parties) {
    const auto session = open(who);
    ASSERT_TRUE(session) << who << ": " << refused_;
    for (const auto& tried : rules) {
      EXPECT_EQ(passes(*session, tried), may(tried, letter))
          << who << (tried.what == pub ? " publishes " : " hears ") << tried.subject;
    }
  }
}

/// A signature that is wrong once in a hundred times passes every test that connects once.
TEST_F(access_matrix, lets_everybody_in_every_time) {
  int refused = 0;
  for (int i = 0; i < 500; ++i)
    if (!open("user-alice")) ++refused;
  EXPECT_EQ(refused, 0) << refused_;
}

TEST_F(access_matrix, lets_nobody_in_without_a_key_or_with_one_that_it_does_not_know) {
  EXPECT_EQ(open(""), nullptr);
  const auto strange = access::make_nkey();
  ASSERT_TRUE(strange);
  for (const auto* login : {"", "argosyd@", "admin:admin@"})
    EXPECT_FALSE(bus::nats_session::open(
        {.url = "nats://" + std::string{login} + "127.0.0.1:" + std::to_string(port_)}))
        << login;
  bus::nats_settings settings{.url = url()};
  ASSERT_TRUE(bus::sign_as({{access::party::control_plane, ""}, strange->seed}, settings));
  EXPECT_FALSE(bus::nats_session::open(settings));
  // Somebody's public key, which is no secret, with another seed.
  const auto alice = access::read_credentials(folder() / "credentials" / "user-alice");
  ASSERT_TRUE(alice);
  settings.nkey = access::public_key_of(alice->seed).value();
  EXPECT_FALSE(bus::nats_session::open(settings));
}

}  // namespace

}  // namespace argosy::testing
