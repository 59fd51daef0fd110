// SPDX-License-Identifier: Apache-2.0
// Goal: publish, serve, request and their errors mean the same on every bus.
// Method: one server connection and one client connection, over each implementation.
#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/bus/bus_contract.hpp"

namespace argosy::testing {

TEST_P(bus_contract, delivers_a_published_frame_with_its_headers) {
  collector<bus::frame> got;
  const auto held = serve("a.*.c", [&](bus::frame f) { got.add(std::move(f)); });
  const std::string bytes{"\0\r\n\xff", 4};
  ASSERT_TRUE(client_->publish("a.b.c", bytes, {{"traceparent", "00-ab"}, {"argosy-epoch", "7"}}));
  ASSERT_TRUE(got.wait_for(1));
  const auto arrived = got.values().front();
  EXPECT_EQ(arrived.subject, "a.b.c");
  EXPECT_EQ(arrived.data, bytes);
  EXPECT_EQ(arrived.headers.get("TraceParent"), "00-ab");
  EXPECT_EQ(arrived.headers.get_number(bus::header::epoch), 7u);
  EXPECT_TRUE(arrived.reply.empty());
}

TEST_P(bus_contract, delivers_in_order_and_only_what_matches) {
  collector<std::string> got;
  const auto held = serve("a.>", [&](const bus::frame& f) { got.add(f.data); });
  constexpr int count = 1'000;
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(client_->publish("b.x", "other"));
    ASSERT_TRUE(client_->publish("a.x", std::to_string(i)));
  }
  ASSERT_TRUE(got.wait_for(count));
  const auto values = got.values();
  ASSERT_EQ(values.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) EXPECT_EQ(values[i], std::to_string(i));
}

TEST_P(bus_contract, answers_a_request) {
  const auto held = serve_echo("svc.echo");
  const auto got = ask("svc.echo", "hello", {{"a", "b"}});
  ASSERT_TRUE(got.has_value()) << to_string(got.error());
  EXPECT_EQ(got->data, "echo hello");
  EXPECT_EQ(got->headers.get("a"), "b");
}

TEST_P(bus_contract, carries_an_error_with_code_and_detail) {
  const error sent{ec::conflict, " queue 'ü': 100% of\nquota\r\n used\t "};
  const auto held = serve("svc.fails", [&](const bus::frame& asked) {
    EXPECT_TRUE(server_->respond_error(asked, sent));
  });
  const auto got = ask("svc.fails", "");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error(), sent);
}

TEST_P(bus_contract, many_requests_at_once_get_their_own_answers) {
  const auto held = serve_echo("svc.echo");
  constexpr int count = 500;
  collector<bool> right;
  for (int i = 0; i < count; ++i) {
    client_->request("svc.echo", std::to_string(i), {}, request_limit, [&, i](outcome got) {
      right.add(got.has_value() && got->data == "echo " + std::to_string(i));
    });
  }
  ASSERT_TRUE(right.wait_for(count));
  EXPECT_EQ(right.values(), std::vector<bool>(count, true));
}

TEST_P(bus_contract, says_when_nobody_serves) {
  const auto got = ask("svc.nobody", "");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::no_responders);
  EXPECT_NE(got.error().detail.find("svc.nobody"), std::string::npos) << got.error().detail;
  EXPECT_NE(got.error().detail.find(client_->server()), std::string::npos) << got.error().detail;
}

TEST_P(bus_contract, a_request_without_answer_times_out) {
  const auto held = serve("svc.silent", [](const bus::frame&) {});
  const auto got = client_->request_sync("svc.silent", "", {}, std::chrono::milliseconds{50});
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::timeout);
  EXPECT_NE(got.error().detail.find("svc.silent"), std::string::npos) << got.error().detail;
}

TEST_P(bus_contract, refuses_what_is_too_large_and_takes_the_largest) {
  const auto held = serve_echo("svc.echo");
  const std::string over(client_->max_payload() + 1, 'x');
  const auto asked = ask("svc.echo", over);
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().code, ec::too_large);
  const auto got = client_->publish("svc.echo", over);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::too_large);
  EXPECT_NE(got.error().detail.find(std::to_string(over.size())), std::string::npos);
  EXPECT_NE(got.error().detail.find(std::to_string(client_->max_payload())), std::string::npos);

  collector<std::size_t> sizes;
  const auto sink = serve("sink", [&](const bus::frame& f) { sizes.add(f.data.size()); });
  bus::headers with{{"name", "value"}};
  const std::string most(client_->max_payload() - encoded_size(with), 'x');
  ASSERT_TRUE(client_->publish("sink", most, with));
  ASSERT_TRUE(sizes.wait_for(1));
  EXPECT_EQ(sizes.values().front(), most.size());
}

TEST_P(bus_contract, tells_whoever_serves_a_request_how_long_it_waits_and_that_it_was_given_up) {
  collector<bus::frame> asked;
  const auto held = serve("svc.slow", [&](bus::frame f) { asked.add(std::move(f)); });
  collector<ec> ends;
  const auto keep = [&](result<bus::frame> got) { ends.add(got ? ec::none : got.error().code); };
  const auto first = client_->request("svc.slow", "a", {}, std::chrono::seconds{20}, keep);
  client_->request("svc.slow", "b", {}, std::chrono::seconds{20}, keep);
  ASSERT_TRUE(asked.wait_for(2));
  const auto requests = asked.values();
  EXPECT_EQ(requests[0].headers.get_number(bus::header::timeout), 20'000U);
  ASSERT_TRUE(requests[0].given_up && requests[1].given_up);
  EXPECT_FALSE(*requests[0].given_up);
  client_->give_up(first);
  ASSERT_TRUE(ends.wait_for(1));
  EXPECT_EQ(ends.values().front(), ec::cancelled);
  ASSERT_TRUE(client_->publish("svc.slow", "behind it"));
  ASSERT_TRUE(asked.wait_for(3));
  EXPECT_TRUE(*requests[0].given_up);
  EXPECT_FALSE(*requests[1].given_up) << "only the one that was given up";
  client_->give_up(first);
  ASSERT_TRUE(server_->respond(requests[1], "late"));
  ASSERT_TRUE(ends.wait_for(2));
  EXPECT_EQ(ends.values().back(), ec::none);
}

TEST_P(bus_contract, gives_up_a_request_when_its_time_is_over) {
  collector<bus::frame> asked;
  const auto held = serve("svc.slow", [&](bus::frame f) { asked.add(std::move(f)); });
  const auto got = client_->request_sync("svc.slow", "", {}, std::chrono::milliseconds{50});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ec::timeout);
  ASSERT_TRUE(client_->publish("svc.slow", "behind it"));
  ASSERT_TRUE(asked.wait_for(2));
  EXPECT_TRUE(*asked.values().front().given_up);
}

TEST_P(bus_contract, lets_nobody_give_up_what_was_asked_on_another_subject) {
  collector<bus::frame> asked;
  const auto held = serve("svc.>", [&](bus::frame f) { asked.add(std::move(f)); });
  client_->request("svc.alice", "", {}, std::chrono::seconds{20}, [](const auto&) {});
  ASSERT_TRUE(asked.wait_for(1));
  const auto request = asked.values().front();
  const std::string number{*request.headers.get(bus::header::request)};
  ASSERT_TRUE(client_->publish(
      "svc.mallory", "",
      {{std::string{bus::header::stream}, "cancel"}, {std::string{bus::header::request}, number}}));
  ASSERT_TRUE(client_->publish("svc.mallory", "last"));
  ASSERT_TRUE(asked.wait_for(2));
  EXPECT_EQ(asked.values().back().data, "last");
  EXPECT_FALSE(*request.given_up);
}

TEST_P(bus_contract, refuses_bad_subjects_patterns_and_headers) {
  for (const std::string subject : {"", "a..b", ".a", "a.", "a b", "a.*", "a.>", "a\r\nPUB b"})
    EXPECT_EQ(client_->publish(subject, "").error().code, ec::invalid_argument) << subject;
  for (const std::string pattern : {"", "a.>.b", "a.b*", "a\n"})
    EXPECT_EQ(server_->serve(pattern, [](bus::frame) {}).error().code, ec::invalid_argument);
  const bus::headers injected{{"a", "b\r\nargosy-epoch: 9"}};
  EXPECT_EQ(client_->publish("a", "", injected).error().code, ec::invalid_argument);
  const bus::headers bad_name{{"a:b", "c"}};
  EXPECT_EQ(client_->publish("a", "", bad_name).error().code, ec::invalid_argument);
}

TEST_P(bus_contract, reports_a_refused_subject) {
  const auto asked = ask(bus_->denied_subject(), "");
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().code, ec::denied) << asked.error().detail;
  const auto served = server_->serve(bus_->denied_subject(), [](bus::frame) {});
  ASSERT_FALSE(served.has_value());
  EXPECT_EQ(served.error().code, ec::denied) << served.error().detail;
}

TEST_P(bus_contract, stops_delivering_when_the_subscription_ends) {
  collector<int> got;
  auto held = serve("a", [&](const bus::frame&) { got.add(1); });
  ASSERT_TRUE(client_->publish("a", ""));
  ASSERT_TRUE(got.wait_for(1));
  held.reset();
  ASSERT_TRUE(server_->flush(patience));
  EXPECT_EQ(ask("a", "").error().code, ec::no_responders);
  EXPECT_EQ(got.values().size(), 1u);
}

TEST_P(bus_contract, a_handler_may_end_its_own_subscription) {
  bus::subscription held;
  collector<int> got;
  held = serve("a", [&](const bus::frame& asked) {
    held.reset();
    EXPECT_TRUE(server_->respond(asked, "last"));
    got.add(1);
  });
  EXPECT_TRUE(ask("a", "").has_value());
  EXPECT_TRUE(got.wait_for(1));
  ASSERT_TRUE(server_->flush(patience));
  EXPECT_EQ(ask("a", "").error().code, ec::no_responders);
}

TEST_P(bus_contract, a_handler_may_ask_in_turn) {
  const auto inner = serve_echo("svc.inner");
  const auto outer = serve("svc.outer", [&](const bus::frame& asked) {
    const auto got = server_->request_sync("svc.inner", asked.data, {}, request_limit);
    EXPECT_TRUE(got.has_value());
    EXPECT_TRUE(server_->respond(asked, got ? got->data + "!" : ""));
  });
  const auto got = ask("svc.outer", "x");
  ASSERT_TRUE(got.has_value()) << to_string(got.error());
  EXPECT_EQ(got->data, "echo x!");
}

TEST_P(bus_contract, a_frame_without_reply_cannot_be_answered) {
  EXPECT_EQ(server_->respond(bus::frame{"a", "", {}, ""}, "").error().code, ec::invalid_argument);
}

TEST_P(bus_contract, a_dying_server_fails_requests_soon_and_a_new_one_serves_again) {
  const auto held = serve("svc.silent", [](const bus::frame&) {});
  const auto echo = serve_echo("svc.echo");
  collector<error> failed;
  const auto begin = std::chrono::steady_clock::now();
  client_->request("svc.silent", "", {}, patience, [&](outcome got) {
    ASSERT_FALSE(got.has_value());
    failed.add(got.error());
  });
  ASSERT_TRUE(client_->flush(patience));
  bus_->set_online(false);
  ASSERT_TRUE(failed.wait_for(1));
  EXPECT_EQ(failed.values().front().code, ec::unreachable);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, patience / 2);
  ASSERT_TRUE(wait_for(bus::link_status::disconnected));
  EXPECT_EQ(ask("svc.echo", "").error().code, ec::unreachable);
  EXPECT_EQ(client_->publish("svc.echo", "").error().code, ec::unreachable);

  bus_->set_online(true);
  ASSERT_TRUE(wait_for(bus::link_status::connected));
  // The server's own connection may come back later than the client's.
  auto again = ask("svc.echo", "back");
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!again && std::chrono::steady_clock::now() < until) again = ask("svc.echo", "back");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_EQ(again->data, "echo back");
}

TEST_P(bus_contract, closing_fails_what_is_pending_and_later_calls) {
  const auto held = serve("svc.silent", [](const bus::frame&) {});
  collector<ec> failed;
  client_->request("svc.silent", "", {}, patience,
                   [&](const outcome& got) { failed.add(got ? ec::none : got.error().code); });
  client_->close();
  EXPECT_EQ(failed.values(), std::vector<ec>{ec::cancelled});
  EXPECT_EQ(client_->status(), bus::link_status::closed);
  EXPECT_EQ(ask("svc.silent", "").error().code, ec::cancelled);
  EXPECT_EQ(client_->publish("a", "").error().code, ec::cancelled);
  EXPECT_EQ(client_->serve("a", [](bus::frame) {}).error().code, ec::cancelled);
  client_->close();
}

TEST_P(bus_contract, threads_may_share_a_connection) {
  const auto held = serve_echo("svc.echo");
  constexpr int threads = 4;
  constexpr int each = 100;
  collector<bool> right;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) {
        const auto text = std::to_string(t * each + i);
        const auto got = ask("svc.echo", text);
        right.add(got.has_value() && got->data == "echo " + text);
      }
    });
  }
  for (auto& thread : running) thread.join();
  EXPECT_EQ(right.values(), std::vector<bool>(threads * each, true));
}

}  // namespace argosy::testing
