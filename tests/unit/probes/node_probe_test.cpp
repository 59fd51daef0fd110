// SPDX-License-Identifier: Apache-2.0
// Goal: what nodes offer and what is in use is the sum over all that exist, by cluster, pool and
// resource, and nothing stays of a node that has gone. Method: node_cores by hand.
#include <gtest/gtest.h>

#include <list>
#include <optional>
#include <random>

#include "messages/probes/node_probe.hpp"
#include "tests/unit/probes/probe_values.hpp"

namespace argosy::probes {

namespace {

model::node_info node_with(std::int64_t milli_cpu, std::int64_t memory) {
  model::node_info out;
  out.name = "n";
  out.total = out.allocatable = {{"cpu", milli_cpu}, {"memory", memory}};
  return out;
}

node_amounts empty_node(const std::string& name, ledger::node_state state) {
  node_amounts out;
  out.name = name;
  out.state = state;
  return out;
}

model::run_key run(std::uint64_t number) {
  return {ulid_from_hash(1'000'000 + number, 0, number), 1};
}

}  // namespace

TEST(node_share, moves_with_the_state_and_ends_with_the_node) {
  metrics::board board;
  const auto probe = board.get<node_probe>();
  ledger::node_core core{"c", "default"};
  std::optional<node_share> share{std::in_place, board};
  share->show(core);
  EXPECT_EQ(probe->ready.value(), 1);
  core.set_contact(false);
  share->show(core);
  EXPECT_EQ(probe->ready.value(), 0);
  EXPECT_EQ(probe->silent.value(), 1);
  share.reset();
  EXPECT_EQ(probe->silent.value(), 0);
}

TEST(node_share, adds_what_the_node_offers_and_what_runs_there_request) {
  metrics::board board;
  const auto probe = board.get<node_probe>();
  ledger::node_core one{"c", "default"};
  ledger::node_core two{"c", "default"};
  std::optional<node_share> first{std::in_place, board};
  node_share second{board};
  one.set_info(node_with(4000, 1024));
  two.set_info(node_with(1500, 1024));
  first->show(one);
  second.show(two);
  EXPECT_EQ(value(*probe, "argosy_capacity c default cpu"), 5.5);
  EXPECT_EQ(value(*probe, "argosy_capacity c default memory"), 2048);
  EXPECT_EQ(value(*probe, "argosy_allocated c default cpu"), 0);
  one.bind(run(1), {{"cpu", 250}, {"licence", 3}});
  first->show(one);
  EXPECT_EQ(value(*probe, "argosy_allocated c default cpu"), 0.25);
  EXPECT_EQ(value(*probe, "argosy_allocated c default licence"), 3);
  two.set_contact(false);
  second.show(two);
  EXPECT_EQ(value(*probe, "argosy_capacity c default cpu"), 5.5);
  EXPECT_EQ(value(*probe, "argosy_capacity_ready c default cpu"), 4);
  two.set_pool("other");
  second.show(two);
  EXPECT_EQ(value(*probe, "argosy_capacity c default cpu"), 4);
  EXPECT_EQ(value(*probe, "argosy_capacity c other cpu"), 1.5);
  one.remove();
  first->show(one);
  EXPECT_EQ(value(*probe, "argosy_capacity c default cpu"), 0) << "its run is still there";
  EXPECT_EQ(value(*probe, "argosy_allocated c default cpu"), 0.25);
  first.reset();
  EXPECT_EQ(value(*probe, "argosy_allocated c default cpu"), std::nullopt);
  EXPECT_EQ(samples(*probe, "argosy_capacity"), 2u);
}

TEST(node_probe, names_each_node_in_quarantine_and_the_next_one_too) {
  node_probe probe;
  const auto broken = empty_node("n1", ledger::node_state::quarantined);
  const auto next = empty_node("n2", ledger::node_state::quarantined);
  probe.add("c", "default", broken);
  probe.add("c", "default", empty_node("n3", ledger::node_state::ready));
  EXPECT_EQ(value(probe, "argosy_node_quarantined c n1 default"), 1);
  EXPECT_EQ(samples(probe, "argosy_node_quarantined"), 1u);
  probe.add("c", "default", next);
  EXPECT_EQ(value(probe, "argosy_node_quarantined c n2 default"), 1);
  probe.remove("c", "default", broken);
  EXPECT_EQ(value(probe, "argosy_node_quarantined c n1 default"), std::nullopt);
  EXPECT_EQ(samples(probe, "argosy_node_quarantined"), 1u);
}

TEST(node_probe, names_200_nodes_in_quarantine_at_most_and_no_others_instead) {
  node_probe probe;
  const auto add = [&](const std::string& prefix, ledger::node_state state) {
    for (int i = 0; i < 300; ++i)
      probe.add(prefix + std::to_string(i), "default", empty_node("n", state));
  };
  add("a", ledger::node_state::ready);
  EXPECT_EQ(samples(probe, "argosy_node_quarantined"), 0u);
  probe.add("z", "default", empty_node("n", ledger::node_state::quarantined));
  EXPECT_EQ(value(probe, "argosy_node_quarantined z n default"), 1) << "beyond 200 clusters";
  add("b", ledger::node_state::quarantined);
  EXPECT_EQ(samples(probe, "argosy_node_quarantined"), 200u);
}

TEST(node_share, shows_a_quarantined_node_by_its_name_until_it_is_gone) {
  metrics::board board;
  const auto probe = board.get<node_probe>();
  ledger::node_core core{"c", "default"};
  core.set_info(node_with(1000, 1024));
  model::health_record health;
  core.restore(health, std::chrono::hours{1}, boot_time{1});
  std::optional<node_share> share{std::in_place, board};
  share->show(core);
  EXPECT_EQ(value(*probe, "argosy_node_quarantined c n default"), 1);
  share.reset();
  EXPECT_EQ(samples(*probe, "argosy_node_quarantined"), 0u);
}

TEST(node_share, takes_any_amounts_that_agents_report) {
  metrics::board board;
  const auto probe = board.get<node_probe>();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  ledger::node_core core{"c", "default"};
  core.set_info(node_with(most, most));
  std::list<node_share> shares;
  for (int i = 0; i < 3; ++i) shares.emplace_back(board).show(core);
  EXPECT_DOUBLE_EQ(*value(*probe, "argosy_capacity c default memory"),
                   3.0 * static_cast<double>(most));
  shares.clear();
  EXPECT_EQ(samples(*probe, "argosy_capacity"), 0u);
}

TEST(node_probe, shows_clusters_beyond_its_limit_together) {
  node_probe probe;
  for (int i = 0; i < 300; ++i)
    probe.add("c" + std::to_string(1000 + i), "default", {{{"cpu", 1000}}, {}, true});
  EXPECT_EQ(samples(probe, "argosy_capacity"), node_probe::clusters_max + 1);
  EXPECT_EQ(value(probe, "argosy_capacity c1000 default cpu"), 1);
  EXPECT_EQ(value(probe, "argosy_capacity others default cpu"), 100);
}

}  // namespace argosy::probes
