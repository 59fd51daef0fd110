// SPDX-License-Identifier: Apache-2.0
// Goal: the session with an agent follows its rules: hello, incarnations, epochs, silence, leases,
// nodes, goodbye. Method: one core under a hand-moved clock; replies, events and effects are
// compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using model::run_phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(cluster_hello, joins_with_its_nodes) {
  cluster_driver c;
  EXPECT_EQ(c.core.contact(), contact_state::gone);
  const auto ack = c.hello();
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->epoch.value, 3U);
  EXPECT_EQ(ack->lease_ns, c.config.lease.count());
  EXPECT_EQ(ack->heartbeat_ns, c.config.heartbeat.count());
  EXPECT_TRUE(c.knows("cluster_joined"));
  EXPECT_TRUE(c.knows("nodes_changed"));
  EXPECT_EQ(c.effects<set_nodes>().at(0).nodes.size(), 2U);
  EXPECT_TRUE(c.effects<set_contact>().at(0).in_contact);
  EXPECT_EQ(c.core.contact(), contact_state::connected);
  EXPECT_EQ(c.core.node_infos().size(), 2U);
  ASSERT_EQ(c.changes.size(), 3U);
  EXPECT_TRUE(std::get<put_cluster>(c.changes[0]).present);
  EXPECT_EQ(std::get<put_node>(c.changes[1]).node.name, "n1");
}

TEST(cluster_hello, repeated_logs_only_what_changed) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  ASSERT_TRUE(c.hello());
  EXPECT_TRUE(c.last_events.empty());
  EXPECT_TRUE(c.last_effects.empty());
  c.hello_message.nodes = {node_named("n2", 8000), node_named("n3")};
  ASSERT_TRUE(c.hello());
  ASSERT_EQ(c.last_events.size(), 1U);
  const auto& changed = std::get<model::nodes_changed>(c.last_events[0].payload);
  EXPECT_EQ(changed.set.size(), 2U);
  EXPECT_THAT(changed.removed, ElementsAre("n1"));
  EXPECT_THAT(c.effects<remove_nodes>().at(0).nodes, ElementsAre("n1"));
  EXPECT_EQ(c.core.node_infos().size(), 2U);
}

TEST(cluster_hello, that_comes_behind_a_later_one_does_not_count) {
  cluster_driver c;
  c.hello_message.cluster.process = {5};
  ASSERT_TRUE(c.hello());
  const auto first = c.hello_message.said_ns;
  c.hello_message.said_ns = first + 10;
  ASSERT_TRUE(c.hello());
  c.hello_message.said_ns = first;
  const auto late = c.hello();
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().detail, HasSubstr("has said a later hello"));
  // Another process counts from its own start.
  c.hello_message.cluster.process = {6};
  c.now += c.config.silence_max + 1s;
  EXPECT_TRUE(c.hello());
}

TEST(cluster_hello, of_an_agent_that_waits_for_its_cluster_leaves_the_nodes_as_they_were_known) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  const auto nodes = std::exchange(c.hello_message.nodes, {});
  c.hello_message.trouble = {"its API server does not answer", 7};
  ASSERT_TRUE(c.hello());
  EXPECT_EQ(c.core.node_infos().size(), 2U);
  EXPECT_TRUE(c.last_events.empty());
  c.hello_message.trouble = {};
  ASSERT_TRUE(c.hello());
  EXPECT_EQ(c.core.node_infos().size(), 0U) << "now it knows that there are none";
}

TEST(cluster_hello, of_an_agent_that_cannot_begin_runs_takes_its_nodes_away_until_it_can) {
  cluster_driver c;
  const model::backend_trouble away{"its API server does not answer", 7};
  c.hello_message.trouble = away;
  ASSERT_TRUE(c.hello());
  EXPECT_FALSE(c.effects<set_contact>().back().in_contact);
  EXPECT_EQ(c.effects<trouble_changed>().at(0).now, away);
  EXPECT_EQ(c.core.contact(), contact_state::connected) << "its agent is heard";
  EXPECT_FALSE(c.core.takes_work());
  ASSERT_TRUE(c.hello());
  EXPECT_TRUE(c.effects<trouble_changed>().empty()) << "it is told once";
  EXPECT_FALSE(c.effects<set_contact>().back().in_contact) << "a node may have come";
  c.tick(c.config.silence_max + 1s);
  EXPECT_EQ(c.core.contact(), contact_state::silent);
  ASSERT_TRUE(c.hello());
  EXPECT_FALSE(c.effects<set_contact>().back().in_contact) << "it is heard, and still away";
  c.hello_message.trouble = {};
  ASSERT_TRUE(c.hello());
  EXPECT_EQ(c.effects<trouble_changed>().at(0).before, away);
  EXPECT_TRUE(c.effects<set_contact>().back().in_contact);
  EXPECT_TRUE(c.core.takes_work());
}

TEST(cluster_hello, many_and_long_nodes_are_told_in_several_events) {
  cluster_driver c;
  c.hello_message.nodes.clear();
  for (int i = 0; i < 100; ++i) c.hello_message.nodes.push_back(node_named(std::to_string(i)));
  ASSERT_TRUE(c.hello());
  EXPECT_EQ(c.last_events.size(), 1U + 2U) << "64 and 36";
  for (auto& node : c.hello_message.nodes) node.labels = {{"long", std::string(300'000, 'x')}};
  ASSERT_TRUE(c.hello());
  EXPECT_EQ(c.last_events.size(), 34U) << "three of them make a mebibyte";
  EXPECT_EQ(c.core.node_infos().size(), 100U);
  c.hello_message.nodes.clear();
  ASSERT_TRUE(c.hello());
  EXPECT_EQ(c.last_events.size(), 2U);
  EXPECT_TRUE(c.core.node_infos().empty());
}

TEST(cluster_hello, another_pool_concerns_all_nodes) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.hello_message.cluster.pool = "gpu";
  ASSERT_TRUE(c.hello());
  EXPECT_EQ(c.effects<set_nodes>().at(0).nodes.size(), 2U);
  EXPECT_TRUE(c.knows("cluster_joined"));
  EXPECT_FALSE(c.knows("nodes_changed"));
}

TEST(cluster_hello, refusals) {
  cluster_core fresh{"c"};
  model::agent_hello message;
  message.cluster = {"c", "default", "process", {2}};
  EXPECT_EQ(fresh.hello(message, 5, 1s).reply.error().code, ec::unavailable) << "not leading";

  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.hello_message.cluster.incarnation = {};
  c.hello_message.take_over = true;
  ASSERT_TRUE(c.hello());
  message.cluster.incarnation = {1};
  const auto old = c.core.hello(message, 5, c.now);
  EXPECT_EQ(old.reply.error().code, ec::conflict);
  EXPECT_THAT(old.reply.error().detail, HasSubstr("incarnation 2"));
  EXPECT_TRUE(old.events.empty());
  message.cluster = {"d", "default", "process", {2}};
  EXPECT_EQ(c.core.hello(message, 5, c.now).reply.error().code, ec::invalid_argument);
  for (const auto* name : {"", "a/b"}) {
    message.cluster.name = "c";
    message.nodes = {node_named(name)};
    EXPECT_EQ(c.core.hello(message, 5, c.now).reply.error().code, ec::invalid_argument);
  }
  message.nodes = {node_named("n"), node_named("n")};
  EXPECT_EQ(c.core.hello(message, 5, c.now).reply.error().code, ec::invalid_argument);
  message.nodes = {node_named("n", -1)};
  EXPECT_EQ(c.core.hello(message, 5, c.now).reply.error().code, ec::invalid_argument);
}

TEST(cluster_hello, with_a_higher_epoch_is_told_and_waits_until_this_leader_is_above_it) {
  cluster_driver c;
  c.hello_message.epoch_seen = {4};
  EXPECT_EQ(c.hello().error().code, ec::fenced);
  EXPECT_EQ(c.effects<epoch_seen>().at(0).epoch.value, 4U);
  c.core.raise_epoch({5});
  EXPECT_EQ(c.hello()->epoch.value, 5U);
}

TEST(cluster_hello, with_its_epoch_of_another_process_is_told_and_waits_for_a_higher_one) {
  cluster_driver c;
  c.take(c.core.lead({{3}, {11}, {}}, c.now));
  c.hello_message.epoch_seen = {3};
  c.hello_message.nonce_seen = {12};
  const auto refused = c.hello();
  EXPECT_EQ(refused.error().code, ec::fenced);
  EXPECT_THAT(refused.error().detail, HasSubstr("epoch 3 of another process"));
  EXPECT_EQ(c.effects<epoch_seen>().at(0).epoch.value, 3U);
  c.core.raise_epoch({4});
  EXPECT_EQ(c.hello()->epoch.value, 4U);
  c.hello_message.epoch_seen = {4};
  for (const auto nonce : {11U, 0U}) {
    c.hello_message.nonce_seen = {nonce};
    EXPECT_TRUE(c.hello()) << nonce;
  }
}

TEST(cluster_hello, with_an_epoch_that_cannot_be_is_refused_and_not_told) {
  cluster_driver c;
  for (const auto epoch : {~std::uint64_t{0}, 3 + model::epoch_step_max + 1}) {
    c.hello_message.epoch_seen = {epoch};
    EXPECT_EQ(c.hello().error().code, ec::denied);
    EXPECT_TRUE(c.last_effects.empty());
  }
}

TEST(cluster_hello, of_an_agent_of_another_control_plane_is_refused) {
  cluster_driver c;
  c.take(c.core.lead({{3}, {11}, "ours"}, c.now));
  c.hello_message.control_plane = "theirs";
  c.hello_message.epoch_seen = {57};
  const auto refused = c.hello();
  EXPECT_EQ(refused.error().code, ec::denied);
  EXPECT_THAT(refused.error().detail, HasSubstr("--join-control-plane"));
  EXPECT_TRUE(c.last_effects.empty()) << "its epochs say nothing here";
  c.hello_message.control_plane = "ours";
  c.hello_message.epoch_seen = {3};
  const auto ack = c.hello();
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->control_plane, "ours");
  EXPECT_EQ(ack->nonce.value, 11U);
  EXPECT_EQ(c.heartbeat()->control_plane, "ours");
  c.start({start_of(1)});
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.control_plane, "ours");
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.nonce.value, 11U);
}

TEST(cluster_session, needs_a_hello_first) {
  cluster_driver c;
  EXPECT_TRUE(c.heartbeat()->hello_wanted);
  EXPECT_EQ(c.report(1, {{1, run_phase::running}}).error().code, ec::unavailable);
  EXPECT_EQ(c.core.nodes({"c", {1}, {}, {}}, 5, c.now).reply.error().code, ec::unavailable);
  EXPECT_EQ(c.core.goodbye({"c", {1}, ""}, 5, c.now).reply.error().code, ec::unavailable);
  ASSERT_TRUE(c.hello());
  EXPECT_FALSE(c.heartbeat()->hello_wanted);
  c.hello_message.cluster.incarnation = {2};
  EXPECT_TRUE(c.heartbeat()->hello_wanted) << "a newer incarnation has to say hello";
  EXPECT_EQ(c.report(1, {{1, run_phase::running}}).error().code, ec::unavailable);
  c.hello_message.cluster.incarnation = {};
  c.hello_message.take_over = true;
  ASSERT_TRUE(c.hello());
  c.hello_message.cluster.incarnation = {1};
  EXPECT_EQ(c.heartbeat().error().code, ec::conflict);
  EXPECT_EQ(c.report(1, {{1, run_phase::running}}).error().code, ec::conflict);
}

TEST(cluster_session, silence_takes_the_nodes_out_and_a_word_brings_them_back) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.tick(c.config.silence_max);
  EXPECT_TRUE(c.last_effects.empty()) << "not longer than allowed";
  c.tick(1ns);
  EXPECT_FALSE(c.effects<set_contact>().at(0).in_contact);
  EXPECT_EQ(c.core.contact(), contact_state::silent);
  c.tick(1s);
  EXPECT_TRUE(c.last_effects.empty()) << "told once";
  ASSERT_TRUE(c.heartbeat());
  EXPECT_TRUE(c.effects<set_contact>().at(0).in_contact);
  EXPECT_EQ(c.core.contact(), contact_state::connected);
}

TEST(cluster_contact, is_told_with_how_long_it_was_missing) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  const auto joined = c.effects<contact_changed>();
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].before, contact_state::gone);
  EXPECT_EQ(joined[0].now, contact_state::connected);
  ASSERT_TRUE(c.heartbeat());
  EXPECT_THAT(c.effects<contact_changed>(), IsEmpty());
  c.tick(16s);
  const auto lost = c.effects<contact_changed>();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].now, contact_state::silent);
  EXPECT_EQ(lost[0].silence, 16s);
  c.now += 4s;
  ASSERT_TRUE(c.heartbeat());
  const auto back = c.effects<contact_changed>();
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].before, contact_state::silent);
  EXPECT_EQ(back[0].silence, 20s);
}

TEST(cluster_contact, of_a_cluster_that_does_not_come_back_is_lost) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  cluster_core next{"c", c.config};
  next.restore(c.core.info(), true);
  c.core = std::move(next);
  c.take(c.core.lead({{4}}, c.now));
  EXPECT_EQ(c.core.contact(), contact_state::expected);
  c.tick(c.config.silence_max);
  EXPECT_EQ(c.core.contact(), contact_state::expected);
  c.tick(1ns);
  EXPECT_EQ(c.core.contact(), contact_state::silent);
  EXPECT_EQ(c.effects<contact_changed>().at(0).before, contact_state::expected);
}

TEST(cluster_lease, lapses_at_the_horizon_and_not_before) {
  cluster_config config;
  config.lease = 100s;
  config.clock_drift = 0.02;
  config.kill_grace = 10s;
  config.margin = 3s;
  cluster_driver c{config};
  ASSERT_TRUE(c.hello());
  c.now += 50s;
  ASSERT_TRUE(c.heartbeat());
  c.start({start_of(1), start_of(2, 1000, "r"), start_of(3)});
  // The drift counts for the kill grace too, since the agent's clock measures it.
  EXPECT_EQ(c.core.lease_horizon(), c.now + 115'200ms);
  c.tick(115'200ms - 1ns);
  EXPECT_THAT(c.effects<expire_leases>(), IsEmpty());
  c.tick(1ns);
  const auto lapsed = c.effects<expire_leases>();
  ASSERT_EQ(lapsed.size(), 2U);
  EXPECT_EQ(lapsed[0].queue, "q");
  EXPECT_THAT(lapsed[0].runs, ElementsAre(run_of(1), run_of(3)));
  EXPECT_EQ(lapsed[1].queue, "r");
  c.tick(100s);
  EXPECT_THAT(c.effects<expire_leases>(), IsEmpty()) << "told once";
  c.core.not_expired(lapsed[0].runs);
  c.tick();
  ASSERT_EQ(c.effects<expire_leases>().size(), 1U) << "it was not recorded, so it is told again";
  EXPECT_THAT(c.effects<expire_leases>()[0].runs, ElementsAre(run_of(1), run_of(3)));
  c.over(1);
  c.core.not_expired({run_of(1)});
  c.tick();
  EXPECT_THAT(c.effects<expire_leases>(), IsEmpty()) << "that run has ended";
}

TEST(cluster_lease, of_a_new_leader_counts_what_the_old_one_may_still_have_granted) {
  cluster_config config;
  config.predecessor_max = 2s;
  cluster_driver plain;
  cluster_driver c{config};
  EXPECT_EQ(c.core.lease_horizon(), plain.core.lease_horizon() + 2s);
  ASSERT_TRUE(c.hello());
  ASSERT_TRUE(plain.hello());
  EXPECT_EQ(c.core.lease_horizon(), plain.core.lease_horizon())
      << "an agent that knows this leader takes no lease of another";
}

TEST(cluster_lease, reports_do_not_renew_it) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  const auto horizon = c.core.lease_horizon();
  c.now += 1s;
  c.start({start_of(1)});
  ASSERT_TRUE(c.report(1, {{1, run_phase::running}}));
  EXPECT_EQ(c.core.lease_horizon(), horizon);
  ASSERT_TRUE(c.heartbeat());
  EXPECT_EQ(c.core.lease_horizon(), horizon + 1s);
}

TEST(cluster_lease, lapses_again_after_another_contact) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.start({start_of(1)});
  c.tick(c.core.lease_horizon() - c.now);
  EXPECT_EQ(c.effects<expire_leases>().size(), 1U);
  c.core.expired({run_of(1)});
  // The queue waits for confirmation, and the agent has the run.
  ASSERT_TRUE(c.hello({{run_of(1), "q", run_phase::running, "n1"}}));
  c.tick(c.core.lease_horizon() - c.now);
  EXPECT_EQ(c.effects<expire_leases>().size(), 1U);
}

// Until the queue has answered, it may give the job to another run. If the agent came back
// meanwhile and were ordered the same start again under a new lease, both runs would live at once.
TEST(cluster_lease, that_has_lapsed_is_ordered_no_more_before_its_queue_has_answered) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.start({start_of(1), start_of(2)});
  c.tick(c.core.lease_horizon() - c.now);
  ASSERT_EQ(c.effects<expire_leases>().size(), 1U);
  ASSERT_TRUE(c.hello());
  EXPECT_THAT(c.started(), IsEmpty()) << "neither in answer to the hello";
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.started(), IsEmpty()) << "nor later";
  EXPECT_THAT(c.effects<expire_leases>(), IsEmpty()) << "its queue has been told";
  c.core.not_expired({run_of(1), run_of(2)});
  ASSERT_TRUE(c.hello());
  EXPECT_THAT(c.started(), IsEmpty()) << "its queue may have recorded it without an answer";
  c.tick();
  ASSERT_EQ(c.effects<expire_leases>().size(), 1U) << "told again, under the new lease too";
  EXPECT_THAT(c.effects<expire_leases>()[0].runs, ElementsAre(run_of(1), run_of(2)));
  c.over(1);
  c.core.expired({run_of(1), run_of(2)});
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.started(), ElementsAre(run_of(2))) << "its queue keeps this run";
}

TEST(cluster_lease, that_has_lapsed_is_renewed_by_a_hello_only) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.tick(c.core.lease_horizon() - c.now);
  const auto late = c.heartbeat();
  ASSERT_TRUE(late);
  EXPECT_TRUE(late->hello_wanted) << "orders from before the lapse may still be under way";
  EXPECT_LE(c.core.lease_horizon(), c.now);
  ASSERT_TRUE(c.hello());
  EXPECT_FALSE(c.heartbeat()->hello_wanted);
}

TEST(cluster_lease, starts_anew_with_another_leader) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.start({start_of(1)});
  c.now += 24h;
  const auto back = c.now;
  c.take(c.core.lead({{4}}, back));
  EXPECT_EQ(c.core.contact(), contact_state::expected);
  EXPECT_GE(c.core.lease_horizon(), back + c.config.lease);
  c.tick(c.config.lease);
  EXPECT_THAT(c.effects<expire_leases>(), IsEmpty());
  c.tick(c.core.lease_horizon() - c.now);
  EXPECT_EQ(c.effects<expire_leases>().size(), 1U);
}

TEST(cluster_nodes, changes_are_logged_and_told) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  const auto same = c.take(c.core.nodes({"c", {1}, {node_named("n1")}, {"n9"}}, 5, c.now));
  EXPECT_FALSE(*same);
  const auto other =
      c.take(c.core.nodes({"c", {1}, {node_named("n1", 1), node_named("n3")}, {"n2"}}, 5, c.now));
  EXPECT_TRUE(*other);
  EXPECT_EQ(c.effects<set_nodes>().at(0).nodes.size(), 2U);
  EXPECT_THAT(c.effects<remove_nodes>().at(0).nodes, ElementsAre("n2"));
  EXPECT_EQ(c.core.node_infos().size(), 2U);
  EXPECT_EQ(c.core.nodes({"c", {1}, {node_named("a/b")}, {}}, 5, c.now).reply.error().code,
            ec::invalid_argument);
}

TEST(cluster_goodbye, leaves_at_once_when_nothing_runs) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  ASSERT_TRUE(c.take(c.core.goodbye({"c", {1}, "upgrade"}, 5, c.now)));
  EXPECT_TRUE(c.knows("cluster_left"));
  EXPECT_EQ(c.effects<remove_nodes>().at(0).nodes.size(), 2U);
  EXPECT_EQ(c.effects<retire_cluster>().size(), 1U);
  EXPECT_EQ(c.core.contact(), contact_state::gone);
  EXPECT_FALSE(c.core.present());
  EXPECT_FALSE(std::get<put_cluster>(c.changes[3]).present);
  c.tick(1s);
  EXPECT_TRUE(c.last_events.empty());
  ASSERT_TRUE(c.hello());
  EXPECT_TRUE(c.knows("cluster_joined"));
  EXPECT_EQ(c.core.contact(), contact_state::connected);
}

TEST(cluster_goodbye, needs_no_incarnation_of_the_process_that_said_hello) {
  cluster_driver c;
  c.hello_message.cluster.process = {9};
  ASSERT_TRUE(c.hello());
  EXPECT_FALSE(c.take(c.core.goodbye({"c", {0}, "early", {8}}, 5, c.now))) << "another process";
  EXPECT_FALSE(c.take(c.core.goodbye({"c", {0}, "early", {0}}, 5, c.now))) << "nobody knows which";
  EXPECT_EQ(c.core.contact(), contact_state::connected);
  ASSERT_TRUE(c.take(c.core.goodbye({"c", {0}, "early", {9}}, 5, c.now)));
  EXPECT_EQ(c.core.contact(), contact_state::gone);
}

TEST(cluster_goodbye, with_runs_waits_until_they_are_over) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.start({start_of(1)});
  ASSERT_TRUE(c.take(c.core.goodbye({"c", {1}, "upgrade"}, 5, c.now)));
  EXPECT_FALSE(c.effects<set_contact>().at(0).in_contact);
  EXPECT_TRUE(c.last_events.empty());
  c.tick(c.core.lease_horizon() - c.now);
  EXPECT_EQ(c.effects<expire_leases>().size(), 1U);
  c.over(1);
  EXPECT_TRUE(c.knows("cluster_left"));
  EXPECT_EQ(std::get<model::cluster_left>(c.last_events[0].payload).reason, "upgrade");
}

TEST(cluster_goodbye, is_taken_back_by_a_hello) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.start({start_of(1)});
  ASSERT_TRUE(c.take(c.core.goodbye({"c", {1}, "restart"}, 5, c.now)));
  EXPECT_TRUE(c.heartbeat()->hello_wanted);
  ASSERT_TRUE(c.hello({{run_of(1), "q", run_phase::running, "n1"}}));
  c.over(1);
  EXPECT_TRUE(c.last_events.empty());
  EXPECT_TRUE(c.core.present());
}

TEST(cluster_recovery, replay_and_restore_give_the_same_nodes) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.hello_message.nodes = {node_named("n2", 8000), node_named("n3")};
  ASSERT_TRUE(c.hello());
  cluster_core replayed{"c"};
  change_list changes;
  for (const auto& e : c.log)
    for (auto& change : replayed.apply(e)) changes.push_back(std::move(change));
  EXPECT_EQ(changes.size(), c.changes.size());
  EXPECT_EQ(replayed.node_infos(), c.core.node_infos());
  EXPECT_EQ(replayed.info(), c.core.info());
  cluster_core restored{"c"};
  restored.restore(c.core.info(), true);
  for (const auto& [name, node] : c.core.node_infos()) restored.restore(node);
  const auto step = restored.lead({{4}}, 1s);
  EXPECT_EQ(std::get<set_nodes>(step.effects.at(0)).nodes.size(), 2U);
  EXPECT_FALSE(std::get<set_contact>(step.effects.at(1)).in_contact);
}

TEST(cluster_apply, ignores_foreign_and_outdated_events) {
  cluster_driver c;
  EXPECT_TRUE(c.core.apply({5, "", model::nodes_changed{"c", {node_named("x")}, {}}}).empty())
      << "it has not joined";
  ASSERT_TRUE(c.hello());
  c.hello_message.cluster.incarnation = {};
  c.hello_message.take_over = true;
  ASSERT_TRUE(c.hello());
  EXPECT_TRUE(c.core.apply({5, "", model::cluster_joined{{"d", "p", "", {1}}}}).empty());
  EXPECT_TRUE(c.core.apply({5, "", model::cluster_joined{{"c", "p", "", {1}}}}).empty());
  EXPECT_TRUE(c.core.apply({5, "", model::cluster_left{"d", ""}}).empty());
  EXPECT_TRUE(c.core.apply({5, "", model::nodes_changed{"d", {node_named("x")}, {}}}).empty());
  EXPECT_TRUE(c.core.apply({5, "q", model::queue_deleted{}}).empty());
}

}  // namespace
}  // namespace argosy::ledger
