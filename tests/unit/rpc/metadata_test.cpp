// SPDX-License-Identifier: Apache-2.0
// Goal: what a caller may choose, and what the API says beside an answer, cross gRPC as they cross
// REST and NATS, and nobody names himself by it. Method: as in server_test.cpp.
#include "runtime/rpc/session/grpc_text.hpp"

#include <gmock/gmock.h>

#include "tests/unit/rpc/server_fixture.hpp"

namespace argosy::rpc {

namespace {

TEST_F(rpc_server, hands_on_what_a_caller_may_choose_and_nothing_else) {
  start();
  arrival<bus::headers> got;
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    got.set(request.headers);
    static_cast<void>(api->respond(request, ""));
  });
  testing::rpc_call call{
      channel, call_path, "x", [](::grpc::ClientContext& context) {
        for (const auto* name :
             {"mode", "expect", "owners", "from", "user", "groups", "permissions", "scheme",
              "scopes", "via", "peer", "stream", "stream-id", "status", "epoch", "credit"})
          context.AddMetadata("argosy-" + std::string{name}, "x");
        context.AddMetadata("traceparent", "00-1-2-03");
      }};
  EXPECT_TRUE(call.next());
  const auto headers = got.wait().value();
  for (const auto* name : {"argosy-mode", "argosy-expect", "argosy-owners", "argosy-from"})
    EXPECT_EQ(headers.get(name), "x") << name;
  EXPECT_EQ(headers.get("traceparent"), "00-1-2-03");
  EXPECT_EQ(headers.get(bus::header::user), "ann");
  EXPECT_EQ(headers.get(bus::header::via), "grpc");
  EXPECT_NE(headers.get(bus::header::peer), "x");
  for (const auto* name : {"argosy-groups", "argosy-permissions", "argosy-scheme", "argosy-scopes",
                           "argosy-stream", "argosy-stream-id", "argosy-status", "argosy-epoch"})
    EXPECT_EQ(headers.get(name), std::nullopt) << name;
}

TEST_F(rpc_server, hands_on_what_the_caller_of_a_stream_chooses) {
  start();
  arrival<std::string> from;
  serve("argosy.api.Event.Watch", [&](const bus::frame& request) {
    from.set(std::string{request.headers.get(bus::header::from).value_or("")});
    api->accept_stream(request, {}).value()->finish();
  });
  testing::rpc_call call{channel, watch_path, "x", [](::grpc::ClientContext& context) {
                           context.AddMetadata("argosy-from", "now");
                         }};
  EXPECT_TRUE(call.rest().empty());
  EXPECT_EQ(from.wait(), "now");
}

TEST_F(rpc_server, tells_what_the_api_says_beside_an_answer) {
  start();
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    static_cast<void>(api->respond(request, "answer",
                                   {{"argosy-version", "v7"},
                                    {"argosy-note", "100%25 of B\xc3\xa4r%0a"},
                                    {"argosy-user", "ann"}}));
  });
  testing::rpc_call call{channel, call_path, "x"};
  EXPECT_EQ(call.next(), "answer");
  EXPECT_TRUE(call.status().ok());
  const auto& got = call.context().GetServerInitialMetadata();
  ASSERT_EQ(got.count("argosy-version"), 1U);
  EXPECT_EQ(got.find("argosy-version")->second, "v7");
  ASSERT_EQ(got.count("argosy-note"), 1U);
  EXPECT_EQ(got.find("argosy-note")->second, "100%25 of B%C3%A4r%0a");
  EXPECT_EQ(got.count("argosy-user"), 0U);
}

TEST(timeouts, that_mean_no_end_are_a_year) {
  const auto year = std::chrono::hours{24 * 365};
  // Some clients send the largest 64-bit number of nanoseconds, and the last is the longest time.
  for (const auto* text : {"2562047H", "99999999H", "99999999M", "99999999S"})
    EXPECT_EQ(read_timeout(text), year) << text;
  EXPECT_EQ(read_timeout("1H"), std::chrono::hours{1});
  EXPECT_EQ(read_timeout("100000000H"), std::nullopt);
}

TEST(as_metadata, is_cut_off_before_an_escape_that_does_not_fit) {
  EXPECT_EQ(as_metadata("plain text"), "plain text");
  EXPECT_EQ(as_metadata("\n\x7f"), "%0A%7F");
  EXPECT_EQ(as_metadata("%"), "%");
  const std::string full(metadata_value_max - 3, 'x');
  EXPECT_EQ(as_metadata(full + "%0A" + "more"), full + "%0A");
  EXPECT_EQ(as_metadata(full + "y%0A"), full + "y");
  EXPECT_EQ(as_metadata(full + "y\xc3"), full + "y");
  EXPECT_LE(as_metadata(std::string(100'000, '\xff')).size(), metadata_value_max);
}

}  // namespace

}  // namespace argosy::rpc
