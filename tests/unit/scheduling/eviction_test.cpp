// SPDX-License-Identifier: Apache-2.0
// Goal: under preset classic a queue gives up jobs for balance only where another queue waits with
// a class of equal priority. An evicted job returns unless its room was taken, which includes
// floating amounts. Only some nodes are drawn. Method: small worlds; causes and decisions tell
// which way it went.
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {

namespace {

using all = std::vector<preemption_cause>;

/// Queue a holds all four cpus with class std; queue b asks for one with the given class. `more`
/// are lines of further queues.
all causes(const std::string& wanted_class, const std::string& of_queue_b, preset name,
           const std::string& more = "", bool contested_only = true) {
  std::string world =
      "N 0 n0 e 4000 8589934592 0 - -\n"
      "Q a 1\n"
      "Q b 1" +
      of_queue_b + "\n";
  for (int i = 0; i < 4; ++i)
    world += "J r" + std::to_string(i) + " a std 0 1 1000 1073741824 0 - - - - 0 -\nR r" +
             std::to_string(i) + " 0 1 1000\n";
  world += "J j b " + wanted_class + " 0 1 1000 1073741824 0 - - - - 0 -\n" + more;
  const auto made = decide(world, name, [&](config& conf) {
    conf.protected_fraction = 1;
    conf.evict_contested_only = conf.evict_contested_only && contested_only;
  });
  all out;
  for (const auto& each : made.what.preemptions) out.push_back(each.cause);
  return out;
}

}  // namespace

TEST(contested_eviction, classic_balances_between_equal_classes) {
  EXPECT_EQ(causes("std", "", preset::classic), all{preemption_cause::fair_share});
}

TEST(contested_eviction, classic_leaves_a_higher_class_to_urgency) {
  EXPECT_EQ(causes("urgent", "", preset::classic), all{preemption_cause::urgency});
  EXPECT_EQ(causes("urgent", "", preset::argosy), all{preemption_cause::fair_share});
}

TEST(contested_eviction, a_lower_class_or_a_cordoned_queue_does_not_contend) {
  // Only the urgent job of queue c gets in; by its cause the evicted jobs of a are told from bound
  // ones.
  const std::string urgent = "Q c 1\nJ u c urgent 0 1 1000 1073741824 0 - - - - 0 -\n";
  for (const auto& [wanted, of_b] : {std::pair{"low", ""}, {"std", " cordoned"}}) {
    EXPECT_EQ(causes(wanted, of_b, preset::classic, urgent), all{preemption_cause::urgency});
    EXPECT_EQ(causes(wanted, of_b, preset::classic, urgent, /*contested_only=*/false),
              all{preemption_cause::fair_share});
  }
  EXPECT_EQ(causes("low", "", preset::classic), all{});
  EXPECT_EQ(causes("std", " cordoned", preset::classic), all{});
}

namespace {

/// The fraction of 2,000 nodes, each with one job of a, that are drawn. Jobs of a on other nodes do
/// not leave for b, which would take all of them.
double drawn_part(double probability, std::uint64_t seed) {
  std::string world = "Q a 1\nQ b 0.000001\n";
  for (int i = 0; i < 2000; ++i) {
    const auto number = std::to_string(i);
    world += "J r" + number + " a std 0 1 1000 1 0 - - - - 1 -\nR r" + number + " " + number +
             " 1 1000\nJ w" + number + " b std 0 1 1000 1 0 - - - - 1 -\n";
    world = "N " + std::to_string(1999 - i) + " n" + number + " e 1000 10 0 - -\n" + world;
  }
  auto conf = bench_config(preset::argosy);
  conf.protected_fraction = 0;
  conf.rank_at_share = false;  // So that b takes all of them.
  conf.eviction_probability = probability;
  auto read = read_snap1(world, conf);
  EXPECT_TRUE(read) << read.error().detail;
  read->params.seed = seed;
  const auto made = schedule(read->jobs_and_nodes, read->conf, read->params);
  if (probability > 0) {
    EXPECT_EQ(made.preemptions.size() + made.spared_by_draw, 2000u);
  }
  return static_cast<double>(made.preemptions.size()) / 2000.0;
}

}  // namespace

TEST(eviction, considers_the_part_of_the_nodes_that_is_its_probability) {
  // Three standard deviations of 2,000 draws are 0.034 at most.
  for (const double probability : {0.1, 0.5, 0.9})
    for (const std::uint64_t seed : {1, 2, 3})
      EXPECT_NEAR(drawn_part(probability, seed), probability, 0.034);
  EXPECT_EQ(drawn_part(1.0, 1), 1.0);
  EXPECT_EQ(drawn_part(0.0, 1), 0.0);
}

/// A class means what the round says, and not what the snapshot was made with.
TEST(eviction, asks_the_round_whether_a_class_protects_a_gang) {
  auto world = read_snap1(
      "N 0 n0 e 4000 8589934592 0 - -\nQ a 1\nQ b 1\n"
      "J g1 a std 0 1 2000 1024 0 - - - g 2 -\nR g1 0 1 1000\n"
      "J g2 a low 0 1 2000 1024 0 - - - g 2 -\nR g2 0 1 500\n"
      "J w b std 0 1 2000 1024 0 - - - - 0 -\n",
      bench_config(preset::argosy));
  ASSERT_TRUE(world);
  for (auto& entry : world->conf.classes)
    if (entry.name == "std") entry.fair_share_preemptible = false;
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(what.error, "");
  EXPECT_EQ(what.violation, "");
  EXPECT_TRUE(what.preemptions.empty());
}

/// Queue a runs a1 with ten licences, or more than there are; queue b, which comes first, asks for
/// some.
std::string licences(int total, int wanted) {
  return "C floatingResources lic=" + std::to_string(total) +
         "\nC protectedFractionOfFairShare 0.5\nN 0 n0 e 20000 100000 0 - -\nQ a 1\nQ b 0.1\n"
         "J a1 a std 0 1 8000 1000 0 - - - - 1 - lic=10\nR a1 0 5 1000\n"
         "J b1 b std 0 1 1000 1000 0 - - - - 1 - lic=" +
         std::to_string(wanted) + "\n";
}

class floating_amounts : public ::testing::TestWithParam<preset> {};

TEST_P(floating_amounts, of_an_evicted_job_are_given_once) {
  const auto outcome = decide(licences(10, 9), GetParam());
  EXPECT_EQ(outcome.rows, (lines{"P a1 n0", "S b1 n0 1000"}));
  ASSERT_EQ(outcome.what.preemptions.size(), 1u);
  EXPECT_EQ(outcome.what.preemptions[0].cause, preemption_cause::not_returned);
  EXPECT_EQ(outcome.what.rescheduled, 0u);
}

TEST_P(floating_amounts, that_were_lowered_take_nothing_away) {
  EXPECT_EQ(decide(licences(5, 6), GetParam()).rows, lines{});
  // What is taken counts against what was used, not against what there is.
  EXPECT_EQ(decide(licences(5, 4), GetParam()).rows, (lines{"P a1 n0", "S b1 n0 1000"}));
}

TEST_P(floating_amounts, are_lost_together_with_the_room_on_the_node) {
  // No job of a lower class may push a1 out, and b2 is asked for before that one has lost its room.
  const auto world = worlds::key("headFeasibility", "off") + licences(10, 9) +
                     "J b2 b low 0 2 19000 1000 0 - - - - 1 -\n";
  EXPECT_EQ(decide(world, GetParam()).rows, (lines{"P a1 n0", "S b1 n0 1000", "S b2 n0 500"}));
}

TEST_P(floating_amounts, of_a_gang_are_lost_by_all_of_it) {
  const auto world = licences(12, 9) + "J a2 a std 0 2 1000 1000 0 - - - g 2 -\nR a2 0 6 1000\n" +
                     "J a3 a std 0 2 1000 1000 0 - - - g 2 - lic=2\nR a3 0 6 1000\n";
  EXPECT_EQ(decide(world, GetParam()).rows, (lines{"P a1 n0", "S b1 n0 1000"}));
  auto larger = "C rankAtShare false\n" + world;
  larger.replace(larger.find("lic=9"), 5, "lic=11");
  EXPECT_EQ(decide(larger, GetParam()).rows,
            (lines{"P a1 n0", "P a2 n0", "P a3 n0", "S b1 n0 1000"}));
}

INSTANTIATE_TEST_SUITE_P(presets, floating_amounts,
                         ::testing::Values(preset::argosy, preset::unified),
                         [](const auto& param) { return std::string(to_string(param.param)); });

TEST(floating_amounts, come_back_with_the_job_that_had_taken_them) {
  // b1 takes the licences of a1, then the urgent job of c takes its node.
  const std::string world =
      "C rankAtShare false\nC floatingResources lic=10\nN 0 n0 e 8000 100000 0 - -\n"
      "N 1 n1 e 1000 100000 0 rack=r1 -\nN 2 n2 e 1000 100000 0 - -\nQ a 1\nQ b 1\nQ c 1\n"
      "J a1 a std 0 1 8000 1000 0 - - - - 1 - lic=10\nR a1 0 5 1000\n"
      "J b1 b std 0 1 1000 1000 0 - - - - 1 - lic=9\n"
      "J c1 c low 0 1 1000 1000 0 - - - - 1 -\nR c1 2 5 500\n";
  EXPECT_EQ(decide(world, preset::argosy).rows, (lines{"P a1 n0", "S b1 n1 1000"}));
  const auto outcome =
      decide(world + "J c2 c urgent 0 2 1000 1000 0 rack=r1 - - - 1 -\n", preset::argosy);
  EXPECT_EQ(outcome.rows, lines{"S c2 n1 2000"});
  EXPECT_EQ(outcome.what.rescheduled, 2u);
  EXPECT_EQ(outcome.what.preemption_tokens_used, 0u);
}

TEST(floating_amounts, of_evicted_jobs_are_given_away_within_the_preemption_budget) {
  const auto with_budget = [](const std::string& budget, const std::string& more = "") {
    return decide("C fairsharePreemptionBurst " + budget + "\n" + licences(10, 9) + more,
                  preset::argosy);
  };
  EXPECT_EQ(with_budget("0").rows, lines{});
  const auto outcome = with_budget("1");
  EXPECT_EQ(outcome.rows, (lines{"P a1 n0", "S b1 n0 1000"}));
  EXPECT_EQ(outcome.what.preemption_tokens_used, 1u);
  // What a1 is going to lose is counted when a2 would be pushed out for b2.
  const std::string more =
      "J a2 a std 0 2 9000 1000 0 - - - - 1 -\nR a2 0 6 1000\n"
      "J b2 b std 0 2 11000 1000 0 - - - - 1 -\n";
  EXPECT_EQ(with_budget("0", more).rows, lines{});
  EXPECT_EQ(with_budget("1", more).rows, (lines{"P a1 n0", "S b1 n0 1000"}));
  EXPECT_EQ(with_budget("2", more).rows,
            (lines{"P a1 n0", "P a2 n0", "S b1 n0 1000", "S b2 n0 1000"}));
}

TEST(floating_amounts, that_are_lost_leave_less_of_the_preemption_budget) {
  // In this order: b1 takes the licences, a1 loses them, d1 would push c1 out.
  const std::string world =
      "C rankAtShare false\nC floatingResources lic=10\nN 0 n0 e 20000 100000 0 - -\n"
      "Q a 0.2\nQ b 0.1\nQ c 2\nQ d 1\n"
      "J a1 a std 0 1 1000 1000 0 - - - - 1 - lic=10\nR a1 0 5 1000\n"
      "J b1 b std 0 1 1000 1000 0 - - - - 1 - lic=9\n"
      "J c1 c std 0 1 12000 1000 0 - - - - 1 -\nR c1 0 5 1000\n"
      "J d1 d std 0 1 12000 1000 0 - - - - 1 -\n";
  EXPECT_EQ(decide("C fairsharePreemptionBurst 1\n" + world, preset::argosy).rows,
            (lines{"P a1 n0", "S b1 n0 1000"}));
  EXPECT_EQ(decide("C fairsharePreemptionBurst 2\n" + world, preset::argosy).rows,
            (lines{"P a1 n0", "P c1 n0", "S b1 n0 1000", "S d1 n0 1000"}));
}

TEST(floating_amounts, that_jobs_of_no_queue_hold_are_not_free) {
  auto world = licences(10, 1);
  world.replace(world.find("Q a 1\n"), 6, "");
  EXPECT_EQ(decide(world, preset::argosy).rows, lines{});
  // Armada counts active queues alone.
  EXPECT_EQ(decide(world, preset::current).rows, lines{"S b1 n0 1000"});
}

}  // namespace argosy::scheduling
