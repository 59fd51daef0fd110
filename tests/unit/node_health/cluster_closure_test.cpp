// SPDX-License-Identifier: Apache-2.0
// Goal: where a cluster refuses a namespace to everybody, rounds place nothing for a while, no run
// is sent in vain but the one that tries, and nothing that waits is lost. What the log says of it
// changes only when a namespace is closed or opened, and the next leader has one run try each.
// Method: a cluster_core that is told of refusals as an agent tells of them, and another one after
// it with its records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "runtime/ledger/health/closures.hpp"
#include "runtime/ledger/retry/retry_shape.hpp"
#include "runtime/model/affinity.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/served_namespaces.hpp"
#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {

namespace {

using namespace std::chrono_literals;
using model::run_phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

struct closed_cluster : ::testing::Test {
  closed_cluster() { static_cast<void>(q.hello()); }

  static model::start_run order(std::uint64_t number, const char* name_space = "jobs") {
    auto out = start_of(number);
    out.requests = {{"cpu", 1}};
    out.name_space = name_space;
    return out;
  }
  void start(std::uint64_t number, const char* name_space = "jobs") {
    q.start({order(number, name_space)});
  }
  void report(std::uint64_t number, model::run_phase phase, model::run_outcome outcome = {}) {
    model::run_report item;
    item.sequence = ++sequence;
    item.run = run_of(number);
    item.phase = phase;
    item.outcome = std::move(outcome);
    ASSERT_TRUE(q.take(q.core.reports(
        {"c", q.hello_message.cluster.incarnation, {item}, q.hello_message.cluster.process},
        q.now)));
  }
  void refuse(std::uint64_t number, const char* kind = "quota") {
    report(number, model::run_phase::refused,
           {std::nullopt, 0, model::reason_cluster_refused, "exceeded quota: q", kind});
  }
  /// The taint by which nodes tell of namespaces, as the NODEs heard it last; "-": nothing new.
  std::string told() const {
    const auto all = q.effects<set_nodes>();
    if (all.empty()) return "-";
    for (const auto& spot : all.back().nodes.at(0).taints)
      if (spot.key == model::namespaces_taint) return spot.value;
    return "";
  }

  cluster_driver q;
  std::uint64_t sequence = 0;
};

TEST_F(closed_cluster, tells_its_nodes_which_namespace_is_shut) {
  start(1);
  refuse(1);
  EXPECT_EQ(told(), "!jobs");
  EXPECT_EQ(q.core.all_closures().all().at(0).why, "exceeded quota: q");
  q.over(1);
  q.tick(999ms);
  EXPECT_EQ(told(), "-");
  q.tick(1ms);
  EXPECT_EQ(told(), "?c/jobs/1") << "it is tried";
}

TEST_F(closed_cluster, gives_back_what_comes_for_a_namespace_that_is_shut) {
  start(1);
  refuse(1);
  start(2);
  EXPECT_THAT(q.started(), IsEmpty()) << "its agent never hears of it";
  ASSERT_EQ(q.forwarded().size(), 1U);
  EXPECT_EQ(q.forwarded()[0].phase, run_phase::refused);
  EXPECT_EQ(q.forwarded()[0].outcome.category, "quota");
  EXPECT_EQ(q.forwarded()[0].outcome.message, "exceeded quota: q");
  start(3, "others");
  EXPECT_THAT(q.started(), ElementsAre(run_of(3)));
}

TEST_F(closed_cluster, sends_one_run_that_tries_and_the_others_when_it_is_taken) {
  start(1);
  refuse(1, "rights");
  q.over(1);
  q.tick(1s);
  start(2);
  EXPECT_THAT(q.started(), ElementsAre(run_of(2)));
  start(3);
  start(4);
  EXPECT_THAT(q.started(), IsEmpty());
  EXPECT_THAT(q.forwarded(), IsEmpty());
  report(2, run_phase::pending);
  EXPECT_EQ(told(), "") << "it is open";
  EXPECT_THAT(q.started(), ElementsAre(run_of(3), run_of(4)));
}

TEST_F(closed_cluster, sends_twice_as_many_when_its_quota_took_one) {
  start(1);
  refuse(1);
  q.over(1);
  q.tick(1s);
  for (std::uint64_t number = 2; number < 9; ++number) start(number);
  report(2, run_phase::pending);
  EXPECT_EQ(told(), "?c/jobs/2");
  EXPECT_THAT(q.started(), ElementsAre(run_of(3), run_of(4)));
  report(3, run_phase::pending);
  EXPECT_EQ(told(), "-");
  report(4, run_phase::pending);
  EXPECT_EQ(told(), "?c/jobs/4");
  EXPECT_EQ(q.started().size(), 4U);
}

TEST_F(closed_cluster, gives_back_those_that_wait_when_the_one_that_tries_is_refused) {
  start(1);
  refuse(1);
  q.over(1);
  q.tick(1s);
  start(2);
  start(3);
  refuse(2);
  EXPECT_EQ(told(), "!jobs");
  ASSERT_EQ(q.forwarded().size(), 2U);
  EXPECT_EQ(q.forwarded()[1].run, run_of(3));
  EXPECT_EQ(q.forwarded()[1].outcome.reason, model::reason_cluster_refused);
}

TEST_F(closed_cluster, lets_the_next_run_try_when_the_first_is_cancelled) {
  start(1);
  refuse(1);
  q.over(1);
  q.tick(1s);
  start(2);
  start(3);
  q.over(2);
  EXPECT_THAT(q.started(), ElementsAre(run_of(3)));
}

TEST_F(closed_cluster, is_not_closed_by_what_is_refused_to_one_run) {
  start(1);
  report(1, run_phase::refused, {std::nullopt, 0, model::reason_cluster_refused, "no"});
  EXPECT_EQ(told(), "-");
  start(2);
  EXPECT_THAT(q.started(), ElementsAre(run_of(2)));
}

TEST_F(closed_cluster, is_not_closed_by_a_job_that_is_larger_than_a_quota) {
  const model::run_outcome large{std::nullopt, 0, model::reason_cluster_refused,
                                 "exceeded quota: q", model::refusal_above_quota};
  start(1);
  report(1, run_phase::refused, large);
  EXPECT_EQ(told(), "-");
  EXPECT_EQ(q.forwarded().at(0).outcome.reason, model::reason_cluster_refused)
      << "no other cluster serves its namespace";
  q.core.set_other_servers([](const std::string& name) {
    using names = std::vector<model::cluster_name>;
    return name == "jobs" ? names{"d", "e"} : names{};
  });
  start(2);
  report(2, run_phase::refused, large);
  const auto outcome = q.forwarded().at(0).outcome;
  EXPECT_EQ(outcome.reason, model::reason_refused_here);
  EXPECT_EQ(outcome.reach, in_clusters({"d", "e"}));
  EXPECT_EQ(outcome.category, model::refusal_above_quota);
}

TEST_F(closed_cluster, sends_elsewhere_what_its_admission_refuses) {
  const model::run_outcome denied{std::nullopt, 0, model::reason_cluster_refused, "denied",
                                  model::refusal_by_admission};
  start(1);
  report(1, run_phase::refused, denied);
  EXPECT_EQ(told(), "-") << "others are taken";
  EXPECT_EQ(q.forwarded().at(0).outcome.reason, model::reason_cluster_refused);
  q.core.set_other_servers(
      [](const std::string&) { return std::vector<model::cluster_name>{"d"}; });
  start(2);
  report(2, run_phase::refused, denied);
  const auto outcome = q.forwarded().at(0).outcome;
  EXPECT_EQ(outcome.reason, model::reason_refused_here);
  EXPECT_EQ(outcome.reach, in_clusters({"d"}));
}

TEST_F(closed_cluster, sends_elsewhere_what_it_does_not_have) {
  model::run_outcome missing{std::nullopt, 0, model::reason_cannot_begin, "claim 'x' not found"};
  missing.reach = model::outside_of("c");
  start(1);
  report(1, run_phase::failed, missing);
  EXPECT_TRUE(q.forwarded().at(0).outcome.reach.empty()) << "no other serves its namespace";
  q.core.set_other_servers(
      [](const std::string&) { return std::vector<model::cluster_name>{"d"}; });
  start(2);
  report(2, run_phase::failed, missing);
  EXPECT_EQ(q.forwarded().at(0).outcome.reason, model::reason_cannot_begin);
  EXPECT_EQ(q.forwarded().at(0).outcome.reach, in_clusters({"d"}));
  missing.reason = model::reason_cluster_refused;
  start(3);
  report(3, run_phase::refused, missing);
  EXPECT_EQ(q.forwarded().at(0).outcome.reason, model::reason_refused_here);
  EXPECT_EQ(q.forwarded().at(0).outcome.reach, in_clusters({"d"}));
  start(4);
  report(4, run_phase::failed, {1, 0, "Error", "", model::refusal_by_admission});
  EXPECT_EQ(q.forwarded().at(0).outcome.reason, "Error") << "a category of the operator's own";
  EXPECT_EQ(told(), "-") << "others are taken";
}

TEST_F(closed_cluster, counts_refusals_against_their_jobs_when_too_many_namespaces_are_shut) {
  for (std::uint64_t number = 1; number <= 64; ++number) {
    start(number, ("made-up-" + std::to_string(number)).c_str());
    refuse(number);
    ASSERT_EQ(q.forwarded().at(0).outcome.category, "quota");
  }
  const auto full = told();
  EXPECT_LE(full.size(), 64U * 12U);
  start(65, "one-more");
  refuse(65);
  EXPECT_EQ(told(), "-") << "nodes hear nothing of it";
  ASSERT_EQ(q.forwarded().size(), 1U);
  EXPECT_EQ(q.forwarded()[0].outcome.reason, model::reason_cluster_refused);
  EXPECT_EQ(q.forwarded()[0].outcome.category, "");
  EXPECT_EQ(q.forwarded()[0].outcome.message, "exceeded quota: q");
  start(66, "one-more");
  EXPECT_THAT(q.started(), ElementsAre(run_of(66))) << "it is not shut";
}

TEST_F(closed_cluster, is_closed_for_jobs_with_services_where_their_quota_is_full) {
  const auto with_services = [&](std::uint64_t number) {
    auto out = order(number);
    out.attached = {"services"};
    q.start({out});
  };
  with_services(1);
  refuse(1, "quota/services");
  EXPECT_EQ(told(), "!jobs+services");
  EXPECT_EQ(q.forwarded().at(0).outcome.category, "quota/services") << "it does not count";
  EXPECT_EQ(q.core.all_closures().all().at(0).kind, "quota");
  q.over(1);
  with_services(2);
  EXPECT_THAT(q.started(), IsEmpty());
  EXPECT_EQ(q.forwarded().at(0).outcome.message, "exceeded quota: q");
  start(3);
  EXPECT_THAT(q.started(), ElementsAre(run_of(3))) << "it has none";
  q.over(2);
  q.tick(1s);
  EXPECT_EQ(told(), "?c/jobs+services/1");
  with_services(4);
  EXPECT_THAT(q.started(), ElementsAre(run_of(4)));
  with_services(5);
  EXPECT_THAT(q.started(), IsEmpty());
  start(6);
  EXPECT_THAT(q.started(), ElementsAre(run_of(6)));
  report(6, run_phase::pending);
  EXPECT_EQ(told(), "-") << "it says nothing of services";
  report(4, run_phase::pending);
  EXPECT_EQ(told(), "?c/jobs+services/2");
  EXPECT_THAT(q.started(), ElementsAre(run_of(5)));
}

TEST_F(closed_cluster, is_closed_for_an_owner_who_lacks_a_right) {
  const auto by = [&](std::uint64_t number, const char* owner) {
    auto out = order(number);
    out.owner = owner;
    q.start({out});
  };
  by(1, "alice");
  refuse(1, "rights/@");
  EXPECT_EQ(told(), "!jobs+@alice");
  by(2, "bob");
  EXPECT_THAT(q.started(), ElementsAre(run_of(2)));
  by(3, "alice");
  EXPECT_THAT(q.started(), IsEmpty());
  EXPECT_EQ(q.forwarded().at(0).run, run_of(3));
}

TEST_F(closed_cluster, is_closed_for_all_where_many_owners_lack_a_right) {
  for (std::uint64_t number = 1; number <= 65; ++number) {
    auto out = order(number);
    out.owner = "user" + std::to_string(number);
    q.start({out});
    refuse(number, "rights/@");
    ASSERT_EQ(q.forwarded().at(0).outcome.category, "rights/@") << number;
  }
  EXPECT_THAT(told(), ::testing::HasSubstr("!jobs|")) << "it is hardly a matter of each";
}

TEST_F(closed_cluster, counts_a_refusal_that_does_not_fit_its_run) {
  start(1);
  refuse(1, "quota/services");
  EXPECT_EQ(told(), "-");
  EXPECT_EQ(q.forwarded().at(0).outcome.category, "");
}

TEST_F(closed_cluster, serves_the_namespaces_of_its_agent) {
  q.hello_message.cluster.namespaces = {"jobs", "team-*"};
  ASSERT_TRUE(q.hello());
  EXPECT_EQ(told(), "jobs|team-*");
  start(1, "team-a");
  refuse(1);
  EXPECT_EQ(told(), "jobs|team-*|!team-a");
  q.hello_message.cluster.namespaces = {};
  ASSERT_TRUE(q.hello());
  EXPECT_EQ(told(), "!team-a");
}

TEST_F(closed_cluster, has_jobs_avoid_a_node_only_where_others_would_do) {
  const model::run_outcome here{std::nullopt, 0, model::reason_refused_here, "volume elsewhere"};
  start(1);
  report(1, run_phase::refused, here);
  EXPECT_EQ(q.forwarded().at(0).outcome.reason, model::reason_cluster_refused)
      << "there is one other node";
  auto elsewhere = here;
  elsewhere.reach = {{{"zone", model::affinity_rule::op::in, {"a"}}}};
  ASSERT_TRUE(q.hello({{run_of(1), "q", run_phase::refused, "n1"}}));
  start(9);
  report(9, run_phase::refused, elsewhere);
  EXPECT_EQ(q.forwarded().at(0).outcome.reason, model::reason_refused_here)
      << "it is known where it goes";
  for (const auto* name : {"n3", "n4", "n5", "n6"})
    q.hello_message.nodes.push_back(node_named(name));
  ASSERT_TRUE(q.hello({{run_of(1), "q", run_phase::refused, "n1"}}));
  start(2);
  report(2, run_phase::refused, here);
  EXPECT_EQ(q.forwarded().at(0).outcome.reason, model::reason_refused_here);
  for (auto& node : q.hello_message.nodes)
    if (node.name != "n1") node.taints = {{"gpu", "", "NoSchedule"}};
  ASSERT_TRUE(q.hello(
      {{run_of(1), "q", run_phase::refused, "n1"}, {run_of(2), "q", run_phase::refused, "n1"}}));
  start(3);
  report(3, run_phase::refused, here);
  EXPECT_EQ(q.forwarded().at(0).outcome.reason, model::reason_cluster_refused)
      << "nobody knows whether the job tolerates that";
}

TEST(closure_records, let_the_next_leader_begin_with_them) {
  boot_time now = 1h;
  closures c;
  const auto run = [](std::uint64_t number) {
    return model::run_key{ulid_from_hash(1, 0, number), 1};
  };
  EXPECT_THAT(c.record({}), IsEmpty());
  c.refused("jobs", run(1), "quota", "no", 7, now);
  const auto record = c.record({});
  ASSERT_EQ(record.size(), 1U);
  auto known = record;
  known[0].why = "as it was then";
  EXPECT_EQ(c.record(known), known) << "the log is not written again for other words";
  now += 1s;
  c.tick(now);
  EXPECT_EQ(c.record(record), record) << "a closure that is tried is one";
  closures next;
  next.restore(record);
  EXPECT_THAT(next.tried(), ElementsAre(Pair("jobs", 1)));
  EXPECT_TRUE(next.all().at(0).tried);
  EXPECT_EQ(next.all()[0].why, "no");
  EXPECT_EQ(next.all()[0].since_ns, 7);
  next.sent("jobs", run(2));
  next.refused("jobs", run(2), "quota", "no", 9, now);
  EXPECT_THAT(next.shut(), ElementsAre("jobs"));
  EXPECT_EQ(next.all().at(0).since_ns, 7);
  next.restore({});
  EXPECT_THAT(next.all(), IsEmpty());
}

TEST_F(closed_cluster, is_tried_by_one_run_under_the_next_leader_too) {
  start(1);
  refuse(1, "namespace");
  q.over(1);
  q.tick(1s);
  ASSERT_TRUE(q.knows("cluster_joined")) << "the log says so";
  ASSERT_EQ(q.core.info().closed.size(), 1U);
  q.tick(1s);
  EXPECT_TRUE(q.last_events.empty()) << "it says so once";
  q.next_leader({});
  EXPECT_EQ(told(), "?c/jobs/1") << "rounds know it from the beginning";
  EXPECT_EQ(q.core.all_closures().all().at(0).why, "exceeded quota: q");
  ASSERT_TRUE(q.hello());
  EXPECT_EQ(q.core.info().closed.size(), 1U) << "an agent that comes anew does not open it";
  sequence = 0;
  for (std::uint64_t number = 2; number < 9; ++number) start(number);
  EXPECT_EQ(q.started().size(), 0U);
  report(2, run_phase::pending);
  EXPECT_EQ(told(), "");
  q.tick(1s);
  EXPECT_TRUE(q.core.info().closed.empty());
  q.next_leader({});
  EXPECT_EQ(told(), "");
}

TEST_F(closed_cluster, is_open_when_it_was_forgotten) {
  start(1);
  refuse(1, "namespace");
  q.over(1);
  q.tick(1s);
  q.tick(1h);
  ASSERT_TRUE(q.take(q.core.forget("gone", 5, q.now)));
  EXPECT_TRUE(q.core.info().closed.empty());
}

TEST_F(closed_cluster, is_not_said_to_be_closed_by_its_agent) {
  q.hello_message.cluster.closed = {{"jobs", "quota", "no", 1}};
  ASSERT_TRUE(q.hello());
  EXPECT_TRUE(q.core.info().closed.empty());
}

}  // namespace

}  // namespace argosy::ledger
