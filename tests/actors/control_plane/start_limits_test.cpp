// SPDX-License-Identifier: Apache-2.0
// Goal: the limits of queues that come through the API hold jobs back, and so do rates of
// resources, also after a restart. Method: a control plane in virtual time; a scripted agent runs
// what it gets.
#include <gmock/gmock.h>

#include "runtime/scheduling/config.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct start_limits : control_plane_test {
  void begin(
      const std::function<void(scheduling::config&)>& change = [](auto&) {},
      scheduling::preset preset = scheduling::preset::argosy) {
    start([&](actors::root_config& with) {
      auto conf = scheduling::default_config(preset);
      change(conf);
      with.scheduling = std::make_shared<const scheduling::config>(conf);
    });
  }
  static api::Queue queue_of(const std::string& name) {
    api::Queue out;
    out.set_name(name);
    out.set_priority_factor(1);
    return out;
  }
  /// A queue whose jobs of all classes may use this part of the cpu of a pool.
  static api::Queue capped(double part) {
    auto out = queue_of("a");
    (*out.mutable_resource_limits())["cpu"] = part;
    return out;
  }
  void write(const std::string& method, const api::Queue& queue) {
    const auto done = call(method, queue);
    EXPECT_TRUE(done) << done.error().detail;
  }
  int running(const std::string& queue) { return count(queue, api::RUNNING); }
  /// Why the first of the queue's jobs that waits does so.
  std::string why(const std::string& queue) {
    for (const auto& each : jobs(queue))
      if (each.state() == api::QUEUED) return describe(each.job_id()).summary().reason();
    return "no job waits";
  }
};

TEST_F(start_limits, of_a_class_that_come_through_the_api_hold_its_jobs_back) {
  begin();
  auto limited = queue_of("a");
  auto& limit = (*limited.mutable_resource_limits_by_priority_class_name())["armada-preemptible"];
  (*limit.mutable_maximum_resource_fraction())["cpu"] = 0.25;
  write("Submit.CreateQueue", limited);
  add_agent("c", {node_of("n", 8)});
  submit("a", {.count = 4, .priority_class = "armada-preemptible"});
  pass(2s);
  EXPECT_EQ(running("a"), 2);
  EXPECT_THAT(why("a"), HasSubstr("all that it may for the job's priority class"));
  submit("a", {.count = 3});
  pass(2s);
  EXPECT_EQ(running("a"), 5) << "jobs of another class start";
}

TEST_F(start_limits, of_all_classes_together_hold_jobs_back_until_they_are_raised) {
  begin();
  write("Submit.CreateQueue", capped(0.5));
  create_queue("b");
  add_agent("c", {node_of("n", 8)});
  submit("a", {.count = 3, .priority_class = "armada-preemptible"});
  submit("a", {.count = 3});
  pass(2s);
  EXPECT_EQ(running("a"), 4);
  EXPECT_THAT(why("a"), HasSubstr("resourceLimits"));
  EXPECT_THAT(why("a"), HasSubstr("raised"));
  submit("b", {.count = 2});
  pass(2s);
  EXPECT_EQ(running("b"), 2) << "another queue is not held back";
  write("Submit.UpdateQueue", capped(0.625));
  pass(2s);
  EXPECT_EQ(running("a"), 5);
  write("Submit.UpdateQueue", capped(0.25));
  pass(2s);
  EXPECT_EQ(running("a"), 5) << "a lower limit ends nothing";
  write("Submit.UpdateQueue", queue_of("a"));
  pass(2s);
  EXPECT_EQ(running("a"), 6);
}

TEST_F(start_limits, of_all_classes_together_outlast_a_restart) {
  begin();
  write("Submit.CreateQueue", capped(0.25));
  crash();
  database = std::make_shared<store::memory_database>();
  begin();
  add_agent("c", {node_of("n", 8)});
  submit("a", {.count = 3});
  pass(2s);
  EXPECT_EQ(running("a"), 2);
}

TEST_F(start_limits, of_all_classes_together_do_nothing_under_preset_current) {
  begin([](auto&) {}, scheduling::preset::current);
  write("Submit.CreateQueue", capped(0.25));
  add_agent("c", {node_of("n", 8)});
  submit("a", {.count = 8});
  pass(2s);
  EXPECT_EQ(running("a"), 8);
}

TEST_F(start_limits, of_a_resource_let_so_much_start_in_a_time) {
  begin([](scheduling::config& conf) {
    conf.resource_rate = {{"cpu", 0.5}};
    conf.resource_burst = {{"cpu", 4.0}};
  });
  create_queue("a");
  add_agent("c", {node_of("n", 64)});
  submit("a", {.count = 6, .cpu = "3"});
  pass(1s);
  EXPECT_EQ(running("a"), 2) << "the second one takes more than there is";
  EXPECT_THAT(why("a"), HasSubstr("maximumResourceSchedulingRate"));
  pass(2s);
  EXPECT_EQ(running("a"), 2) << "2 cores are owed, which takes 4 seconds";
  pass(3s);
  EXPECT_EQ(running("a"), 3);
  pass(60s);
  EXPECT_EQ(running("a"), 6);
}

TEST_F(start_limits, of_a_resource_in_each_queue_outlast_a_restart) {
  const auto with_rate = [&] {
    begin([](scheduling::config& conf) {
      conf.queue_resource_rate = {{"cpu", 0.001}};
      conf.queue_resource_burst = {{"cpu", 2.0}};
    });
  };
  with_rate();
  create_queue("a");
  create_queue("b");
  auto& agent = add_agent("c", {node_of("n", 64)});
  submit("a", {.count = 6});
  submit("b", {.count = 1});
  pass(3s);
  EXPECT_EQ(agent->live.size(), 4U)
      << "three of a, of which the last one left a debt, and one of b";
  crash();
  with_rate();
  pass(30s);
  EXPECT_EQ(agent->live.size(), 4U) << "with its store";
  crash();
  database = std::make_shared<store::memory_database>();
  with_rate();
  pass(30s);
  EXPECT_EQ(agent->live.size(), 4U) << "from the log alone";
}

TEST_F(start_limits, of_all_pools_together_are_taken_in_turns) {
  begin([](scheduling::config& conf) {
    conf.rate = 5;
    conf.burst = 5;
  });
  create_queue("a");
  const auto& first = add_agent("c", {node_of("n", 200)}, "apool");
  const auto& last = add_agent("d", {node_of("n", 200)}, "zpool");
  submit("a", {.count = 300});
  pass(20s);
  EXPECT_GE(first->live.size() + last->live.size(), 95U);
  EXPECT_NEAR(static_cast<double>(first->live.size()), static_cast<double>(last->live.size()), 10);
}

}  // namespace argosy::tests
