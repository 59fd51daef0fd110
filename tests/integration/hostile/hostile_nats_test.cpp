// SPDX-License-Identifier: Apache-2.0
// Goal: frames of NATS that are no requests, or odd ones, are answered with an error or dropped;
// they change nothing, and others are answered. Method: a client of NATS that writes its frames by
// hand, with the key of a user.
#include <gmock/gmock.h>

#include <vector>

#include "messages/proto/api/submit.pb.h"
#include "runtime/access/identity.hpp"
#include "tests/integration/hostile/hostile_fixture.hpp"
#include "tests/support/nats/raw_nats.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string no_headers;
const std::string version = "NATS/1.0\r\n";

class hostile_nats : public hostile {
 protected:
  void SetUp() override {
    hostile::SetUp();
    const auto known = access::kept_credentials(world.folder() / "state" / "argosy", world.url());
    const auto read = access::read_credentials(known);
    ASSERT_TRUE(read) << known;
    who = *read;
  }
  [[nodiscard]] std::unique_ptr<raw_nats> connect() const {
    return std::make_unique<raw_nats>(port_of(world.url()), who);
  }
  [[nodiscard]] std::string subject(const std::string& method) const {
    return access::api_subject(who.who.name, method);
  }
  /// The bytes of a request that would create the queue.
  static std::string queue(const std::string& name) {
    api::Queue made;
    made.set_name(name);
    made.set_priority_factor(1);
    return made.SerializeAsString();
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return world.ctl({"get", "queues", "-o", "name"}).out.find(name) != std::string::npos;
  }

  access::credentials who;
};

TEST_F(hostile_nats, frames_that_are_no_requests_are_answered_with_an_error) {
  auto client = connect();
  ASSERT_TRUE(client->alive());
  struct row {
    const char* what;
    std::string subject;
    std::string headers;
    std::string data;
    const char* error;
  };
  int number = 0;
  for (const auto& [what, to, headers, data, error] : std::vector<row>{
           {"no protobuf", subject("Submit.SubmitJobs"), no_headers, "\xff\xff\xff", "decode"},
           {"a field longer than the rest", subject("Submit.CreateQueue"), no_headers,
            "\x0a\x7fqueue", "decode"},
           {"groups in each other", subject("Submit.SubmitJobs"), no_headers,
            std::string(100'000, '\x0b'), "decode"},
           {"nothing", subject("Submit.CreateQueue"), no_headers, "", "name"},
           {"as much as fits", subject("Submit.CreateQueue"), no_headers,
            std::string((8u << 20) - 100, '\0'), "invalid_argument"},
           {"a method that there is not", subject("Submit.Nothing"), no_headers, "", "Nothing"},
           {"a method of many parts", subject("a.b.c.d.e.f.g"), no_headers, "", "argosy-status"},
           {"a mode that there is not", subject("Submit.CreateQueue"),
            version + "argosy-mode: \x01\x02\r\n\r\n", queue("m"), "argosy-mode"},
           {"a stream that nobody takes", subject("Event.GetJobSetEvents"), no_headers, "", ""},
           {"a stream without an id", subject("Event.GetJobSetEvents"),
            version + "argosy-stream: open\r\nargosy-credit: 9\r\n\r\n", "\x0a\x01s\x1a\x01q",
            "argosy-status"},
           {"a part of a stream that there is not", subject("Event.GetJobSetEvents"),
            version + "argosy-stream: grant\r\nargosy-stream-id: 7\r\nargosy-credit: "
                      "18446744073709551615\r\n\r\n",
            "", "not known any more"},
       }) {
    const auto name = std::to_string(++number);
    client->publish(to, client->inbox(name), headers, data);
    const auto answer = client->answer(name);
    ASSERT_TRUE(answer) << what;
    EXPECT_THAT(*answer, HasSubstr(error)) << what;
    expect_that_others_are_answered(what);
  }
}

TEST_F(hostile_nats, a_request_whose_headers_cannot_be_read_is_not_carried_out) {
  auto client = connect();
  int number = 0;
  for (const auto& headers : std::vector<std::string>{
           "argosy-mode: update\r\n\r\n",             // It does not say that it is one.
           version + "argosy-mode update\r\n\r\n",    // A line without a colon.
           version + "argosy-mode: update",           // It does not end.
           version + " argosy-mode: update\r\n\r\n",  // It begins with a blank.
           version + "argosy-mode update\r\nx: y\r\n\r\n",
           version + "x: y\r\nargosy-mode update\r\n\r\n",
           version + "argosy mode: update\r\n\r\n",
           version + ": update\r\n\r\n",
           version + "x: y\nargosy-mode: update\r\n\r\n",     // A line without its CR,
           version + "x: y\rargosy-mode: update\r\n\r\n",     // or its LF.
           version + "\r\nargosy-mode: update\r\n\r\n",       // More comes after the end.
           version + "x: y\r\n",                              // It has no empty line.
           version + "x: y\r\n argosy-mode: update\r\n\r\n",  // A line goes on.
           "NATS/1.0 503\r\nargosy-mode update\r\n\r\n",
           std::string("\0\0\0\0\r\n\r\n", 8),
       }) {
    const auto name = "q" + std::to_string(++number);
    client->publish(subject("Submit.CreateQueue"), client->inbox(name), headers, queue(name));
    const auto answer = client->answer(name);
    ASSERT_TRUE(answer) << headers;
    EXPECT_THAT(*answer, HasSubstr("argosy-status: invalid_argument")) << headers;
    EXPECT_THAT(*answer, HasSubstr("cannot be read")) << headers;
    EXPECT_FALSE(exists(name)) << headers;
  }
  expect_that_others_are_answered("headers that cannot be read");
}

TEST_F(hostile_nats, answers_go_to_nobody_else) {
  auto client = connect();
  for (const auto& reply : std::vector<std::string>{"", "nowhere", "_INBOX.user.somebody.1",
                                                    "_INBOX.argosyd.1", subject("Access.WhoAmI"),
                                                    "$JS.API.STREAM.LIST", "_INBOX.>", "_R_.1"})
    client->publish(subject("Access.WhoAmI"), reply, no_headers, "");
  client->publish(subject("Access.WhoAmI"), client->inbox("mine"),
                  version +
                      "argosy-user: somebody\r\nargosy-groups: g\r\n"
                      "argosy-permissions: 18446744073709551615\r\n\r\n",
                  "");
  const auto answer = client->answer("mine");
  ASSERT_TRUE(answer);
  EXPECT_THAT(*answer, HasSubstr(who.who.name));
  EXPECT_THAT(*answer, Not(HasSubstr("somebody"))) << "who calls is told by the subject alone";
  expect_that_others_are_answered("odd reply subjects");
}

TEST_F(hostile_nats, many_and_long_headers_are_taken_as_they_are) {
  auto client = connect();
  std::string many = version;
  for (int i = 0; i < 10'000; ++i) many += "x-" + std::to_string(i) + ": y\r\n";
  client->publish(subject("Access.WhoAmI"), client->inbox("many"), many + "\r\n", "");
  EXPECT_TRUE(client->answer("many"));
  client->publish(subject("Access.WhoAmI"), client->inbox("long"),
                  version + "x: " + std::string(1u << 20, 'y') +
                      "\r\ntraceparent: " + std::string(1u << 16, '0') + "\r\n\r\n",
                  "");
  EXPECT_TRUE(client->answer("long"));
  expect_that_others_are_answered("many and long headers");
}

TEST_F(hostile_nats, frames_with_wrong_lengths_end_their_own_connection_at_most) {
  const auto to = subject("Access.WhoAmI");
  for (const auto& bytes : std::vector<std::string>{
           "PUB " + to + " 99999999999\r\n",
           "PUB " + to + " -1\r\n\r\n",
           "PUB " + to + " 67108864\r\n" + std::string(1u << 20, 'x'),
           "HPUB " + to + " 900 10\r\nNATS/1.0\r\n\r\n",
           "HPUB " + to + " x y\r\n",
           "PUB " + to + " 5\r\nmore than five\r\n",
           "PUB " + std::string(1u << 16, 'a') + " 0\r\n\r\n",
           "PUB " + to + " 1000\r\nhalf",
       }) {
    auto client = connect();
    ASSERT_TRUE(client->alive());
    client->send(bytes);
    expect_that_others_are_answered(bytes.substr(0, 60));
  }
}

}  // namespace

}  // namespace argosy::testing
