// SPDX-License-Identifier: Apache-2.0
// Goal: no process leads that lacks an acknowledged change, and the one that has all of them always
// may. Method: single facts, and what is judged by them.
#include "runtime/ledger/claim_policy.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <string>

namespace argosy::ledger {
namespace {

using ::testing::HasSubstr;

leader_standing leader(std::uint64_t epoch, std::string server = "s1") {
  return {"a/1/planea", "cp", {epoch}, {1}, {8}, std::move(server), 7};
}

claim_facts facts_of(std::string holder, std::uint64_t epoch, std::optional<leader_standing> met) {
  claim_facts out;
  out.plane = "planeb";
  out.store = {"cp", std::move(holder), {epoch}, {1}, {5}, false};
  out.met = std::move(met);
  out.server_id = "s1";
  return out;
}

TEST(claim_policy, lets_whoever_led_last_do_everything) {
  EXPECT_EQ(judge_claim(facts_of("b/1/planeb", 3, {})).right, claim_right::everything);
  EXPECT_EQ(judge_claim(facts_of("b/1/planeb", 3, leader(2, "old"))).right,
            claim_right::everything);
}

TEST(claim_policy, lets_a_new_store_do_everything_until_a_leader_is_met) {
  auto facts = facts_of("", 0, {});
  facts.store = {};
  EXPECT_EQ(judge_claim(facts).right, claim_right::everything);
  facts.met = leader(1);
  EXPECT_EQ(judge_claim(facts).right, claim_right::go_on);
  facts.server_id = "s2";
  EXPECT_EQ(judge_claim(facts).right, claim_right::none);
}

TEST(claim_policy, lets_others_go_on_in_the_same_start_of_the_server_alone) {
  auto facts = facts_of("b/1/planeb", 3, leader(4));
  EXPECT_EQ(judge_claim(facts).right, claim_right::go_on);
  EXPECT_EQ(judge_end(facts, {1}, {8}).right, claim_right::go_on);
  EXPECT_THAT(judge_end(facts, {1}, {7}).why, HasSubstr("the log ends at record 7"));
  EXPECT_EQ(judge_end(facts, {0}, {9}).right, claim_right::none);
  facts.server_id = "s2";
  EXPECT_THAT(judge_claim(facts).why, HasSubstr("the nats-server was started anew"));
  facts.server_id.clear();
  EXPECT_EQ(judge_claim(facts).right, claim_right::none);
}

TEST(claim_policy, does_not_trust_a_log_whose_leader_was_never_heard) {
  EXPECT_THAT(judge_claim(facts_of("a/1/planea", 3, {})).why, HasSubstr("was never heard"));
}

TEST(claim_policy, goes_on_where_the_last_claim_was_made_on_this_start_of_the_server) {
  EXPECT_EQ(judge_claim(facts_of("a/1/planea/s1", 3, {})).right, claim_right::go_on);
  EXPECT_EQ(judge_end(facts_of("a/1/planea/s1", 3, {}), {1}, {5}).right, claim_right::go_on);
  EXPECT_EQ(judge_claim(facts_of("a/1/planea/s0", 3, {})).right, claim_right::none);
  EXPECT_EQ(judge_claim(facts_of("a/1/planea/s1", 3, leader(4, "s0"))).right, claim_right::none);
}

TEST(claim_policy, tells_another_control_plane_and_does_not_remember_it) {
  auto other = leader(9);
  other.control_plane = "other";
  const auto own = facts_of("b/1/planeb", 3, leader(2));
  EXPECT_THAT(why_foreign(other, own.store), HasSubstr("another control plane"));
  EXPECT_EQ(why_foreign(other, {}), "") << "an empty store is of none yet";
  EXPECT_EQ(remembered(other, leader(2), own.store), leader(2));
  EXPECT_EQ(remembered(other, {}, own.store), std::nullopt);
  auto facts = facts_of("b/1/planeb", 3, other);
  EXPECT_EQ(judge_claim(facts).right, claim_right::everything)
      << "one that was remembered says nothing of this log";
  facts.store.holder = "a/1/planea";
  EXPECT_THAT(judge_claim(facts).why, HasSubstr("was never heard"));
}

TEST(claim_policy, does_not_lead_after_a_leader_of_another_version) {
  leader_standing other;
  other.holder = "old/7";
  auto facts = facts_of("b/1/planeb", 3, {});
  for (const auto& before : {std::optional<leader_standing>{}, std::optional{leader(4)}}) {
    facts.met = remembered(other, before, facts.store);
    EXPECT_THAT(judge_claim(facts).why, HasSubstr("'old/7' is of another version"));
    EXPECT_EQ(facts.met->epoch, before ? before->epoch : model::epoch{})
        << "what was heard before is kept";
    EXPECT_EQ(remembered(leader(5), facts.met, facts.store), leader(5));
  }
  EXPECT_EQ(remembered(leader(3), facts.met, facts.store), facts.met) << "it leads no more";
  facts.accepted_epoch = {4};
  EXPECT_EQ(judge_claim(facts).right, claim_right::everything);
}

TEST(claim_policy, leaves_a_restored_backup_to_the_rules_of_backups_until_a_leader_is_met) {
  auto facts = facts_of("a/1/planea", 3, {});
  facts.store.is_copy = true;
  EXPECT_EQ(judge_claim(facts).right, claim_right::everything);
  facts.met = leader(3, "s0");
  EXPECT_EQ(judge_claim(facts).right, claim_right::none);
}

TEST(claim_policy, takes_an_operators_word_up_to_the_next_leader) {
  auto facts = facts_of("a/1/planea", 3, leader(4, "s0"));
  facts.accepted_epoch = {4};
  EXPECT_EQ(judge_claim(facts).right, claim_right::everything);
  facts.met->epoch = {5};
  EXPECT_EQ(judge_claim(facts).right, claim_right::none);
}

TEST(claim_policy, remembers_the_highest_leader) {
  const auto kept = [](const leader_standing& heard) {
    return *remembered(heard, leader(4), facts_of("", 0, {}).store);
  };
  EXPECT_EQ(kept(leader(4)), leader(4));
  EXPECT_EQ(kept(leader(3, "s2")), leader(4));
  EXPECT_EQ(kept(leader(4, "s2")), leader(4, "s2"));
  EXPECT_EQ(kept(leader(5)), leader(5));
  auto farther = leader(4);
  farther.position = farther.position.next();
  EXPECT_EQ(kept(farther), farther);
  EXPECT_EQ(remembered(leader(4), {}, {}), leader(4));
}

TEST(claim_policy, finds_the_data_directory_in_a_holder) {
  EXPECT_EQ(plane_of(holder_text("host/7", "abc", "s1")), "abc");
  EXPECT_EQ(server_of(holder_text("host/7", "abc", "s1")), "s1");
  EXPECT_EQ(process_of(holder_text("host/7", "abc", "s1")), "host/7");
  EXPECT_EQ(process_of("host/7"), "host/7");
  EXPECT_EQ(plane_of("host/7"), "");
  EXPECT_EQ(plane_of(""), "");
}

}  // namespace
}  // namespace argosy::ledger
