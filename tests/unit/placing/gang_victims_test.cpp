// SPDX-License-Identifier: Apache-2.0
// Goal: a victim counts with all that falls with it, and no gang dies for a job whose queue is owed
// little. Method: small worlds in which a gang runs on some nodes and single jobs on others.
#include "runtime/scheduling/engine/queues/misfits.hpp"
#include "runtime/scheduling/engine/steps/gang_losses.hpp"
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

std::string victim_node(int number, const std::string& id, int cores = 2) {
  return worlds::node({.number = number, .name = id, .cpu = 1000 * cores, .memory = 1'000'000'000});
}

std::string victim_job(const std::string& id, const std::string& queue, const std::string& cls,
                       int cores, int members = 1) {
  return worlds::job({.id = id,
                      .queue = queue,
                      .priority_class = cls,
                      .cpu = 1000 * cores,
                      .memory = 1,
                      .gang = members > 1 ? "G" : "-",
                      .cardinality = members});
}

std::string victim_run(const std::string& id, int node, int priority) {
  return worlds::run({.job = id, .node = node, .priority = priority});
}

/// A gang of six of queue a has a node for each member, and two single jobs share another node.
std::string gang_and_singles(const std::string& cls, int priority,
                             const std::string& of_singles = "a") {
  std::string text = "Q a 9\nQ b 1\nQ c 9\n";
  for (int i = 0; i < 6; ++i) {
    const auto number = std::to_string(i);
    text += victim_node(i, "g" + number) + victim_job("gang" + number, "a", cls, 2, 6) +
            victim_run("gang" + number, i, priority);
  }
  text += victim_node(6, "s");
  for (const auto* id : {"single0", "single1"})
    text += victim_job(id, of_singles, cls, 1) + victim_run(id, 6, priority);
  return text;
}

constexpr preset victim_presets[] = {preset::argosy, preset::unified, preset::classic};
const lines singles_leave = {"P single0 s", "P single1 s", "S new s 1000"};

std::function<void(config&)> protecting(double fraction, double factor = 4) {
  return [=](config& conf) {
    conf.protected_fraction = fraction;
    conf.gang_loss_factor = factor;
  };
}

TEST(gang_victims, count_with_their_mates_for_balance) {
  const auto text = gang_and_singles("std", 1000) + victim_job("new", "b", "std", 2);
  for (const auto name : victim_presets)
    for (const double factor : {4.0, 1e6})
      EXPECT_EQ(decide(text, name, protecting(0, factor)).rows, singles_leave) << to_string(name);
}

TEST(gang_victims, count_with_their_mates_for_urgency) {
  const auto text = gang_and_singles("low", 500) + victim_job("new", "b", "urgent", 2);
  for (const auto name : victim_presets)
    EXPECT_EQ(decide(text, name, protecting(9)).rows,
              (lines{"P single0 s", "P single1 s", "S new s 2000"}))
        << to_string(name);
}

TEST(gang_victims, over_the_budget_leave_the_choice_to_other_nodes) {
  // The gang is of the richer queue, so that its nodes come first.
  const auto text = gang_and_singles("std", 1000, "c") + victim_job("new", "b", "std", 2);
  EXPECT_EQ(decide(text, preset::argosy, protecting(0, 1e6)).rows.size(), 7U);
  for (const int budget : {2, 3, 5})
    EXPECT_EQ(decide("C fairsharePreemptionBurst " + std::to_string(budget) + "\n" + text,
                     preset::argosy, protecting(0, 1e6))
                  .rows,
              singles_leave)
        << budget;
  EXPECT_EQ(
      decide("C fairsharePreemptionBurst 1\n" + text, preset::argosy, protecting(0, 1e6)).rows,
      lines{});
}

TEST(gang_victims, are_one_where_they_share_a_node) {
  // The gang goes as a whole, so that what both members leave is enough, and c stays.
  const auto text = "C rankAtShare false\nQ a 1\nQ b 1\n" + victim_node(0, "n", 4) +
                    victim_job("c", "a", "std", 1) + victim_run("c", 0, 1000) +
                    victim_job("g0", "a", "std", 1, 2) + victim_run("g0", 0, 1000) +
                    victim_job("g1", "a", "std", 2, 2) + victim_run("g1", 0, 1000) +
                    victim_job("new", "b", "std", 3);
  EXPECT_EQ(decide(text, preset::argosy, protecting(0, 1e6)).rows,
            (lines{"P g0 n", "P g1 n", "S new n 1000"}));
}

/// Ten nodes of two cores: a gang of six of queue a has six of them, and four jobs of b, which are
/// of this class, have the others.
std::string gang_and_others(const std::string& cls) {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    const auto id = std::to_string(i);
    text += victim_node(i, "n" + id);
    text += i < 6 ? victim_job("g" + id, "a", "std", 2, 6) : victim_job("g" + id, "b", cls, 2);
    text += victim_run("g" + id, i, 1000);
  }
  return text;
}

/// A gang of twelve of twenty cores is a little above its share; b, which is owed one core, waits
/// with a job of one core.
std::string tiny_job_and_gang(int waiting = 1) {
  auto text = "Q a 1\nQ b 1\n" + gang_and_others("std");
  for (int i = 0; i < waiting; ++i) text += victim_job("tiny" + std::to_string(i), "b", "std", 1);
  return text;
}

TEST(gang_victims, do_not_fall_for_a_small_job) {
  for (const auto name : victim_presets) {
    const auto made = decide(tiny_job_and_gang(), name, protecting(1));
    EXPECT_EQ(made.rows, lines{}) << to_string(name);
    ASSERT_EQ(made.what.refusals.size(), 1U);
    EXPECT_EQ(made.what.refusals.front().code, reason::job_does_not_fit);
    // The loss is 0.6, and the debt 0.05.
    EXPECT_EQ(decide(tiny_job_and_gang(), name, protecting(1, 11.9)).rows, lines{});
    EXPECT_EQ(decide(tiny_job_and_gang(), name, protecting(1, 12)).rows.size(), 7U);
  }
}

TEST(gang_victims, fall_for_a_queue_that_is_owed_enough) {
  // With three jobs b is owed its fair half, which is two cores more: 0.6 is above 4 x 0.1.
  EXPECT_EQ(decide(tiny_job_and_gang(3), preset::argosy, protecting(1)).rows, lines{});
  EXPECT_EQ(decide(tiny_job_and_gang(3), preset::argosy, protecting(1, 6)).rows.size(), 9U);
}

TEST(gang_victims, spared_for_one_queue_are_no_misfit_for_another) {
  // b comes first and is owed nothing; c, whose short jobs count in the order of queues alone, is
  // owed a third.
  auto text = "C rankAtShare false\nQ a 1\nQ b 1\nQ c 1\nC penalty c:cpu=9000\n" +
              gang_and_others("std-np");
  text += victim_job("b0", "b", "std", 1);
  for (int i = 0; i < 8; ++i) text += victim_job("c" + std::to_string(i), "c", "std", 1);
  const auto made = decide(text, preset::argosy, protecting(1));
  EXPECT_EQ(made.rows.front(), "P g0 n0");
  EXPECT_EQ(made.rows.back(), "S c7 n3 1000");
}

TEST(misfits, are_those_of_everybody_or_of_one_queue) {
  engine::misfits known(3);
  EXPECT_FALSE(known.has(0, 1));
  known.note_for(0, 1);
  EXPECT_TRUE(known.has(0, 1));
  EXPECT_FALSE(known.has(1, 1));
  known.note(1);
  known.note_for(0, 1);
  EXPECT_TRUE(known.has(1, 1));
  EXPECT_FALSE(known.has(0, 2));
}

TEST(gang_losses, know_what_falls_and_what_is_too_much) {
  engine::gang_losses losses;
  const std::int64_t one[] = {1};
  const std::int64_t two[] = {2};
  losses.add(7, 1, one, 1);
  losses.add(7, 0, two, 1);
  losses.add(8, 2, one, 1);
  losses.add(8, 2, one, 1);
  losses.add(9, 0, two, 1);
  losses.close([](const std::int64_t* amounts) { return 0.1 * static_cast<double>(*amounts); });
  EXPECT_EQ(losses.of(9), nullptr) << "a single member loses no more than a job";
  EXPECT_EQ(losses.of(none), nullptr);
  ASSERT_NE(losses.of(7), nullptr);
  EXPECT_EQ(losses.of(7)->jobs, 2U);
  EXPECT_EQ(losses.of(7)->lowest, 0U);
  EXPECT_EQ(losses.of(7)->highest, 1U);
  EXPECT_EQ(losses.of(7)->amounts, std::vector<std::int64_t>{3});
  losses.allow(0.2);
  EXPECT_EQ(losses.allowed(), 1U);
  EXPECT_TRUE(losses.spares(*losses.of(7)));
  EXPECT_FALSE(losses.spares(*losses.of(8)));
  EXPECT_TRUE(losses.spares_any());
  losses.allow(0.1 + 0.1 + 0.1);
  EXPECT_FALSE(losses.spares_any());
}

}  // namespace
}  // namespace argosy::scheduling
