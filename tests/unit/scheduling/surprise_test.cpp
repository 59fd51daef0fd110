// SPDX-License-Identifier: Apache-2.0
// Goal: preset `argosy` mends what surprises users of preset `current`, example by example.
// Method: each recorded minimal example is decided and compared with a plan written by hand.
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

lines mended(const std::string& name) {
  const auto outcome = decide(read_surprise(name));
  EXPECT_EQ(outcome.what.error, "");
  return outcome.rows;
}

TEST(surprise, exact_fit_is_found) {
  EXPECT_EQ(mended("s01-exact"), (lines{"S j n1 1000"}));
}

TEST(surprise, unrelated_nodes_hide_no_fit) {
  EXPECT_EQ(mended("s02-alone"), (lines{"S k x 1000"}));
  EXPECT_EQ(mended("s02-hidden"), (lines{"S k x 1000"}));
}

TEST(surprise, first_equal_job_gets_the_place) {
  EXPECT_EQ(mended("s02-memo"), (lines{"S k1 x 1000", "S m y 1000"}));
}

TEST(surprise, trials_leave_no_trace) {
  // Both members are tried at home first under r2: b1 takes both at their own priority.
  EXPECT_EQ(mended("s03-priority"), (lines{"S g1 b1 1000", "S g2 b1 1000"}));
  EXPECT_EQ(mended("s03-tolerations"), (lines{"S g1 b1 1000", "S g2 b1 1000"}));
}

TEST(surprise, no_more_victims_than_needed) {
  EXPECT_EQ(mended("s04-victims"), (lines{"P big n", "S new n 1000"}));
}

TEST(surprise, class_protects_in_a_gang) {
  EXPECT_EQ(mended("s05-mate"), (lines{}));
}

TEST(surprise, urgency_does_least_harm) {
  // Class and queue of the victims are equal, and one job goes on either node; with s2 gone 4 cpus
  // of n2 are free, with `big` gone all 8 of n1: the tighter fit costs less. s1 is better entitled.
  EXPECT_EQ(mended("s06-urgency"), (lines{"P s2 n2", "S u n2 2000"}));
}

TEST(surprise, nothing_is_over_committed) {
  EXPECT_EQ(mended("s07-overcommit"), (lines{"P r n", "S u n 2000"}));
}

TEST(surprise, evicted_jobs_return_when_their_room_is_free) {
  for (const auto* name :
       {"s08-cordon", "s08-floating", "s08-label", "s08-norow", "s08-unplaceable"})
    EXPECT_EQ(mended(name), (lines{})) << name;
}

TEST(surprise, soft_taints_only_order_nodes) {
  EXPECT_EQ(mended("s09-soft"), (lines{"S a1 n 1000"}));
}

TEST(surprise, zero_requests_are_legal) {
  EXPECT_EQ(mended("s10-nothing"), (lines{}));
  // The urgent job takes the node from the low one; the job without cpu fits beside it.
  EXPECT_EQ(mended("s10-zerocpu"), (lines{"P r1 n", "S u n 2000", "S z n 500"}));
}

TEST(surprise, gang_ids_belong_to_their_queue) {
  EXPECT_EQ(mended("s11-gangid"), (lines{}));
}

TEST(surprise, class_stays_before_fairness) {
  EXPECT_EQ(mended("s12-class"),
            (lines{"S a1 n 2000", "S a2 n 2000", "S a3 n 2000", "S a4 n 2000"}));
}

TEST(surprise, gangs_larger_than_declared_are_cut_or_go_whole) {
  // Submission refuses such gangs. Gangs that exist nevertheless start with as many as declared,
  // and a member that runs leaves together with all mates.
  EXPECT_EQ(mended("s13-cut"), (lines{"S b1 n 1000", "S b2 n 1000"}));
  EXPECT_EQ(mended("s13-three"), (lines{"P b1 n", "P b2 n", "P b3 n", "S new n 1000"}));
}

TEST(surprise, invalid_affinity_harms_nobody_else) {
  EXPECT_EQ(mended("s14-affinity"), (lines{"S a2 n 1000"}));
}

TEST(surprise, preemption_budget_is_a_cap) {
  const auto outcome = decide(read_surprise("s15-budget"));
  EXPECT_LE(outcome.what.preemptions.size(), 1u);
  EXPECT_EQ(outcome.rows, (lines{"P b4 n", "S new2 n 1000"}));
}

}  // namespace
}  // namespace argosy::scheduling
