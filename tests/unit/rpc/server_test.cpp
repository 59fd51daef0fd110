// SPDX-License-Identifier: Apache-2.0
// Goal: what callers over gRPC get is what the API answers on the bus. Method: a server on a free
// port, an API of a few lines on the bus in memory, and a client of the library.
#include "runtime/rpc/server.hpp"

#include <gmock/gmock.h>

#include "tests/unit/rpc/server_fixture.hpp"

namespace argosy::rpc {

namespace {

using ::grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using std::chrono_literals::operator""ms;

TEST_F(rpc_server, answers_with_the_bytes_that_the_api_gave) {
  echo();
  start();
  testing::rpc_call call{channel, call_path, std::string{"a\0b", 3}};
  EXPECT_THAT(call.rest(), ElementsAre(std::string{"a\0b", 3}));
  EXPECT_TRUE(call.status().ok());
}

TEST_F(rpc_server, tells_the_api_who_calls_and_what_for) {
  arrival<bus::headers> seen;
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    seen.set(request.headers);
    static_cast<void>(api->respond(request, ""));
  });
  const std::string cause = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  start();
  testing::rpc_call call{channel, call_path, "", [&](::grpc::ClientContext& context) {
                           context.AddMetadata("traceparent", cause);
                           context.AddMetadata("argosy-user", "bob");
                         }};
  static_cast<void>(call.rest());
  ASSERT_TRUE(call.status().ok());
  const auto headers = seen.wait().value();
  EXPECT_EQ(headers.get(bus::header::user), "ann") << "no caller can name himself";
  EXPECT_EQ(headers.get(bus::header::traceparent), cause);
}

TEST_F(rpc_server, gives_each_error_its_status) {
  const std::vector<std::pair<ec, StatusCode>> expected{
      {ec::invalid_argument, StatusCode::INVALID_ARGUMENT},
      {ec::too_large, StatusCode::INVALID_ARGUMENT},
      {ec::not_found, StatusCode::NOT_FOUND},
      {ec::already_exists, StatusCode::ALREADY_EXISTS},
      {ec::conflict, StatusCode::FAILED_PRECONDITION},
      {ec::denied, StatusCode::PERMISSION_DENIED},
      {ec::unavailable, StatusCode::UNAVAILABLE},
      {ec::overloaded, StatusCode::RESOURCE_EXHAUSTED},
      {ec::out_of_space, StatusCode::RESOURCE_EXHAUSTED},
      {ec::timeout, StatusCode::DEADLINE_EXCEEDED},
      {ec::internal, StatusCode::INTERNAL}};
  std::atomic<std::size_t> next{0};
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    static_cast<void>(api->respond_error(request, {expected[next].first, "because \"ä\""}));
  });
  start();
  for (; next < expected.size(); ++next) {
    const auto got = status_of(call_path);
    EXPECT_EQ(got.error_code(), expected[next].second) << to_string(expected[next].first);
    EXPECT_THAT(got.error_message(), HasSubstr("because \"ä\""));
  }
}

TEST_F(rpc_server, tells_an_absence_as_clients_expect_it) {
  config.methods[call_path].absence = "could not find queue";
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    static_cast<void>(api->respond_error(request, {ec::not_found, "queue 'a' does not exist"}));
  });
  start();
  const auto got = status_of(call_path);
  EXPECT_EQ(got.error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(got.error_message(), "could not find queue: queue 'a' does not exist");
}

TEST_F(rpc_server, cuts_long_messages_between_characters) {
  std::string detail(1'999, 'x');
  detail += "ä and much more";
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    static_cast<void>(api->respond_error(request, {ec::conflict, detail}));
  });
  start();
  EXPECT_EQ(status_of(call_path).error_message(), std::string(1'999, 'x'));
}

TEST_F(rpc_server, refuses_methods_that_there_are_not) {
  start();
  const auto got = status_of("/api.Submit/Nothing");
  EXPECT_EQ(got.error_code(), StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(got.error_message(), HasSubstr("/api.Submit/Nothing"));
}

TEST_F(rpc_server, says_that_it_is_unavailable_while_nobody_serves_the_api) {
  start();
  EXPECT_EQ(status_of(call_path).error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(status_of(watch_path).error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(rpc_server, refuses_who_calls_it_by_a_name_that_is_not_its_own) {
  config.is_named = [](std::string_view name) { return name == "own.example.com:50051"; };
  start();
  const auto called = [&](const std::string& path, const std::string& name) {
    testing::rpc_call asked{channel, path, "", [&](auto& with) {
                              with.set_authority(name);
                              // Whoever is let in to watch waits for events that never come.
                              with.set_deadline(std::chrono::system_clock::now() + 2s);
                            }};
    return asked.status();
  };
  for (const auto* path : {call_path, watch_path, "/grpc.health.v1.Health/Check"}) {
    const auto refused = called(path, "evil.example.com");
    EXPECT_EQ(refused.error_code(), ::grpc::StatusCode::PERMISSION_DENIED) << path;
    EXPECT_NE(refused.error_message().find("health.hostNames"), std::string::npos);
    EXPECT_NE(called(path, "own.example.com:50051").error_code(),
              ::grpc::StatusCode::PERMISSION_DENIED)
        << path;
  }
}

TEST_F(rpc_server, asks_who_calls_before_the_api_hears_of_it) {
  arrival<caller> seen;
  admission::kind what = admission::kind::unknown;
  config.admit = [&](const caller& who, const std::function<void(admission)>& then) {
    seen.set(who);
    then({what, "not for you"});
  };
  echo();
  start();
  testing::rpc_call call{channel, call_path, "", [](::grpc::ClientContext& context) {
                           context.AddMetadata("authorization", "Bearer abc");
                         }};
  EXPECT_EQ(call.status().error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(seen.wait().value().authorization, "Bearer abc");
  EXPECT_THAT(seen.wait().value().peer, HasSubstr("127.0.0.1"));
  what = admission::kind::busy;
  const auto got = status_of(call_path);
  EXPECT_EQ(got.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(got.error_message(), "not for you");
  what = admission::kind::broken;
  EXPECT_EQ(status_of(call_path).error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(requests, 0);
}

TEST_F(rpc_server, may_learn_who_calls_after_the_caller_has_gone) {
  arrival<std::function<void(admission)>> asked;
  config.admit = [&](const caller&, std::function<void(admission)> then) {
    asked.set(std::move(then));
  };
  echo();
  accept_streams();
  start();
  for (const auto* path : {call_path, watch_path}) {
    asked.forget();
    testing::rpc_call call{channel, path, "x"};
    const auto then = asked.wait();
    ASSERT_TRUE(then);
    call.context().TryCancel();
    static_cast<void>(call.rest());
    EXPECT_EQ(call.status().error_code(), StatusCode::CANCELLED);
    (*then)({admission::kind::admitted, "", {}});
  }
}

TEST_F(rpc_server, takes_compressed_requests) {
  echo();
  start();
  const std::string text(100'000, 'z');
  testing::rpc_call call{channel, call_path, text, [](::grpc::ClientContext& context) {
                           context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
                         }};
  EXPECT_THAT(call.rest(), ElementsAre(text));
}

TEST_F(rpc_server, refuses_requests_that_are_too_large_also_when_compressed) {
  config.request_bytes_max = 10'000;
  echo();
  start();
  const std::string text(10'001, 'z');
  EXPECT_EQ(status_of(call_path, text).error_code(), StatusCode::RESOURCE_EXHAUSTED);
  testing::rpc_call call{channel, call_path, text, [](::grpc::ClientContext& context) {
                           context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
                         }};
  EXPECT_EQ(call.status().error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(requests, 0);
  EXPECT_TRUE(status_of(call_path, text.substr(1)).ok());
}

TEST_F(rpc_server, waits_no_longer_than_it_may) {
  config.answer_within = 20ms;
  serve("argosy.api.Submit.SubmitJobs", [](const bus::frame&) {});
  start();
  EXPECT_EQ(status_of(call_path).error_code(), StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(rpc_server, delays_nobody_for_a_call_without_an_answer) {
  arrival<bus::frame> first;
  serve("argosy.api.Submit.SubmitJobs", [&](const bus::frame& request) {
    if (request.data == "slow")
      first.set(request);
    else
      static_cast<void>(api->respond(request, "quick"));
  });
  start();
  testing::rpc_call slow{channel, call_path, "slow"};
  ASSERT_TRUE(first.wait());
  testing::rpc_call quick{channel, call_path, "now"};
  EXPECT_THAT(quick.rest(), ElementsAre("quick"));
  static_cast<void>(api->respond(*first.wait(), "late"));
  EXPECT_THAT(slow.rest(), ElementsAre("late"));
}

TEST_F(rpc_server, ends_all_calls_when_it_stops) {
  accept_streams();
  start();
  testing::rpc_call call{channel, watch_path, ""};
  ASSERT_TRUE(opened.wait());
  running.reset();
  EXPECT_TRUE(call.rest().empty());
  EXPECT_FALSE(call.status().ok());
}

TEST_F(rpc_server, does_not_share_its_port) {
  start();
  config.listen = running->address();
  const auto second = server::start(config);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ec::already_exists);
  EXPECT_THAT(second.error().detail, HasSubstr(running->address()));
}

TEST_F(rpc_server, refuses_what_is_no_address) {
  for (const auto* text : {"", "here", ":1", "127.0.0.1", "127.0.0.1:x"}) {
    config.listen = text;
    EXPECT_FALSE(server::start(config)) << text;
  }
}

}  // namespace

}  // namespace argosy::rpc
