// SPDX-License-Identifier: Apache-2.0
// Goal: a candidate never claims beside a leader that answers, and claims soon where none is left.
// Method: rows of answers at times that the test gives.
#include "runtime/ledger/candidate_core.hpp"

#include <gtest/gtest.h>

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;

struct candidate : ::testing::Test {
  candidate_core core{{.absence = 3s, .takeover = 30s}};
};

TEST_F(candidate, claims_at_once_where_nobody_leads) {
  EXPECT_TRUE(core.may_claim(lead_answer::nobody, 100s));
}

TEST_F(candidate, lets_others_lead_first_when_it_has_handed_the_lead_over) {
  candidate_core yields{{.absence = 3s, .takeover = 30s, .yield = 5s}};
  EXPECT_FALSE(yields.may_claim(lead_answer::nobody, 100s, true));
  EXPECT_FALSE(yields.may_claim(lead_answer::over, 104s, true));
  EXPECT_TRUE(yields.may_claim(lead_answer::nobody, 105s, true)) << "nobody else did";
}

TEST_F(candidate, does_not_claim_while_a_leader_answers) {
  for (auto now = 0s; now < 1h; now += 1s) EXPECT_FALSE(core.may_claim(lead_answer::somebody, now));
}

TEST_F(candidate, waits_for_a_leader_that_may_only_have_lost_its_connection) {
  EXPECT_FALSE(core.may_claim(lead_answer::somebody, 0s));
  EXPECT_FALSE(core.may_claim(lead_answer::nobody, 1s));
  EXPECT_FALSE(core.may_claim(lead_answer::nobody, 3s));
  EXPECT_FALSE(core.may_claim(lead_answer::somebody, 4s));
  EXPECT_FALSE(core.may_claim(lead_answer::nobody, 5s));
  EXPECT_FALSE(core.may_claim(lead_answer::nobody, 7s));
  EXPECT_TRUE(core.may_claim(lead_answer::nobody, 8s));
}

TEST_F(candidate, claims_when_a_leader_was_silent_for_so_long_that_it_stands_down) {
  EXPECT_FALSE(core.may_claim(lead_answer::silence, 0s));
  EXPECT_FALSE(core.may_claim(lead_answer::silence, 29s));
  EXPECT_TRUE(core.may_claim(lead_answer::silence, 30s));
}

TEST_F(candidate, counts_the_silence_anew_after_an_answer) {
  EXPECT_FALSE(core.may_claim(lead_answer::silence, 0s));
  EXPECT_FALSE(core.may_claim(lead_answer::somebody, 20s));
  EXPECT_FALSE(core.may_claim(lead_answer::silence, 21s));
  EXPECT_FALSE(core.may_claim(lead_answer::silence, 50s));
  EXPECT_TRUE(core.may_claim(lead_answer::silence, 51s));
}

TEST_F(candidate, takes_a_silent_one_that_left_for_one_that_lost_its_connection) {
  EXPECT_FALSE(core.may_claim(lead_answer::silence, 0s));
  EXPECT_FALSE(core.may_claim(lead_answer::nobody, 10s));
  EXPECT_TRUE(core.may_claim(lead_answer::nobody, 13s));
}

TEST_F(candidate, does_not_wait_for_a_leader_that_says_that_it_ends) {
  EXPECT_FALSE(core.may_claim(lead_answer::somebody, 0s));
  EXPECT_TRUE(core.may_claim(lead_answer::over, 1s));
  EXPECT_TRUE(core.may_claim(lead_answer::nobody, 2s)) << "it has gone since";
  EXPECT_FALSE(core.may_claim(lead_answer::somebody, 3s)) << "another one was first";
  EXPECT_FALSE(core.may_claim(lead_answer::nobody, 4s)) << "that one may be back";
  EXPECT_TRUE(core.may_claim(lead_answer::nobody, 7s));
}

}  // namespace
}  // namespace argosy::ledger
