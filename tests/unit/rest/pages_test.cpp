// SPDX-License-Identifier: Apache-2.0
// Goal: what callers over REST get is what the API answers on the bus, and bad ones keep nobody
// from it. Method: the HTTP endpoint on a free port, an API of a few lines on the bus in memory,
// and the library's client. Bytes stand for JSON here.
#include "runtime/rest/stream_shares.hpp"
#include "tests/unit/rest/pages_fixture.hpp"

namespace argosy::rest {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(rest_pages, answer_what_the_api_answers) {
  echo();
  start();
  const auto got = post("/v1/call", "{\"a\":1}", {{"argosy-user", "bob"}});
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "{\"a\":1}");
  EXPECT_EQ(got.get_header_value("Content-Type"), "application/json");
  EXPECT_EQ(user, "ann") << "no caller can name himself";
}

TEST_F(rest_pages, tell_the_position_without_asking_the_api_but_only_to_who_is_let_in) {
  std::optional<std::uint64_t> position;
  with.position = [&] { return position; };
  auto what = rpc::admission::kind::admitted;
  with.admit = [&](const rpc::caller&, const auto& then) { then({what, "nobody", {}}); };
  start();
  const auto status = [&] { return client().Get("/v1/position")->status; };
  EXPECT_EQ(status(), 503) << "there is none yet";
  position = 7;
  EXPECT_EQ(client().Get("/v1/position")->body, R"({"position":7,"startedNs":0})");
  EXPECT_EQ(post("/v1/position", "{}").status, 404);
  for (const auto* path : {"/%761/position", "/v%31/position", "/%2fv1/position"})
    EXPECT_EQ(tests::http_get(running->port(), path).status, 404)
        << path << " was not seen to be a call before it was routed";
  what = rpc::admission::kind::unknown;
  EXPECT_EQ(status(), 401);
}

TEST_F(rest_pages, carry_metadata_both_ways_but_no_name_of_a_caller) {
  bus::headers seen;
  serve(call_method, [&](const bus::frame& asked) {
    seen = asked.headers;
    static_cast<void>(api->respond(asked, asked.data, {{"argosy-version", "v7"}}));
  });
  start();
  const auto got =
      post("/v1/call", "x",
           {{"Grpc-Metadata-Argosy-Mode", "check"}, {"Grpc-Metadata-Argosy-User", "bob"}});
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(seen.get("argosy-mode"), "check");
  EXPECT_EQ(seen.get("argosy-user"), "ann");
  EXPECT_EQ(got.get_header_value("Grpc-Metadata-Argosy-Version"), "v7");
}

TEST_F(rest_pages, take_a_request_without_a_body_or_as_a_form) {
  echo();
  start();
  EXPECT_EQ(client().Post("/v1/call")->status, 200);
  const std::string large(100'000, 'x');
  const auto got = client().Post("/v1/call", large, "application/x-www-form-urlencoded");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, large);
}

TEST_F(rest_pages, give_each_error_its_status) {
  const std::vector<std::tuple<ec, int, int>> expected{
      {ec::invalid_argument, 400, 3}, {ec::too_large, 400, 3},  {ec::not_found, 404, 5},
      {ec::already_exists, 409, 6},   {ec::conflict, 400, 9},   {ec::denied, 403, 7},
      {ec::unavailable, 503, 14},     {ec::overloaded, 429, 8}, {ec::timeout, 504, 4},
      {ec::cancelled, 408, 1},        {ec::internal, 500, 13}};
  std::atomic<std::size_t> next{0};
  serve(call_method, [&](const bus::frame& asked) {
    static_cast<void>(api->respond_error(asked, {std::get<0>(expected[next]), "why"}));
  });
  start();
  for (; next < expected.size(); ++next) {
    const auto [code, status, number] = expected[next];
    const auto got = post("/v1/call", "");
    EXPECT_EQ(got.status, status) << to_string(code);
    EXPECT_THAT(got.body, HasSubstr(R"("code":)" + std::to_string(number) + R"(,"message":")"));
    EXPECT_THAT(got.body, HasSubstr("why"));
  }
}

TEST_F(rest_pages, say_that_nobody_serves_the_api) {
  start();
  EXPECT_EQ(post("/v1/call", "").status, 503);
  EXPECT_EQ(post("/v1/watch", "").status, 503);
}

TEST_F(rest_pages, refuse_what_cannot_be_read_or_found) {
  echo();
  start();
  EXPECT_EQ(post("/v1/call", "bad").status, 400);
  EXPECT_EQ(post("/v1/other", "").status, 404);
  EXPECT_EQ(client().Get("/v1/call")->status, 405);
  EXPECT_EQ(post("/v1/call", "x", {{"Content-Encoding", "gzip"}}).status, 415);
  EXPECT_EQ(post("/v1/call", std::string((std::size_t{4} << 20) + 1, 'x')).status, 413);
  EXPECT_NE(post("/v1/call", "x", {{"X", std::string(1'000'000, 'x')}}).status, 200);
  EXPECT_EQ(client().Get("/livez")->status, 200);
}

TEST_F(rest_pages, ask_who_calls_before_they_read_the_body) {
  rpc::admission::kind what = rpc::admission::kind::unknown;
  rpc::caller seen;
  with.admit = [&](const rpc::caller& who, const auto& then) {
    seen = who;
    then({what, "not now", {}});
  };
  start();
  EXPECT_EQ(post("/v1/call", "bad", {{"Authorization", "Bearer abc"}}).status, 401);
  EXPECT_EQ(seen.authorization, "Bearer abc");
  EXPECT_THAT(seen.peer, HasSubstr("ipv4:127.0.0.1:"));
  what = rpc::admission::kind::busy;
  const auto got = post("/v1/call", "bad");
  EXPECT_EQ(got.status, 429);
  EXPECT_THAT(got.body, HasSubstr("not now"));
}

TEST_F(rest_pages, let_only_so_many_callers_wait_to_be_known_and_count_nobody_who_is) {
  std::promise<std::function<void(rpc::admission)>> asked;
  with.unknown_max = 1;
  with.admit = [&](const rpc::caller& who, std::function<void(rpc::admission)> then) {
    if (who.authorization == "known") then({rpc::admission::kind::admitted});
    if (who.authorization == "first") asked.set_value(std::move(then));
  };
  echo();
  start();
  auto waits = std::async(std::launch::async, [this] {
    return post("/v1/call", "x", {{"Authorization", "first"}}).status;
  });
  const auto then = asked.get_future().get();
  EXPECT_EQ(post("/v1/call", "x", {{"Authorization", "second"}}).status, 429);
  EXPECT_EQ(post("/v1/call", "x", {{"Authorization", "known"}}).status, 200);
  EXPECT_EQ(client().Get("/livez")->status, 200);
  then({rpc::admission::kind::broken, "nobody answers", {}});
  EXPECT_EQ(waits.get(), 503);
}

TEST_F(rest_pages, wait_for_nobody_who_knows_callers_when_the_server_stops) {
  std::promise<void> asked;
  std::function<void(rpc::admission)> never_called;
  with.admit = [&](const rpc::caller&, std::function<void(rpc::admission)> then) {
    never_called = std::move(then);
    asked.set_value();
  };
  start();
  auto waits = std::async(std::launch::async, [this] { return post("/v1/call", "x").status; });
  asked.get_future().wait();
  running.reset();
  EXPECT_EQ(waits.get(), 503);
}

TEST_F(rest_pages, refuse_pages_of_other_origins_and_other_names) {
  with.origins = {"https://ui"};
  with.local_names_only = true;
  echo();
  start();
  EXPECT_EQ(post("/v1/call", "", {{"Origin", "https://evil"}}).status, 403);
  EXPECT_EQ(post("/v1/call", "", {{"Host", "evil.com"}}).status, 403);
  const auto got = post("/v1/call", "", {{"Origin", "https://ui"}});
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.get_header_value("Access-Control-Allow-Origin"), "https://ui");
  const auto asked = client().Options("/v1/call", {{"Origin", "https://ui"}});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->status, 200);
  EXPECT_THAT(asked->get_header_value("Access-Control-Allow-Headers"), HasSubstr("Authorization"));
}

TEST_F(rest_pages, wait_no_longer_than_the_caller) {
  serve(call_method, [](const bus::frame&) {});
  start();
  EXPECT_EQ(post("/v1/call", "", {{"Grpc-Timeout", "20m"}}).status, 504);
}

TEST_F(rest_pages, write_a_line_for_each_item_and_for_a_late_error) {
  accept_streams();
  start();
  auto got = std::async(std::launch::async, [this] { return post("/v1/watch", "x"); });
  const auto writer = opened.get_future().get();
  ASSERT_TRUE(writer->send("{\"n\":1}"));
  ASSERT_TRUE(writer->send("{\"n\":2}"));
  writer->finish({ec::not_found, "it is gone"});
  const auto answer = got.get();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            "{\"result\":{\"n\":1}}\n{\"result\":{\"n\":2}}\n"
            "{\"error\":{\"grpc_code\":5,\"http_code\":404,\"message\":\"it is gone\","
            "\"http_status\":\"Not Found\"}}\n");
}

TEST_F(rest_pages, end_a_stream_when_its_time_is_over) {
  accept_streams();
  start();
  const auto got = post("/v1/watch", "x", {{"Grpc-Timeout", "1m"}});
  EXPECT_THAT(got.body, HasSubstr("\"grpc_code\":4"));
}

TEST_F(rest_pages, end_the_stream_of_a_caller_who_goes) {
  accept_streams();
  start();
  auto other = client();
  std::thread reading{[&] { static_cast<void>(other.Post("/v1/watch", "x", "text/plain")); }};
  const auto writer = opened.get_future().get();
  other.stop();
  reading.join();
  EXPECT_EQ(gone.get_future().wait_for(20s), std::future_status::ready);
}

TEST(stream_shares, are_a_third_for_one_caller_which_he_is_told) {
  EXPECT_EQ(thirds(6).own, 2U);
  EXPECT_EQ(thirds(1).own, 1U);
  const auto all = std::make_shared<border::shares>(thirds(6));
  std::vector<border::shares::outcome> taken;
  for (const auto* who : {"ann", "ann", "bob", "eve", "dan"}) taken.push_back(all->take(who));
  for (const auto& each : taken) EXPECT_TRUE(each.held);
  EXPECT_THAT(stream_refusal(all->take("ann").answer, "streams", 6),
              HasSubstr("you have 2 streams open, as many as one caller may have"));
  EXPECT_THAT(stream_refusal(all->take("bob").answer, "streams", 6), HasSubstr("all of the 6"));
}

TEST_F(rest_pages, refuse_streams_beyond_the_limit_and_end_them_at_the_stop) {
  with.streams_max = 1;
  accept_streams();
  start();
  auto first = std::async(std::launch::async, [this] { return post("/v1/watch", "x").status; });
  const auto writer = opened.get_future().get();
  const auto second = post("/v1/watch", "x");
  EXPECT_EQ(second.status, 429);
  EXPECT_EQ(client().Get("/livez")->status, 200);
  running.reset();
  static_cast<void>(first.get());
}

}  // namespace

}  // namespace argosy::rest
