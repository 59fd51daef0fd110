// SPDX-License-Identifier: Apache-2.0
// Goal: each key of nodeOrder and each choice of urgencyVictims decides as its name says.
// Method: small worlds in which two keys disagree.
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

using order = std::vector<node_key>;
using enum node_key;

lines with_order(const std::string& text, const order& keys,
                 const std::function<void(config&)>& adjust = {}) {
  return decide(text, preset::argosy,
                [&](config& conf) {
                  conf.node_order = keys;
                  conf.protected_fraction = 9;
                  if (adjust) adjust(conf);
                })
      .rows;
}

std::string job(const std::string& id, const std::string& queue, const std::string& cls, int cpu) {
  return "J " + id + " " + queue + " " + cls + " 0 1 " + std::to_string(cpu) + " 1 0 - - - - 1 -\n";
}

std::string running(const std::string& id, const std::string& queue, const std::string& cls,
                    int cpu, int node, int priority, int created = 1) {
  return job(id, queue, cls, cpu) + "R " + id + " " + std::to_string(node) + " " +
         std::to_string(created) + " " + std::to_string(priority) + "\n";
}

/// Several queues use n1, n2 is empty, and only queue a uses n3; fuller nodes have lower numbers.
const std::string users =
    "N 0 n1 e 4000 1000 0 - -\nN 1 n2 e 8000 1000 0 - -\nN 2 n3 e 9000 1000 0 - -\nQ a 1\nQ b 1\n" +
    running("r1", "b", "std-np", 1000, 0, 1000) + running("r2", "a", "std-np", 500, 2, 1000) +
    job("j", "a", "std", 1000);

TEST(node_order, best_fit_takes_the_fullest_node) {
  EXPECT_EQ(with_order(users, {no_preemption, best_fit}), (lines{"S j n1 1000"}));
}

TEST(node_order, users_of_a_node_come_in_the_order_given) {
  EXPECT_EQ(with_order(users, {no_preemption, sole_user_node, empty_node, shared_node, best_fit}),
            (lines{"S j n3 1000"}));
  EXPECT_EQ(with_order(users, {no_preemption, empty_node, sole_user_node, best_fit}),
            (lines{"S j n2 1000"}));
  EXPECT_EQ(with_order(users, {no_preemption, shared_node, empty_node}), (lines{"S j n1 1000"}));
}

TEST(node_order, without_best_fit_the_lower_id_decides) {
  const std::string text =
      "N 0 n2 e 4000 1000 0 - -\nN 1 n1 e 8000 1000 0 - -\nQ a 1\n" + job("j", "a", "std", 1000);
  EXPECT_EQ(with_order(text, {no_preemption}), (lines{"S j n1 1000"}));
  EXPECT_EQ(with_order(text, {no_preemption, best_fit}), (lines{"S j n2 1000"}));
}

/// An urgent job of 2 cpu. On n1 one job of std must leave, on n2 two of low.
const std::string harm = "N 0 n1 e 2000 1000 0 - -\nN 1 n2 e 2000 1000 0 - -\nQ a 1\nQ b 1\n" +
                         running("s", "b", "std", 2000, 0, 1000) +
                         running("l1", "b", "low", 1000, 1, 500) +
                         running("l2", "b", "low", 1000, 1, 500) + job("u", "a", "urgent", 2000);

TEST(node_order, lowest_class_or_least_victims_first) {
  EXPECT_EQ(with_order(harm, {no_preemption, lowest_victim_class, least_victims, best_fit}),
            (lines{"P l1 n2", "P l2 n2", "S u n2 2000"}));
  EXPECT_EQ(with_order(harm, {no_preemption, least_victims, lowest_victim_class, best_fit}),
            (lines{"P s n1", "S u n1 2000"}));
}

TEST(node_order, the_richest_victims_first) {
  // b holds three cpu, c one: the victim is b's although n1 has the lower id.
  const std::string text =
      "N 0 n1 e 1000 1000 0 - -\nN 1 n2 e 1000 1000 0 - -\n"
      "N 2 n3 e 2000 1000 0 - -\nQ a 1\nQ b 1\nQ c 1\n" +
      running("c1", "c", "low", 1000, 0, 500) + running("b1", "b", "low", 1000, 1, 500) +
      running("b2", "b", "std-np", 2000, 2, 1000) + job("u", "a", "urgent", 1000);
  EXPECT_EQ(with_order(text, {no_preemption, largest_victim_share, best_fit}),
            (lines{"P b1 n2", "S u n2 2000"}));
  EXPECT_EQ(with_order(text, {no_preemption, best_fit}), (lines{"P c1 n1", "S u n1 2000"}));
}

/// Queue b runs one job of 2 cpu on n1 and two of 1 cpu on n2, the latter younger. Queue a has the
/// better claim to each.
const std::string rich = "N 0 n1 e 2000 1000 0 - -\nN 1 n2 e 2000 1000 0 - -\nQ a 0.5\nQ b 1\n" +
                         running("b1", "b", "std", 2000, 0, 1000, 1) +
                         running("b2", "b", "std", 1000, 1, 1000, 2) +
                         running("b3", "b", "std", 1000, 1, 1000, 3) + job("j", "a", "std", 2000);

TEST(node_order, decides_who_leaves_for_balance_as_well) {
  const auto balance = [](config& conf) { conf.protected_fraction = 0; };
  const lines one{"P b1 n1", "S j n1 1000"};
  EXPECT_EQ(with_order(rich, config{}.node_order, balance), one);
  EXPECT_EQ(with_order(rich, {no_preemption, least_victims, best_fit}, balance), one);
  // The fuller node wins, although it has two victims.
  const auto fuller = "N 0 n1 e 2500 1000 0 - -\n" + rich.substr(rich.find('\n') + 1);
  const lines two{"P b2 n2", "P b3 n2", "S j n2 1000"};
  EXPECT_EQ(with_order(fuller, {no_preemption, best_fit}, balance), two);
  EXPECT_EQ(with_order(fuller, {no_preemption, lowest_victim_class, largest_victim_share, best_fit},
                       balance),
            two);
  EXPECT_EQ(with_order(fuller, config{}.node_order, balance), one);
}

TEST(node_order, may_leave_out_preemption_where_nobody_can_be_preempted) {
  const auto never = [](config& conf) {
    conf.evict_for_balance = false;
    conf.urgency = urgency_rule::never;
  };
  EXPECT_EQ(with_order(users, {best_fit}, never), (lines{"S j n1 1000"}));
  EXPECT_EQ(with_order(users, {empty_node, best_fit}, never), (lines{"S j n2 1000"}));
  EXPECT_EQ(with_order(harm, {best_fit}, never), lines{});
}

TEST(node_order, soft_taints_decide_only_between_equal_nodes) {
  const std::string text =
      "N 0 n1 e 4000 1000 0 - spot=yes:PreferNoSchedule\n"
      "N 1 n2 e 4000 1000 0 - -\nQ a 1\n" +
      job("j", "a", "std", 1000);
  EXPECT_EQ(with_order(text, {no_preemption, sole_user_node, best_fit}), (lines{"S j n2 1000"}));
  EXPECT_EQ(with_order(text, {no_preemption, best_fit}), (lines{"S j n2 1000"}));
}

/// The classes are spot, which may leave for urgency only, batch for balance only, fixed for
/// neither.
config three_classes(urgency_rule rule) {
  auto conf = bench_config(preset::argosy);
  conf.classes = {
      {.name = "spot", .priority = 100, .urgency_preemptible = true},
      {.name = "batch", .priority = 100, .fair_share_preemptible = true},
      {.name = "fixed", .priority = 100},
      {.name = "std", .priority = 1000},
  };
  conf.urgency = rule;
  conf.protected_fraction = 9;
  mark_victims(conf);
  return conf;
}

bool gives_way(const std::string& victim, urgency_rule rule) {
  const auto text = "N 0 n e 1000 1000 0 - -\nQ a 1\nQ b 1\n" +
                    running("v", "b", victim, 1000, 0, 100) + job("j", "a", "std", 1000);
  auto world = read_snap1(text, three_classes(rule));
  EXPECT_TRUE(world);
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(what.error + what.violation, "");
  return !what.preemptions.empty();
}

TEST(urgency_victims, are_whom_the_rule_names) {
  using enum urgency_rule;
  struct row {
    urgency_rule rule;
    bool spot, batch, fixed;
  };
  for (const auto& [rule, spot, batch, fixed] :
       {row{urgency_preemptible, true, false, false}, row{preemptible_lower, false, true, false},
        row{any_lower, true, true, true}, row{never, false, false, false}}) {
    EXPECT_EQ(gives_way("spot", rule), spot) << static_cast<int>(rule);
    EXPECT_EQ(gives_way("batch", rule), batch) << static_cast<int>(rule);
    EXPECT_EQ(gives_way("fixed", rule), fixed) << static_cast<int>(rule);
  }
}

TEST(urgency_victims, count_with_the_priority_at_which_they_run) {
  // A job of class std that was started away at 100 gives way to any of its own class.
  const auto text = "N 0 n e 1000 1000 0 - -\nQ a 1\nQ b 1\n" +
                    running("v", "b", "std", 1000, 0, 100) + job("j", "a", "std", 1000);
  const auto lost = [&](urgency_rule rule) {
    return !decide(text, preset::argosy, [&](config& conf) {
              conf.urgency = rule;
              conf.protected_fraction = 9;
              mark_victims(conf);
            }).what.preemptions.empty();
  };
  EXPECT_TRUE(lost(urgency_rule::urgency_preemptible));
  EXPECT_TRUE(lost(urgency_rule::preemptible_lower));
  EXPECT_TRUE(lost(urgency_rule::any_lower));
}

TEST(urgency_victims, none_holds_under_preset_current_too) {
  const auto adjust = [](config& conf) {
    conf.urgency = urgency_rule::never;
    conf.protected_fraction = 9;
    mark_victims(conf);
  };
  EXPECT_EQ(decide(harm, preset::current, adjust).rows, lines{});
}

TEST(unified, a_higher_class_pushes_out_even_what_is_not_preemptible) {
  const auto text = "C protectedFractionOfFairShare 9\nN 0 n e 1000 1000 0 - -\nQ a 1\nQ b 1\n" +
                    running("v", "b", "std-np", 1000, 0, 1000) + job("j", "a", "urgent", 1000);
  EXPECT_EQ(decide(text, preset::unified).rows, (lines{"P v n", "S j n 2000"}));
  EXPECT_EQ(decide(text, preset::argosy).rows, lines{});
}

}  // namespace
}  // namespace argosy::scheduling
