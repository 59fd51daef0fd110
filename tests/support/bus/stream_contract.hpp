// SPDX-License-Identifier: Apache-2.0
// Goal: server streams keep order, credit and their end on every bus, and notice a gone peer.
// Method: a served subject that accepts streams and hands the writers to the test.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/bus/bus_contract.hpp"

namespace argosy::testing {

class stream_contract : public bus_contract {
 protected:
  using writer_ptr = std::shared_ptr<bus::stream_writer>;

  /// Accepts all streams on "svc.watch".
  void accept_streams() {
    held_ = serve("svc.watch", [this](const bus::frame& asked) {
      auto made = server_->accept_stream(
          asked, {.on_credit = [this] { credits_.add(1); },
                  .on_cancel = [this](const error& why) { cancels_.add(why); }});
      EXPECT_TRUE(made.has_value()) << to_string(made.error());
      if (made) writers_.add(*made);
    });
  }
  [[nodiscard]] bus::stream open(bus::stream_options options = {}) {
    options.keepalive = std::chrono::milliseconds{50};
    return client_->open_stream(
        "svc.watch", "please", {}, options,
        {.on_item = [this](const bus::frame& item) { items_.add(item.data); },
         .on_end =
             [this](const result<void>& how) {
               ends_.add(how ? error{ec::none, ""} : how.error());
             }});
  }
  [[nodiscard]] writer_ptr wait_writer() {
    return writers_.wait_for(1) ? writers_.values().front() : nullptr;
  }
  /// Sends the items as credit allows.
  void send_all(bus::stream_writer& writer, const std::vector<std::string>& what) {
    for (const auto& data : what) {
      while (true) {
        const auto seen = credits_.values().size();
        const auto state = writer.send(data);
        ASSERT_TRUE(state.has_value()) << to_string(state.error());
        if (*state == bus::send_state::sent) break;
        ASSERT_EQ(*state, bus::send_state::blocked);
        ASSERT_TRUE(credits_.wait_for(seen + 1));
      }
    }
  }
  static std::vector<std::string> numbers(int count) {
    std::vector<std::string> out;
    for (int i = 0; i < count; ++i) out.push_back(std::to_string(i));
    return out;
  }

  collector<writer_ptr> writers_;
  collector<int> credits_;
  collector<error> cancels_;
  collector<std::string> items_;
  collector<error> ends_;
  bus::subscription held_;
};

TEST_P(stream_contract, delivers_all_items_in_order_then_the_end) {
  accept_streams();
  const auto stream = open({.credit = 8});
  const auto writer = wait_writer();
  ASSERT_TRUE(writer);
  const auto sent = numbers(500);
  send_all(*writer, sent);
  writer->finish();
  ASSERT_TRUE(ends_.wait_for(1));
  EXPECT_EQ(ends_.values().front(), (error{ec::none, ""}));
  EXPECT_EQ(items_.values(), sent);
  EXPECT_EQ(writer->send("late").value(), bus::send_state::closed);
}

TEST_P(stream_contract, ends_with_the_writers_error) {
  accept_streams();
  const auto stream = open();
  const auto writer = wait_writer();
  ASSERT_TRUE(writer);
  const error why{ec::not_found, "job set 'x' does not exist"};
  writer->finish(why);
  ASSERT_TRUE(ends_.wait_for(1));
  EXPECT_EQ(ends_.values(), std::vector{why});
}

TEST_P(stream_contract, a_writer_without_credit_is_blocked_until_the_reader_grants) {
  accept_streams();
  auto stream = open({.credit = 4, .manual_grants = true});
  const auto writer = wait_writer();
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->credit(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(writer->send("x").value(), bus::send_state::sent);
  EXPECT_EQ(writer->send("x").value(), bus::send_state::blocked);
  ASSERT_TRUE(items_.wait_for(4));
  EXPECT_EQ(writer->send("x").value(), bus::send_state::blocked);
  EXPECT_TRUE(credits_.values().empty());
  stream.grant(3);
  ASSERT_TRUE(credits_.wait_for(1));
  EXPECT_EQ(writer->credit(), 3u);
  EXPECT_EQ(writer->send("x").value(), bus::send_state::sent);
  ASSERT_TRUE(items_.wait_for(5));
}

TEST_P(stream_contract, cancelling_tells_the_writer_and_silences_the_reader) {
  accept_streams();
  auto stream = open();
  const auto writer = wait_writer();
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->send("x").value(), bus::send_state::sent);
  ASSERT_TRUE(items_.wait_for(1));
  stream.cancel();
  ASSERT_TRUE(cancels_.wait_for(1));
  EXPECT_EQ(cancels_.values().front().code, ec::cancelled);
  EXPECT_TRUE(writer->closed());
  EXPECT_EQ(writer->send("x").value(), bus::send_state::closed);
  EXPECT_EQ(items_.values().size(), 1u);
  EXPECT_TRUE(ends_.values().empty());
}

TEST_P(stream_contract, an_item_for_a_reader_who_has_gone_ends_the_stream) {
  held_ = serve("svc.watch", [this](bus::frame asked) {
    asked.reply = "_INBOX.nobody.1";
    auto made = server_->accept_stream(
        asked, {.on_cancel = [this](const error& why) { cancels_.add(why); }});
    ASSERT_TRUE(made.has_value()) << to_string(made.error());
    writers_.add(*made);
  });
  const auto stream =
      client_->open_stream("svc.watch", "", {}, {.keepalive = std::chrono::minutes{1}},
                           {.on_item = [](const bus::frame&) {}});
  const auto writer = wait_writer();
  ASSERT_TRUE(writer);
  EXPECT_TRUE(cancels_.values().empty());
  EXPECT_EQ(writer->send("x").value(), bus::send_state::sent);
  ASSERT_TRUE(cancels_.wait_for(1));
  EXPECT_TRUE(writer->closed());
}

TEST_P(stream_contract, ends_when_nobody_serves_or_the_server_refuses) {
  const auto first = open();
  ASSERT_TRUE(ends_.wait_for(1));
  EXPECT_EQ(ends_.values().front().code, ec::no_responders);
  const error why{ec::denied, "no"};
  const auto held = serve("svc.watch", [&](const bus::frame& asked) {
    EXPECT_TRUE(server_->respond_error(asked, why));
  });
  const auto second = open();
  ASSERT_TRUE(ends_.wait_for(2));
  EXPECT_EQ(ends_.values().back(), why);
}

TEST_P(stream_contract, a_plain_request_is_not_a_stream) {
  const auto held = serve("svc.watch", [&](const bus::frame& asked) {
    const auto made = server_->accept_stream(asked, {});
    ASSERT_FALSE(made.has_value());
    EXPECT_TRUE(server_->respond_error(asked, made.error()));
  });
  EXPECT_EQ(ask("svc.watch", "").error().code, ec::invalid_argument);
}

TEST_P(stream_contract, a_dropped_writer_ends_the_stream) {
  const auto held = serve("svc.watch", [this](const bus::frame& asked) {
    EXPECT_TRUE(server_->accept_stream(asked, {}).has_value());
  });
  const auto stream = open();
  ASSERT_TRUE(ends_.wait_for(1));
  EXPECT_EQ(ends_.values().front().code, ec::unavailable);
}

TEST_P(stream_contract, both_ends_notice_a_dying_server) {
  accept_streams();
  const auto stream = open();
  const auto writer = wait_writer();
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->send("x").value(), bus::send_state::sent);
  ASSERT_TRUE(items_.wait_for(1));
  bus_->set_online(false);
  ASSERT_TRUE(ends_.wait_for(1));
  EXPECT_EQ(ends_.values().front().code, ec::unreachable);
  ASSERT_TRUE(cancels_.wait_for(1));
  EXPECT_EQ(cancels_.values().front().code, ec::unreachable);
}

TEST_P(stream_contract, closing_the_connection_ends_its_streams) {
  accept_streams();
  const auto stream = open();
  ASSERT_TRUE(wait_writer());
  client_->close();
  ASSERT_TRUE(ends_.wait_for(1));
  EXPECT_EQ(ends_.values().front().code, ec::cancelled);
}

}  // namespace argosy::testing
