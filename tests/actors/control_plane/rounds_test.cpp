// SPDX-License-Identifier: Apache-2.0
// Goal: the COORDINATOR keeps between rounds what it should (tokens, short jobs, usage), applies
// settings by pool, and handles a plan that fails its self-check. Method: a control plane in
// virtual time, with rounds that are looked at or tampered with on their way.
#include <gmock/gmock.h>

#include <set>

#include "messages/probes/round_probe.hpp"
#include "runtime/scheduling/snap1.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct rounds : control_plane_test {
  /// Begins with rounds that are decided as usual, and remembered.
  void begin(const std::function<void(scheduling::config&)>& change,
             const std::map<std::string, std::function<void(scheduling::config&)>>& pools = {}) {
    start([&](actors::root_config& with) {
      auto conf = scheduling::default_config();
      change(conf);
      with.scheduling = std::make_shared<const scheduling::config>(conf);
      for (const auto& [pool, own] : pools) {
        auto copy = conf;
        own(copy);
        with.rounds.pools[pool] = std::make_shared<const scheduling::config>(std::move(copy));
      }
      with.rounds.decide = [this](const native::round_request& request) {
        seen.push_back(request.params);
        return scheduling::schedule(*request.snapshot, *request.config, request.params);
      };
      counters = with.probes->get<probes::round_probe>();
    });
  }
  int running(const std::string& queue) { return count(queue, api::RUNNING); }

  std::vector<scheduling::round_params> seen;
  std::shared_ptr<const probes::round_probe> counters;
};

TEST_F(rounds, start_jobs_at_the_rate_that_is_configured) {
  begin([](scheduling::config& conf) {
    conf.rate = 2;
    conf.burst = 3;
  });
  create_queue("a");
  add_agent("c", {node_of("n", 32)});
  submit("a", {.count = 10});
  pass();
  EXPECT_EQ(running("a"), 3);
  pass(1s);
  const auto after_one = running("a");
  EXPECT_GE(after_one, 4);
  EXPECT_LE(after_one, 6);
  // Nothing happens meanwhile, so that time alone brings the rest.
  pass(4s);
  EXPECT_EQ(running("a"), 10);
  EXPECT_EQ(counters->leases.value(), 10u);
}

TEST_F(rounds, start_jobs_of_each_queue_at_its_rate) {
  begin([](scheduling::config& conf) {
    conf.queue_rate = 0.1;
    conf.queue_burst = 2;
  });
  create_queue("a");
  create_queue("b");
  add_agent("c", {node_of("n", 32)});
  submit("a", {.count = 5});
  submit("b", {.count = 1});
  pass(1s);
  EXPECT_EQ(running("a"), 2);
  EXPECT_EQ(running("b"), 1);
  submit("b", {.count = 2});
  pass(1s);
  EXPECT_EQ(running("b"), 2);
  pass(15s);
  EXPECT_EQ(running("a"), 3);
  EXPECT_EQ(running("b"), 3);
}

TEST_F(rounds, preempt_for_balance_at_the_rate_that_is_configured) {
  begin([](scheduling::config& conf) {
    conf.preemption_rate = 0.1;
    conf.preemption_burst = 2;
  });
  create_queue("a");
  create_queue("b");
  add_agent("c", {node_of("n", 8)});
  submit("a", {.count = 8, .priority_class = "armada-preemptible"});
  pass(1s);
  ASSERT_EQ(running("a"), 8);
  submit("b", {.count = 8, .priority_class = "armada-preemptible"});
  pass(5s);
  EXPECT_EQ(count("a", api::PREEMPTED), 2);
  pass(20s);
  EXPECT_EQ(count("a", api::PREEMPTED), 4);
  pass(60s);
  EXPECT_EQ(count("a", api::PREEMPTED), 4);  // Both queues have their share now.
}

TEST_F(rounds, of_a_pool_follow_its_own_settings) {
  begin([](scheduling::config&) {},
        {{"closed", [](scheduling::config& conf) { conf.unscheduled_resources = {"cpu"}; }}});
  create_queue("a");
  add_agent("c", {node_of("n", 8)}, "closed");
  submit("a", {.count = 3});
  pass(5s);
  EXPECT_EQ(running("a"), 0);
  add_agent("d", {node_of("n", 2)});
  pass(5s);
  EXPECT_EQ(running("a"), 2);
  EXPECT_EQ(nodes().at("c/n").runs(), 0u);
}

TEST_F(rounds, use_the_nodes_of_away_pools) {
  begin([](scheduling::config&) {},
        {{"home", [](scheduling::config& conf) { conf.away_pools = {"lender"}; }},
         {"lender", [](scheduling::config& conf) {
            conf.guest_pools = {"home"};
            conf.max_new_decisions = 1;
          }}});
  create_queue("a");
  auto& lender = add_agent("l", {node_of("n", 4)}, "lender");
  submit("a", {.count = 1, .cpu = "3", .priority_class = "armada-preemptible"});
  pass(5s);
  // The lender's own round comes first, and the pool without nodes takes what is left.
  ASSERT_EQ(running("a"), 1);
  const auto guest = submit("a", {.cpu = "1", .priority_class = "armada-preemptible"}).at(0);
  pass(5s);
  EXPECT_EQ(running("a"), 2);
  EXPECT_EQ(lender.begun(guest), 1);
  std::set<std::string> pools;
  for (const auto& params : seen) pools.insert(params.pool);
  EXPECT_EQ(pools, (std::set<std::string>{"home", "lender"}));
}

TEST_F(rounds, count_short_jobs_until_the_cutoff) {
  begin([](scheduling::config& conf) { conf.short_job_cutoff_ns = 60'000'000'000; });
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 8)});
  const auto id = submit("a").at(0);
  pass(2s);
  agent.end(id, run_phase::succeeded);
  pass(1s);
  submit("a");
  pass(1s);
  ASSERT_FALSE(seen.empty());
  ASSERT_EQ(seen.back().penalties.size(), 1u);
  EXPECT_EQ(seen.back().penalties[0].first, "a");
  pass(60s);
  submit("a");
  pass(1s);
  EXPECT_TRUE(seen.back().penalties.empty());
}

TEST_F(rounds, weigh_queues_by_usage_that_fades) {
  begin([](scheduling::config& conf) {
    conf.usage_priority = true;
    conf.usage_half_time_ns = 10'000'000'000;
  });
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  submit("a", {.count = 4});
  pass(10s);
  submit("a");
  pass(1s);
  ASSERT_FALSE(seen.empty());
  ASSERT_EQ(seen.back().usage_priority.size(), 1u);
  EXPECT_EQ(seen.back().usage_priority[0].first, "a");
  EXPECT_GT(seen.back().usage_priority[0].second, 1.5);
}

TEST_F(rounds, forget_usage_while_nothing_runs) {
  begin([](scheduling::config& conf) {
    conf.usage_priority = true;
    conf.usage_half_time_ns = 10'000'000'000;
  });
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 8)});
  const auto ids = submit("a", {.count = 4});
  pass(10s);
  for (const auto& id : ids) agent.end(id, run_phase::succeeded);
  pass(20s);
  submit("a");
  pass(1s);
  // It came up to 2 at most, and has faded by three quarters since.
  ASSERT_EQ(seen.back().usage_priority.size(), 1u);
  EXPECT_LT(seen.back().usage_priority[0].second, 1.0);
}

TEST_F(rounds, draw_again_where_no_node_was_drawn) {
  begin([](scheduling::config& conf) { conf.eviction_probability = 0.1; });
  create_queue("a");
  create_queue("b");
  add_agent("c", {node_of("n", 4)});
  submit("a", {.count = 4, .priority_class = "armada-preemptible"});
  pass();
  submit("b", {.count = 2, .priority_class = "armada-preemptible"});
  pass();
  ASSERT_EQ(running("b"), 0);
  // Nothing happens meanwhile but the draws of further rounds.
  pass(60s);
  EXPECT_EQ(running("a"), 2);
  EXPECT_EQ(running("b"), 2);
}

struct lasting_rounds : control_plane_test {
  std::shared_ptr<const probes::round_probe> counters;
};

TEST_F(lasting_rounds, keep_what_they_know_of_a_pool_also_while_it_has_no_jobs) {
  start([&](actors::root_config& with) { counters = with.probes->get<probes::round_probe>(); });
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 8)});
  for (int i = 0; i < 3; ++i) {
    const auto id = submit("a").at(0);
    pass(500ms);
    ASSERT_EQ(job(id).state(), api::RUNNING);
    agent.end(id, run_phase::succeeded);
    pass(5s);
    ASSERT_EQ(job(id).state(), api::SUCCEEDED);
  }
  EXPECT_GE(counters->decided.value(), 3u);
  EXPECT_EQ(counters->made_anew.value(), 1u);
  EXPECT_EQ(counters->differences.value(), 0u);
}

struct discarded_rounds : control_plane_test {
  std::size_t to_discard = 1;
  std::vector<std::string> kept;
  std::shared_ptr<const probes::round_probe> counters;

  void begin() {
    start([&](actors::root_config& with) {
      with.rounds.abort_on_violation = false;
      with.rounds.decide = [this](const native::round_request& request) {
        auto plan = scheduling::schedule(*request.snapshot, *request.config, request.params);
        if (to_discard == 0) return plan;
        --to_discard;
        plan = {};
        plan.violation = "node 'n' was given more cpu than it has";
        return plan;
      };
      with.rounds.keep = [this](const native::round_request& request, const std::string&) {
        kept.push_back(scheduling::write_snap1(*request.snapshot, *request.config, request.params));
      };
      counters = with.probes->get<probes::round_probe>();
    });
  }
};

TEST_F(discarded_rounds, start_nothing_are_saved_and_counted) {
  begin();
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  const auto id = submit("a").at(0);
  pass(500ms);
  EXPECT_EQ(job(id).state(), api::QUEUED);
  EXPECT_EQ(counters->violations.value(), 1u);
  EXPECT_EQ(counters->decided.value(), 0u);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_THAT(describe(id).DebugString(), HasSubstr("was given more cpu than it has"));
  // The file is decided as the round would have been.
  const auto world = scheduling::read_snap1(kept[0], scheduling::default_config());
  ASSERT_TRUE(world) << world.error().detail;
  const auto plan = scheduling::schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(plan.leases.size(), 1u);
}

TEST_F(discarded_rounds, do_not_stop_the_rounds_after_them) {
  begin();
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  const auto id = submit("a").at(0);
  pass(1s);
  const auto next = submit("a").at(0);
  pass(1s);
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(job(next).state(), api::RUNNING);
  EXPECT_GE(counters->decided.value(), 1u);
  EXPECT_EQ(counters->violations.value(), 1u);
  EXPECT_EQ(failures, std::vector<std::string>{});
}

TEST_F(discarded_rounds, are_tried_again_though_nothing_changed) {
  begin();
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  const auto id = submit("a").at(0);
  pass(500ms);
  ASSERT_EQ(job(id).state(), api::QUEUED);
  pass(2s);
  EXPECT_EQ(job(id).state(), api::RUNNING);
}

TEST_F(discarded_rounds, come_again_once_in_a_period) {
  to_discard = 1000;
  begin();
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  submit("a");
  pass(10s);
  EXPECT_GE(counters->violations.value(), 9u);
  EXPECT_LE(counters->violations.value(), 12u);
}

struct failed_rounds : control_plane_test {
  /// Begins with `broken` deciding the first round that has a job to place.
  void begin(const std::function<scheduling::plan()>& broken) {
    start([&](actors::root_config& with) {
      with.cycle.round_timeout = 500ms;
      with.rounds.decide = [this, broken](const native::round_request& request) {
        auto plan = scheduling::schedule(*request.snapshot, *request.config, request.params);
        if (plan.leases.empty()) return plan;
        seeds.push_back(request.params.seed);
        return seeds.size() == 1 ? broken() : plan;
      };
    });
    create_queue("a");
    add_agent("c", {node_of("n", 8)});
  }
  void expect_another() {
    const auto id = submit("a").at(0);
    pass(500ms);
    EXPECT_EQ(job(id).state(), api::QUEUED);
    pass(2s);
    EXPECT_EQ(job(id).state(), api::RUNNING);
    ASSERT_EQ(seeds.size(), 2u);
    EXPECT_NE(seeds[0], seeds[1]) << "a round of the same number would fail as the first did";
  }

  std::vector<std::uint64_t> seeds;
};

TEST_F(failed_rounds, of_an_error_are_followed_by_another) {
  begin([] {
    scheduling::plan plan;
    plan.error = "no such thing";
    return plan;
  });
  expect_another();
}

TEST_F(failed_rounds, of_too_long_a_time_are_followed_by_another) {
  begin([this] {
    scheduler.advance_time(600ms);
    return scheduling::plan{};
  });
  expect_another();
}

/// Has a round that takes longer than it may, while jobs come and cycles are due.
struct late_rounds : control_plane_test {
  void begin() {
    start([&](actors::root_config& with) {
      with.cycle.round_timeout = 500ms;
      with.rounds.decide = [this](const native::round_request& request) {
        ++deciding;
        most_at_once = std::max(most_at_once, deciding);
        if (late_ones > 0 && request.snapshot->queued_count() > 0) {
          --late_ones;
          const auto before = scheduling::write_snap1(*request.snapshot, *request.config, {});
          client->request("argosy.api.Submit.SubmitJobs", make_submit("a").SerializeAsString(), {},
                          60s, [](const result<bus::frame>&) {});
          advance(3s);
          EXPECT_EQ(scheduling::write_snap1(*request.snapshot, *request.config, {}), before)
              << "a round reads it";
        }
        --deciding;
        return scheduling::schedule(*request.snapshot, *request.config, request.params);
      };
      counters = with.probes->get<probes::round_probe>();
    });
    create_queue("a");
    add_agent("c", {node_of("n", 8)});
  }

  int late_ones = 0;
  int deciding = 0;
  int most_at_once = 0;
  std::shared_ptr<const probes::round_probe> counters;
};

TEST_F(late_rounds, are_waited_for_and_thrown_away) {
  begin();
  late_ones = 2;
  submit("a");
  pass(5s);
  pass(2s);
  EXPECT_EQ(late_ones, 0);
  EXPECT_EQ(most_at_once, 1);
  EXPECT_EQ(counters->failed.value(), 2U);
  EXPECT_EQ(count("a", api::RUNNING), 3) << "a round in time comes after them";
}

}  // namespace argosy::tests
