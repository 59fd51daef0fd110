// SPDX-License-Identifier: Apache-2.0
// Goal: the agent's lease never runs longer than its last acknowledged renewal allows, and it finds
// its way back to a control plane that changed. A run that waits for a lease waits for one answer.
// Method: messages, their acknowledgements and their loss at chosen times.
#include "tests/unit/executor/executor_fixture.hpp"

namespace argosy::ledger {

using executor_session = executor_fixture;

TEST_F(executor_session, begins_with_a_hello_that_lists_everything) {
  order_start(make_key(1), 4);
  order_start(make_key(2), 4);
  change(make_key(2), run_phase::succeeded);
  EXPECT_LE(core->next_due(), now);
  sent.clear();
  take(core->tick(now));
  const auto hellos = take_sent<send_hello>();
  ASSERT_EQ(hellos.size(), 1u);
  const auto& hello = hellos[0].hello;
  EXPECT_EQ(hello.cluster, (model::cluster_info{"c", "default", "process", {77}}));
  EXPECT_EQ(hello.epoch_seen.value, 4u);
  EXPECT_EQ(hello.nodes, nodes);
  ASSERT_EQ(hello.runs.size(), 2u);
  EXPECT_EQ(hello.runs[0].phase, run_phase::accepted);
  EXPECT_EQ(hello.runs[1].phase, run_phase::succeeded);
  EXPECT_EQ(hello.runs[1].node, "n");
}

TEST_F(executor_session, says_that_leases_lapse_only_where_they_are_to) {
  for (const bool lapse : {false, true}) {
    config.lapse = lapse;
    restart();
    take(core->tick(now));
    EXPECT_EQ(take_sent<send_hello>().at(0).hello.lapse, lapse);
  }
}

TEST_F(executor_session, asks_to_take_over_until_it_has_a_session) {
  config.take_over = true;
  restart();
  take(core->tick(now));
  EXPECT_TRUE(take_sent<send_hello>().at(0).hello.take_over);
  core->hello_failed(now);
  now += 1s;
  take(core->tick(now));
  EXPECT_TRUE(take_sent<send_hello>().at(0).hello.take_over);
  take(core->hello_acknowledged({{1}, boot_time{10s}.count(), boot_time{2s}.count()}, now));
  core->heartbeat_failed(now);
  now += 1s;
  take(core->tick(now));
  EXPECT_FALSE(take_sent<send_hello>().at(0).hello.take_over);
}

TEST_F(executor_session, counts_the_lease_from_the_sending) {
  take(core->tick(now));
  const auto sent_at = now;
  now += 3s;
  take(core->hello_acknowledged(
      {{1}, boot_time{10s}.count(), boot_time{2s}.count(), 0, boot_time{3s}.count()}, now));
  const auto renewals = take_sent<renew_lease>();
  ASSERT_EQ(renewals.size(), 1u);
  EXPECT_EQ(renewals[0].lease.until, sent_at + 10s);
  EXPECT_EQ(renewals[0].lease.kill_grace, 3s);
  EXPECT_EQ(core->lease_deadline(), sent_at + 10s);
}

TEST_F(executor_session, tells_of_a_lease_what_the_clocks_said_when_it_was_asked_for) {
  take(core->tick(now, boot_time{700h}));
  now += 3s;
  take(core->hello_acknowledged({{1}, boot_time{10s}.count(), boot_time{2s}.count()}, now));
  const auto lease = take_sent<renew_lease>().at(0).lease;
  EXPECT_EQ(lease.wall_ahead, 700h);
  EXPECT_EQ(lease.period, 2s);
}

TEST_F(executor_session, renews_at_the_pace_of_the_control_plane) {
  connect();
  EXPECT_EQ(core->next_due(), now + 2s);
  now += 1s;
  take(core->tick(now));
  EXPECT_TRUE(take_sent<send_heartbeat>().empty());
  now += 1s;
  take(core->tick(now));
  ASSERT_EQ(take_sent<send_heartbeat>().size(), 1u);
  take(core->tick(now + 5s));
  EXPECT_TRUE(take_sent<send_heartbeat>().empty()) << "one is under way";
  now += 1s;
  take(core->heartbeat_acknowledged({{1}, boot_time{10s}.count(), false}, now));
  EXPECT_EQ(core->lease_deadline(), now - 1s + 10s);
  EXPECT_EQ(core->next_due(), now - 1s + 2s);
}

TEST_F(executor_session, never_shortens_a_lease) {
  connect();
  const auto before = core->lease_deadline();
  now += 2s;
  take(core->tick(now));
  sent.clear();
  take(core->heartbeat_acknowledged({{1}, 1, false}, now));
  EXPECT_EQ(core->lease_deadline(), before);
  EXPECT_TRUE(take_sent<renew_lease>().empty());
}

TEST_F(executor_session, says_hello_again_after_a_lost_heartbeat) {
  connect();
  now += 2s;
  take(core->tick(now));
  const auto lease = core->lease_deadline();
  now += 5s;
  core->heartbeat_failed(now);
  EXPECT_FALSE(core->connected());
  sent.clear();
  take(core->tick(now));
  EXPECT_TRUE(take_sent<send_hello>().empty());
  now += config.retry;
  take(core->tick(now));
  EXPECT_EQ(take_sent<send_hello>().size(), 1u);
  EXPECT_EQ(core->lease_deadline(), lease);
  core->hello_failed(now);
  EXPECT_EQ(core->next_due(), now + config.retry);
}

/// It would be as large again, and takes long.
TEST_F(executor_session, pauses_before_a_hello_that_was_too_large) {
  take(core->tick(now));
  sent.clear();
  core->hello_failed(now, 60s);
  EXPECT_EQ(core->next_due(), now + boot_time{60s});
  now += 60s;
  connect();
  now += config.compare;
  take(core->tick(now));
  sent.clear();
  core->hello_failed(now, 60s);
  now += config.retry;
  take(core->tick(now));
  EXPECT_TRUE(core->connected());
  EXPECT_EQ(take_sent<send_heartbeat>().size(), 1u) << "heartbeats go on";
}

TEST_F(executor_session, renews_its_lease_although_a_comparison_failed) {
  connect();
  now += config.compare;
  take(core->tick(now));
  EXPECT_EQ(take_sent<send_hello>().size(), 1u);
  core->hello_failed(now);
  EXPECT_TRUE(core->connected());
  now += config.retry;
  take(core->tick(now));
  EXPECT_EQ(take_sent<send_heartbeat>().size(), 1u);
  take(core->heartbeat_acknowledged({{1}, boot_time{10s}.count(), false}, now));
  EXPECT_EQ(core->lease_deadline(), now + 10s);
  now += config.compare;
  take(core->tick(now));
  EXPECT_EQ(take_sent<send_hello>().size(), 1u) << "and it tries again";
}

TEST_F(executor_session, says_hello_when_asked) {
  connect();
  now += 2s;
  take(core->tick(now));
  sent.clear();
  const auto lease = core->lease_deadline();
  take(core->heartbeat_acknowledged({{1}, boot_time{10s}.count(), true}, now));
  EXPECT_EQ(core->lease_deadline(), lease)
      << "a control plane that does not know it grants nothing";
  take(core->tick(now));
  EXPECT_EQ(take_sent<send_hello>().size(), 1u);
  core->reports_failed(0, true, now);
  take(core->hello_acknowledged({{1}, boot_time{10s}.count(), 0}, now));
  core->reports_failed(0, true, now);
  take(core->tick(now));
  EXPECT_EQ(take_sent<send_hello>().size(), 1u);
}

TEST_F(executor_session, compares_lists_from_time_to_time) {
  connect();
  now += config.compare;
  take(core->tick(now));
  EXPECT_EQ(take_sent<send_hello>().size(), 1u);
}

TEST_F(executor_session, tells_new_nodes_at_once) {
  connect();
  nodes.push_back({"m", {}, {}, {}, {}, false});
  core->set_nodes(nodes);
  take(core->tick(now));
  const auto hellos = take_sent<send_hello>();
  ASSERT_EQ(hellos.size(), 1u);
  EXPECT_EQ(hellos[0].hello.nodes, nodes);
}

TEST_F(executor_session, tells_at_once_that_it_can_begin_no_runs_and_that_it_can_again) {
  connect();
  for (const auto& trouble :
       {model::backend_trouble{"the API server does not answer", 7},
        model::backend_trouble{{}, 0, "it may not read output"}, model::backend_trouble{}}) {
    core->set_trouble(trouble);
    take(core->tick(now));
    const auto hellos = take_sent<send_hello>();
    ASSERT_EQ(hellos.size(), 1u);
    EXPECT_EQ(hellos[0].hello.trouble, trouble);
    take(core->hello_acknowledged({{1}, boot_time{10s}.count(), boot_time{2s}.count()}, now));
    core->set_trouble(trouble);
    take(core->tick(now));
    EXPECT_TRUE(take_sent<send_hello>().empty()) << "nothing has changed";
  }
}

TEST_F(executor_session, takes_no_lease_from_a_deposed_leader) {
  connect(5);
  const auto lease = core->lease_deadline();
  now += 2s;
  take(core->tick(now));
  take(core->heartbeat_acknowledged({{4}, boot_time{100s}.count(), false}, now));
  EXPECT_FALSE(core->connected());
  EXPECT_EQ(core->lease_deadline(), lease);
  now += config.retry;
  take(core->tick(now));
  take(core->hello_acknowledged({{4}, boot_time{100s}.count(), 0}, now));
  EXPECT_FALSE(core->connected());
  EXPECT_EQ(core->lease_deadline(), lease);
}

TEST_F(executor_session, remembers_the_epoch_of_every_answer) {
  connect(5);
  EXPECT_EQ(disk_facts.epoch_seen.value, 5u);
  now += 2s;
  take(core->tick(now));
  take(core->heartbeat_acknowledged({{6}, boot_time{10s}.count(), false}, now));
  EXPECT_EQ(disk_facts.epoch_seen.value, 6u);
  EXPECT_EQ(core->orders(to_me(5, {}), 1, now).error().code, ec::fenced);
}

TEST_F(executor_session, ignores_orders_for_another_agent_of_its_name) {
  connect(3);
  auto orders = to_me(9, {make_start(make_key(1))}, {make_stop(make_key(2))});
  for (const std::uint64_t other : {0, 76, 78}) {
    orders.incarnation = {other};
    EXPECT_EQ(core->orders(orders, 1, now).error().code, ec::conflict);
  }
  EXPECT_EQ(core->run_count(), 0u);
  EXPECT_EQ(core->outbox_size(), 0u) << "that one reports";
  EXPECT_EQ(core->facts().epoch_seen.value, 3u);
}

TEST_F(executor_session, superseded_it_says_nothing_and_takes_nothing) {
  connect();
  order_start(make_key(1));
  const auto lease = core->lease_deadline();
  now += 2s;
  take(core->tick(now));
  sent.clear();
  take(core->superseded(now));
  EXPECT_TRUE(core->is_superseded());
  EXPECT_TRUE(sent.empty()) << "what runs has its lease";
  EXPECT_EQ(core->open_runs().size(), 1u);
  EXPECT_EQ(core->orders(to_me(1, {make_start(make_key(2))}), 1, now).error().code, ec::conflict);
  // These answers were on their way.
  take(core->heartbeat_acknowledged({{1}, boot_time{100s}.count(), false}, now));
  take(core->hello_acknowledged({{1}, boot_time{100s}.count(), 0}, now));
  EXPECT_EQ(core->lease_deadline(), lease);
  EXPECT_FALSE(core->connected());
  EXPECT_EQ(core->next_due(), boot_time::max());
  take(core->tick(now + 1h));
  change(make_key(1), run_phase::stopped);
  EXPECT_TRUE(sent.empty());
  EXPECT_TRUE(core->open_runs().empty());
}

struct executor_held : executor_fixture {
  /// A run comes while the first hello is under way. Runs are held back for this case.
  executor_held() {
    take(core->tick(now));
    order_start(make_key(1));
    EXPECT_EQ(take_sent<send_hello>().size(), 1u);
  }
  model::hello_ack ack(boot_time lease = 10s) const { return {{1}, lease.count(), 0}; }
};

TEST_F(executor_held, begins_with_the_answer_to_the_hello) {
  now += 1s;
  take(core->hello_acknowledged(ack(), now));
  EXPECT_EQ(take_sent<launch_run>().size(), 1u);
}

TEST_F(executor_held, ends_when_another_hello_is_needed) {
  now += 5s;
  core->hello_failed(now);
  now += config.retry;
  take(core->tick(now));
  ASSERT_EQ(disk_reports.size(), 1u);
  EXPECT_EQ(disk_reports.at(1).run, make_key(1));
  EXPECT_EQ(disk_reports.at(1).phase, run_phase::refused);
  EXPECT_EQ(disk_reports.at(1).outcome.reason, "NoLease");
  EXPECT_EQ(disk_reports.at(1).time_ns, 1 + boot_time{6s}.count());
  const auto hellos = take_sent<send_hello>();
  ASSERT_EQ(hellos.size(), 1u);
  ASSERT_EQ(hellos[0].hello.runs.size(), 1u);
  EXPECT_EQ(hellos[0].hello.runs[0].phase, run_phase::refused);
  take(core->hello_acknowledged(ack(), now));
  order_start(make_key(1));
  EXPECT_TRUE(take_sent<launch_run>().empty());
  order_start(make_key(1, 2));
  EXPECT_EQ(take_sent<launch_run>().size(), 1u);
}

TEST_F(executor_held, does_not_begin_with_an_answer_that_took_longer_than_its_lease) {
  now += 3s;
  take(core->hello_acknowledged(ack(2s), now));
  EXPECT_TRUE(take_sent<launch_run>().empty());
  take(core->tick(core->next_due()));
  EXPECT_EQ(disk_reports.at(1).phase, run_phase::refused);
}

TEST_F(executor_held, does_not_begin_with_the_answer_to_a_heartbeat) {
  take(core->hello_acknowledged(ack(), now));
  now += 9s;
  take(core->tick(now));
  EXPECT_EQ(take_sent<send_heartbeat>().size(), 1u);
  now += 2s;
  order_start(make_key(2));  // The agent stood still, so that the lease has lapsed.
  take(core->heartbeat_acknowledged({{1}, boot_time{10s}.count(), false}, now));
  EXPECT_TRUE(take_sent<launch_run>().empty());
  now = core->next_due();
  take(core->tick(now));
  EXPECT_EQ(take_sent<send_hello>().size(), 1u);
  EXPECT_EQ(disk_reports.at(1).run, make_key(2));
  EXPECT_EQ(disk_reports.at(1).phase, run_phase::refused);
}

TEST_F(executor_held, ends_at_once_if_its_order_followed_an_earlier_hello) {
  take(core->hello_acknowledged(ack(), now));
  take_sent<launch_run>();
  now += 20s;  // The agent stood still, so that its lease has lapsed.
  take(core->heartbeat_acknowledged({{1}, 0, true}, now));
  take(core->tick(now));
  const auto hellos = take_sent<send_hello>();
  ASSERT_EQ(hellos.size(), 1u);
  const auto said_ns = hellos[0].hello.said_ns;
  const auto late = to_me(1, {make_start(make_key(2))}, {}, said_ns - 1);
  take(core->orders(late, 1, now).value());
  EXPECT_EQ(disk_reports.at(1).run, make_key(2));
  EXPECT_EQ(disk_reports.at(1).phase, run_phase::refused);
  const auto early = to_me(1, {make_start(make_key(3))}, {}, said_ns);
  take(core->orders(early, 1, now).value());
  take(core->hello_acknowledged(ack(), now));
  const auto begun = take_sent<launch_run>();
  ASSERT_EQ(begun.size(), 1u);
  EXPECT_EQ(begun[0].order.run, make_key(3));
}

TEST_F(executor_held, ends_when_another_agent_has_taken_the_cluster) {
  take(core->superseded(now));
  EXPECT_EQ(disk_reports.at(1).phase, run_phase::refused);
  EXPECT_TRUE(core->open_runs().empty());
  take(core->hello_acknowledged(ack(), now));
  EXPECT_TRUE(take_sent<launch_run>().empty());
}

TEST_F(executor_held, ends_when_the_agent_leaves) {
  take(core->refuse_held(now));
  EXPECT_EQ(disk_reports.at(1).phase, run_phase::refused);
  EXPECT_TRUE(core->open_runs().empty());
  take(core->hello_acknowledged(ack(), now));
  EXPECT_TRUE(take_sent<launch_run>().empty());
}

}  // namespace argosy::ledger
