// SPDX-License-Identifier: Apache-2.0
// Goal: the API over REST takes nothing of whoever is not let in, and no more than it may of
// others. Method: raw bytes to the endpoint, and the library's client.
#include "tests/unit/rest/pages_fixture.hpp"

namespace argosy::rest {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Sends bytes over a connection of its own, and returns all that comes back.
std::string raw(std::uint16_t port, const std::string& bytes) {
  const auto got = tests::http_send(port, bytes);
  return got.head + "\r\n\r\n" + got.body;
}

TEST_F(rest_pages, take_no_body_of_who_is_not_let_in) {
  with.admit = [](const rpc::caller&, const auto& then) {
    then({rpc::admission::kind::unknown, "who are you", {}});
  };
  start();
  const std::string post = "POST /v1/call HTTP/1.1\r\nHost: localhost\r\n";
  // Nothing of the body was sent, and the answer comes all the same.
  for (const auto* body : {"Content-Length: 4000000\r\n", "Transfer-Encoding: chunked\r\n",
                           "Content-Length: 4000000\r\nExpect: 100-continue\r\n"}) {
    const auto got = raw(running->port(), post + body + "\r\n");
    EXPECT_THAT(got, StartsWith("HTTP/1.1 401")) << body;
    EXPECT_THAT(got, HasSubstr("Connection: close"));
  }
  // Neither does a request that stands in the body follow.
  const std::string inner = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const auto got = raw(running->port(), post + "Content-Length: " + std::to_string(inner.size()) +
                                            "\r\n\r\n" + inner);
  EXPECT_EQ(got.find("HTTP/1.1", 1), std::string::npos) << got;
}

TEST_F(rest_pages, bound_bodies_in_chunks_as_those_whose_length_is_told) {
  with.body_max = 1'000;
  echo();
  start();
  const std::string head =
      "POST /v1/call HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(raw(running->port(), head + "3\r\nabc\r\n0\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("abc")));
  std::string much = head;
  for (int i = 0; i < 1'000; ++i) much += "64\r\n" + std::string(100, 'x') + "\r\n";
  EXPECT_THAT(raw(running->port(), much), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(raw(running->port(), head + "zz\r\nabc\r\n0\r\n\r\n"), StartsWith("HTTP/1.1 400"));
}

TEST_F(rest_pages, tell_a_client_to_send_his_body_when_it_is_wanted) {
  echo();
  start();
  const auto got = raw(running->port(),
                       "POST /v1/call HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                       "Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_THAT(got, AllOf(HasSubstr("HTTP/1.1 200"), HasSubstr("abc")));
}

TEST_F(rest_pages, answer_requests_that_came_together_in_their_order) {
  echo();
  start();
  std::string all;
  for (const auto* each : {"a", "b", "c"})
    all += std::string{"POST /v1/call HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"} +
           (*each == 'c' ? "Connection: close\r\n" : "") + "\r\n<" + each;
  const auto got = raw(running->port(), all);
  EXPECT_LT(got.find("<a"), got.find("<b"));
  EXPECT_LT(got.find("<b"), got.find("<c"));
  EXPECT_NE(got.find("<c"), std::string::npos) << got;
}

TEST_F(rest_pages, hold_so_many_bytes_of_bodies_together) {
  with.bodies_bytes_max = 10;
  echo();
  start();
  EXPECT_EQ(post("/v1/call", "short").status, 200);
  EXPECT_EQ(post("/v1/call", "longer than all may be").status, 429);
  EXPECT_EQ(post("/v1/call", "short").status, 200);
}

TEST_F(rest_pages, tell_every_error_as_json) {
  start();
  for (const auto* path : {"/v1/nothing", "/v1/a%2Fb/%0A", "/api/v1/nothing", "/v1/call"})
    EXPECT_THAT(client().Get(path)->body, StartsWith("{\"error\":")) << path;
}

}  // namespace

}  // namespace argosy::rest
