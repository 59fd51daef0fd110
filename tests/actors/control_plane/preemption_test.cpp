// SPDX-License-Identifier: Apache-2.0
// Goal: fairness and urgency take room through all actors, the room is used only when it is free,
// and every preset carries jobs to their ends.
// Method: full nodes, then a second queue or a higher class; agents that stop runs at once or not.
#include <gmock/gmock.h>

#include <set>

#include "messages/probes/round_probe.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using scheduling::preset;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct preemption : control_plane_test {
  explicit preemption(bool comes_back = false) {
    rules.queue_rules.requeue_preempted = comes_back;
    start();
    for (const auto* queue : {"a", "b", "c"}) create_queue(queue);
  }
};

struct preemption_for_a_while : preemption {
  preemption_for_a_while() : preemption(true) {}
};

TEST_F(preemption_for_a_while, lets_a_job_end_when_the_room_is_free_again) {
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto low = submit("a", {.count = 2, .priority_class = "armada-preemptible"});
  pass();
  const auto high = submit("a", {.cpu = "2"}).at(0);
  pass(10s);
  ASSERT_EQ(job(high).state(), api::RUNNING);
  for (const auto& id : low) {
    EXPECT_EQ(job(id).state(), api::QUEUED);
    EXPECT_EQ(job(id).run(), 1U);
  }
  agent.end(high, run_phase::succeeded);
  pass(10s);
  for (const auto& id : low) {
    EXPECT_EQ(job(id).state(), api::RUNNING);
    EXPECT_EQ(job(id).run(), 2U);
    agent.end(id, run_phase::succeeded);
  }
  pass();
  for (const auto& id : low) EXPECT_EQ(job(id).state(), api::SUCCEEDED);
}

TEST_F(preemption, higher_class_takes_the_room_of_a_lower_one) {
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto low = submit("a", {.count = 2, .priority_class = "armada-preemptible"});
  pass();
  agent->obeys_stops = false;
  const auto high = submit("a", {.cpu = "2"}).at(0);
  pass(10s);
  // The room is taken until the stopped runs have ended.
  EXPECT_EQ(job(high).state(), api::LEASED);
  EXPECT_EQ(agent.begun(high), 0);
  ASSERT_FALSE(agent->stops.empty());
  EXPECT_EQ(agent->stops[0].cause, model::stop_cause::preempt);
  agent.end(low[0], run_phase::stopped, {143, 15, "", ""});
  pass();
  EXPECT_EQ(agent.begun(high), 0);
  agent.end(low[1], run_phase::stopped, {143, 15, "", ""});
  pass();
  EXPECT_EQ(agent.begun(high), 1);
  EXPECT_EQ(job(high).state(), api::RUNNING);
  for (const auto& id : low) {
    EXPECT_EQ(job(id).state(), api::PREEMPTED);
    EXPECT_THAT(job(id).reason(), HasSubstr("priority class is higher"));
  }
}

TEST_F(preemption, by_somebody_ends_runs_of_preemptible_classes) {
  auto& agent = add_agent("c", {node_of("n", 3)});
  const auto low = submit("a", {.count = 2, .priority_class = "armada-preemptible"});
  pass();
  const auto firm = submit("b").at(0);
  agent.end(low[1], run_phase::succeeded);
  pass();
  ASSERT_EQ(job(firm).state(), api::RUNNING);
  api::JobPreemptRequest request;
  request.set_queue("a");
  request.set_job_set_id("set");
  request.set_reason("make room");
  for (const auto& id : low) request.add_job_ids(id);
  auto results = ask<api::PreemptionResult>("Submit.PreemptJobs", request).preemption_results();
  EXPECT_EQ(results.at(low[0]), "");
  EXPECT_THAT(results.at(low[1]), HasSubstr("it was not preempted"));
  pass();
  EXPECT_EQ(job(low[0]).state(), api::PREEMPTED);
  EXPECT_EQ(job(low[0]).reason(), "Preempted by anonymous - make room");
  request.set_queue("b");
  request.mutable_job_ids()->Clear();
  request.add_job_ids(firm);
  results = ask<api::PreemptionResult>("Submit.PreemptJobs", request).preemption_results();
  EXPECT_THAT(results.at(firm), HasSubstr("priority class may not be preempted"));
  EXPECT_EQ(job(firm).state(), api::RUNNING);
  request.mutable_job_ids()->Clear();
  EXPECT_EQ(ask<api::PreemptionResult>("Submit.PreemptJobs", request).preemption_results_size(), 0);
}

TEST_F(preemption, of_a_queue_takes_the_classes_and_pools_that_are_named) {
  add_agent("c", {node_of("n", 4)});
  const auto low = submit("a", {.count = 2, .priority_class = "armada-preemptible"});
  const auto firm = submit("a").at(0);
  pass();
  api::QueuePreemptRequest request;
  const auto preempt = [&] {
    ask<google::protobuf::Empty>("QueueService.PreemptOnQueue", request);
    pass();
  };
  request.set_name("a");
  request.add_pools("elsewhere");
  preempt();
  request.clear_pools();
  request.add_priorityclasses("armada-default");
  preempt();
  EXPECT_EQ(count("a", api::RUNNING), 3) << "no run is of these pools, or may be preempted";
  request.clear_priorityclasses();
  request.add_priorityclasses("nosuch");
  EXPECT_THAT(call("QueueService.PreemptOnQueue", request).error().detail,
              HasSubstr("there is no priority class 'nosuch'"));
  request.clear_priorityclasses();
  preempt();
  for (const auto& id : low) EXPECT_EQ(job(id).state(), api::PREEMPTED);
  EXPECT_EQ(job(firm).state(), api::RUNNING);
  request.set_name("nobody");
  EXPECT_EQ(call("QueueService.PreemptOnQueue", request).error().code, ec::not_found);
  request.set_name("");
  EXPECT_EQ(call("QueueService.PreemptOnQueue", request).error().code, ec::invalid_argument);
}

TEST_F(preemption, refuses_requests_that_say_too_little_or_too_much) {
  api::JobPreemptRequest request;
  request.set_queue("a");
  request.add_job_ids(std::string(26, '0'));
  EXPECT_EQ(call("Submit.PreemptJobs", request).error().code, ec::invalid_argument) << "no set";
  request.set_job_set_id("set");
  request.set_reason(std::string(51, 'x'));
  EXPECT_EQ(call("Submit.PreemptJobs", request).error().code, ec::invalid_argument);
  request.set_reason("");
  EXPECT_TRUE(call("Submit.PreemptJobs", request)) << "an unknown job is left alone";
  request.add_job_ids("no id");
  EXPECT_EQ(call("Submit.PreemptJobs", request).error().code, ec::invalid_argument);
  request.set_queue("nobody");
  request.mutable_job_ids()->RemoveLast();
  EXPECT_EQ(call("Submit.PreemptJobs", request).error().code, ec::not_found);
}

TEST_F(preemption, costs_a_queue_no_more_while_its_stopped_runs_end) {
  auto& agent = add_agent("c", {node_of("n1", 4), node_of("n2", 4)});
  submit("a", {.count = 8, .priority_class = "armada-preemptible"});
  pass();
  agent->obeys_stops = false;
  submit("c", {.cpu = "4"});
  pass(2s);
  const auto stopped = [&] {
    std::set<model::run_key> runs;
    for (const auto& stop : agent->stops) runs.insert(stop.run);
    return runs.size();
  };
  ASSERT_EQ(stopped(), 4U);
  // Four of a's runs go on; it is due as much as b.
  submit("b", {.count = 4, .priority_class = "armada-preemptible"});
  pass(5s);
  EXPECT_EQ(stopped(), 6U);
  EXPECT_EQ(count("b", api::LEASED), 2);
  EXPECT_EQ(count("b", api::QUEUED), 2);
}

TEST_F(preemption, default_class_is_not_preempted_for_balance) {
  add_agent("c", {node_of("n", 2)});
  submit("a", {.count = 2});
  pass();
  submit("b", {.count = 2});
  pass(5s);
  EXPECT_EQ(count("a", api::RUNNING), 2);
  EXPECT_EQ(count("b", api::QUEUED), 2);
}

/// Every preset carries jobs of two queues, a gang among them, to their ends.
struct presets : control_plane_test, ::testing::WithParamInterface<preset> {
  presets() {
    start([&](actors::root_config& with) {
      with.scheduling =
          std::make_shared<const scheduling::config>(scheduling::default_config(GetParam()));
      counters = with.probes->get<probes::round_probe>();
    });
    create_queue("a");
    create_queue("b");
  }
  ~presets() override {
    EXPECT_EQ(counters->failed.value(), 0u);
    EXPECT_EQ(counters->violations.value(), 0u);
  }
  /// Two nodes of four cores, full of jobs of queue a, and a gang of b that needs half of them.
  scripted_agent& fill_and_submit_gang() {
    auto& agent = add_agent("c", {node_of("n1", 4), node_of("n2", 4)});
    submit("a", {.count = 8, .priority_class = "armada-preemptible"});
    pass();
    EXPECT_EQ(count("a", api::RUNNING), 8);
    submit("b", {.count = 2,
                 .cpu = "2",
                 .priority_class = "armada-preemptible",
                 .gang = "g",
                 .cardinality = 2});
    pass(20s);
    return agent;
  }
  void end_what_runs(const scripted_agent& agent, const std::string& queue) {
    for (const auto& one : jobs(queue))
      if (one.state() == api::RUNNING) agent.end(one.job_id(), run_phase::succeeded);
    pass(2s);
  }

  std::shared_ptr<const probes::round_probe> counters;
};

struct presets_that_balance : presets {};
struct presets_that_draw_lots : presets {};

TEST_P(presets_that_balance, give_a_gang_its_share_and_run_all_to_their_ends) {
  auto& agent = fill_and_submit_gang();
  EXPECT_EQ(count("a", api::RUNNING), 4);
  EXPECT_EQ(count("a", api::PREEMPTED), 4);
  EXPECT_EQ(count("b", api::RUNNING), 2);
  for (const auto& one : jobs("a")) {
    if (one.state() != api::PREEMPTED) continue;
    EXPECT_THAT(one.reason(), HasSubstr("balance"));
  }
  end_what_runs(agent, "a");
  end_what_runs(agent, "b");
  EXPECT_EQ(count("a", api::SUCCEEDED), 4);
  EXPECT_EQ(count("b", api::SUCCEEDED), 2);
  EXPECT_EQ(agent->begun.size(), 10u);
  EXPECT_EQ(counters->preemptions.value(), 4u);
}

TEST_P(presets_that_balance, share_two_nodes_fairly) {
  auto& agent = add_agent("c", {node_of("n1", 32), node_of("n2", 32)});
  submit("a", {.count = 40, .priority_class = "armada-preemptible"});
  pass();
  EXPECT_EQ(count("a", api::RUNNING), 40);
  submit("b", {.count = 50, .priority_class = "armada-preemptible"});
  pass(20s);
  EXPECT_EQ(count("a", api::RUNNING), 32);
  EXPECT_EQ(count("a", api::PREEMPTED), 8);
  EXPECT_EQ(count("b", api::RUNNING), 32);
  EXPECT_EQ(count("b", api::QUEUED), 18);
  for (const auto& [name, node] : nodes()) EXPECT_EQ(node.runs(), 32U) << name;
  EXPECT_EQ(agent->begun.size(), 72U);
}

TEST_P(presets_that_draw_lots, preempt_nobody_and_run_all_to_their_ends) {
  auto& agent = fill_and_submit_gang();
  EXPECT_EQ(count("a", api::RUNNING), 8);
  EXPECT_EQ(count("b", api::QUEUED), 2);
  end_what_runs(agent, "a");
  EXPECT_EQ(count("b", api::RUNNING), 2);
  end_what_runs(agent, "b");
  EXPECT_EQ(count("a", api::SUCCEEDED), 8);
  EXPECT_EQ(count("b", api::SUCCEEDED), 2);
  EXPECT_EQ(counters->preemptions.value(), 0u);
}

std::string name_of(const ::testing::TestParamInfo<preset>& info) {
  return std::string{scheduling::to_string(info.param)};
}

INSTANTIATE_TEST_SUITE_P(each, presets_that_balance,
                         ::testing::Values(preset::argosy, preset::current, preset::unified,
                                           preset::classic),
                         name_of);
INSTANTIATE_TEST_SUITE_P(each, presets_that_draw_lots, ::testing::Values(preset::lottery), name_of);

}  // namespace argosy::tests
