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
  // A size that is negative is a large one to the library.
  EXPECT_THAT(raw(running->port(), head + "-2\r\n" + std::string(2'000, 'x')),
              StartsWith("HTTP/1.1 413"));
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

TEST_F(rest_pages, give_each_caller_his_share_of_bodies) {
  believe_all();
  with.bodies_bytes_max = 10;
  echo();
  start();
  const auto status_of = [this](const char* user) {
    return post("/v1/call", "short", {{"Authorization", user}}).status;
  };
  {
    const begun_request slow{running->port(), "/v1/call", "ann", 8, "1234", true};
    // By this its place is taken. A shorter body that came in between would have the place instead.
    ASSERT_THAT(slow.status_line(), StartsWith("HTTP/1.1 100"));
    EXPECT_EQ(status_of("ann"), 429);
    EXPECT_EQ(status_of("bob"), 200);
  }
  while (status_of("ann") != 200) {
  }
}

TEST_F(rest_pages, give_each_caller_his_share_of_streams) {
  believe_all();
  with.streams_max = 6;
  std::mutex guard;
  std::vector<std::shared_ptr<bus::stream_writer>> writers;
  serve(watch_method, [&](const bus::frame& asked) {
    const std::scoped_lock lock{guard};
    writers.push_back(api->accept_stream(asked, {}).value());
  });
  start();
  std::vector<begun_request> open;
  const auto status_of = [&](const char* user) {
    open.emplace_back(running->port(), "/v1/watch", user, 1, "x");
    return open.back().status_line();
  };
  for (int i = 0; i < 2; ++i) EXPECT_THAT(status_of("ann"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(status_of("ann"), StartsWith("HTTP/1.1 429"));
  EXPECT_THAT(status_of("bob"), StartsWith("HTTP/1.1 200"));
  running.reset();
}

TEST_F(rest_pages, give_up_the_request_of_a_client_who_goes) {
  std::promise<bus::frame> asked;
  serve(call_method, [&](const bus::frame& request) {
    if (request.data == "x") asked.set_value(request);
  });
  start();
  const auto request = [&] {
    const begun_request gone_soon{running->port(), "/v1/call", "ann", 1, "x"};
    return asked.get_future().get();
  }();
  ASSERT_TRUE(request.given_up);
  while (!*request.given_up) std::this_thread::yield();
}

TEST_F(rest_pages, tell_every_error_as_json) {
  start();
  for (const auto* path : {"/v1/nothing", "/v1/a%2Fb/%0A", "/api/v1/nothing", "/v1/call"})
    EXPECT_THAT(client().Get(path)->body, StartsWith("{\"error\":")) << path;
}

}  // namespace

}  // namespace argosy::rest
