// SPDX-License-Identifier: Apache-2.0
// Goal: a call for jobs with their specifications asks for all of them, and for less if that is not
// allowed, without anybody who waits. Method: a server on the bus in memory that refuses, or none.
#include <gtest/gtest.h>

#include <future>

#include "bins/argosyctl/client/bus_client.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/bus/in_memory.hpp"

namespace argosy::ctl {
namespace {

using namespace std::chrono_literals;

class whole_jobs : public ::testing::Test {
 protected:
  void serve(const std::string& subject, bus::frame_handler handler) {
    subscriptions_.push_back(server_->serve(subject, std::move(handler)).value());
  }

  bus::memory_broker broker_{{.manual_time = false}};
  std::shared_ptr<bus::connection> server_ = broker_.connect();
  std::shared_ptr<bus::connection> connection_ = broker_.connect();
  std::vector<bus::subscription> subscriptions_;
};

TEST_F(whole_jobs, asks_for_less_without_waiting_when_it_may_not_see_all) {
  constexpr std::string_view method = "Query.DescribeJob";
  int refused = 0;
  serve(access::whole_subject("ann", method), [&](const bus::frame& request) {
    ++refused;
    ASSERT_TRUE(server_->respond_error(request, {ec::denied, "for operators"}));
  });
  serve(access::api_subject("ann", method), [&](const bus::frame& request) {
    ASSERT_TRUE(server_->respond(request, "answer to " + request.data));
  });
  bus_client ann{connection_, {.timeout = 30s, .verb = "v", .on_waiting = {}, .user = "ann"}};
  for (const auto* question : {"one", "two"}) {
    std::promise<result<std::string>> answered;
    ann.start(method, question, [&](result<std::string> got) { answered.set_value(got); });
    auto answer = answered.get_future();
    ASSERT_EQ(answer.wait_for(20s), std::future_status::ready);
    EXPECT_EQ(answer.get().value(), std::string{"answer to "} + question);
  }
  EXPECT_EQ(refused, 1) << "it is not tried again";
}

TEST_F(whole_jobs, makes_one_attempt_without_waiting_for_what_operators_see) {
  bus_client ann{connection_, {.timeout = 60s, .verb = "v", .on_waiting = {}, .user = "ann"}};
  std::promise<result<std::string>> answered;
  ann.start("Query.DescribeJob", "x", [&](result<std::string> got) { answered.set_value(got); });
  auto answer = answered.get_future();
  ASSERT_EQ(answer.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(answer.get().error().code, ec::no_responders);
}

}  // namespace
}  // namespace argosy::ctl
