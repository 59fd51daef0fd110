// SPDX-License-Identifier: Apache-2.0
// Goal: a call ends soon after the server that had it has gone, and never while that one serves.
// Method: a server on the bus in memory that keeps its answers, and scripted words on who serves.
#include "bins/argosyctl/client/call_watch.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <mutex>

#include "runtime/bus/in_memory.hpp"
#include "tests/support/bus/waiting.hpp"

namespace argosy::ctl {
namespace {

using namespace std::chrono_literals;
using testing::collector;
using testing::patience;

class call_watch_test : public ::testing::Test {
 protected:
  call_watch_test() {
    served = server->serve("a", [this](const bus::frame& asked) { questions.add(asked); }).value();
  }

  /// What comes of the questions who serves, in turn; the last one stays.
  call_watch::identity_source script(std::deque<result<std::string>> words) {
    auto left = std::make_shared<std::deque<result<std::string>>>(std::move(words));
    return [this, left](const call_watch::identity_handler& tell) {
      tell(left->front());
      if (left->size() > 1) left->pop_front();
      asked.add(0);
    };
  }
  void call(call_watch& watch) {
    watch.request("a", "", {}, patience, [this](result<bus::frame> got) { ends.add(got); });
  }

  bus::memory_broker broker{{.manual_time = false}};
  std::shared_ptr<bus::connection> server = broker.connect();
  bus::subscription served;
  collector<bus::frame> questions;
  collector<int> asked;
  collector<result<bus::frame>> ends;
};

TEST_F(call_watch_test, ends_a_call_when_nobody_served_for_a_moment) {
  call_watch watch{broker.connect(), script({fail(ec::no_responders, "nobody"), "one"})};
  call(watch);
  ASSERT_TRUE(ends.wait_for(1));
  EXPECT_EQ(ends.values()[0].error().code, ec::unreachable);
}

TEST_F(call_watch_test, ends_a_call_when_another_process_serves) {
  call_watch watch{broker.connect(), script({"one", "one", "two"})};
  call(watch);
  ASSERT_TRUE(ends.wait_for(1));
  EXPECT_EQ(ends.values()[0].error().code, ec::unreachable);
  EXPECT_TRUE(asked.wait_for(3));
}

TEST_F(call_watch_test, leaves_a_call_alone_while_the_same_process_serves) {
  call_watch watch{broker.connect(), script({fail(ec::timeout, "busy"), "one"})};
  call(watch);
  ASSERT_TRUE(asked.wait_for(4));
  EXPECT_TRUE(ends.values().empty());
  ASSERT_TRUE(server->respond(questions.values()[0], "yes"));
  ASSERT_TRUE(ends.wait_for(1));
  EXPECT_EQ(ends.values()[0].value().data, "yes");
}

TEST_F(call_watch_test, leaves_a_call_alone_whose_process_was_cut_off_for_a_moment) {
  call_watch watch{broker.connect(), script({"one", fail(ec::no_responders, "nobody"), "one"})};
  call(watch);
  ASSERT_TRUE(asked.wait_for(4));
  EXPECT_TRUE(ends.values().empty());
  ASSERT_TRUE(server->respond(questions.values()[0], "yes"));
  ASSERT_TRUE(ends.wait_for(1));
  EXPECT_EQ(ends.values()[0].value().data, "yes");
}

TEST_F(call_watch_test, does_not_ask_for_a_call_that_is_answered_soon) {
  call_watch watch{broker.connect(), script({"one"})};
  call(watch);
  ASSERT_TRUE(questions.wait_for(1));
  ASSERT_TRUE(server->respond(questions.values()[0], "yes"));
  ASSERT_TRUE(ends.wait_for(1));
  EXPECT_TRUE(asked.values().empty());
}

}  // namespace
}  // namespace argosy::ctl
