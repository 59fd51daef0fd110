// SPDX-License-Identifier: Apache-2.0
// Goal: what was ever committed is in a store that whoever leads next has asked, whichever plane is
// gone. Method: tables of the rules, and all small sets of planes.
#include "runtime/ledger/plane_quorum.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace argosy::ledger {
namespace {

using ::testing::ElementsAre;

const model::plane a{"a", "host-1:/data"};
const model::plane b{"b", "host-2:/data"};
const model::plane c{"c", "host-3:/data"};
const model::plane d{"d", "host-3:/data"};
const model::plane e{"e", "host-4:/data"};

model::record_name record(std::uint64_t epoch, std::uint64_t position) {
  return {{epoch}, {position}, epoch * 1'000 + position};
}

binding_answer bound(const std::string& plane, std::uint64_t epoch, model::record_name end) {
  return {plane, {epoch}, true, false, {epoch}, end};
}

TEST(planes, confirm_a_batch_when_one_other_has_it) {
  EXPECT_TRUE(is_confirmed({}, "a", {}));
  EXPECT_TRUE(is_confirmed({{a}}, "a", {}));
  EXPECT_FALSE(is_confirmed({{a, b, c}}, "a", {}));
  EXPECT_TRUE(is_confirmed({{a, b, c}}, "a", {"c"}));
  EXPECT_FALSE(is_confirmed({{a, b, c}}, "a", {"d"}));
  EXPECT_FALSE(is_confirmed({{a, b, c}}, "a", {"a"}));
}

TEST(planes, confirm_a_change_of_themselves_when_two_of_both_sets_have_it) {
  EXPECT_FALSE(is_confirmed({{a}, {a, b, c}}, "a", {}));
  EXPECT_TRUE(is_confirmed({{a}, {a, b, c}}, "a", {"c"}));
  EXPECT_FALSE(is_confirmed({{a, b, c}, {a, b, d}}, "a", {"d"}));
  EXPECT_TRUE(is_confirmed({{a, b, c}, {a, b, d}}, "a", {"b"}));
  EXPECT_TRUE(is_confirmed({{a, b, c}, {a, b, d}}, "a", {"c", "d"}));
}

TEST(planes, are_a_quorum_when_all_but_one_answer) {
  EXPECT_TRUE(is_quorum({{a}}, {"a"}));
  EXPECT_FALSE(is_quorum({{a, b}}, {"a"}));
  EXPECT_TRUE(is_quorum({{a, b, c}}, {"a", "c"}));
  EXPECT_FALSE(is_quorum({{a, b, c}}, {"c"}));
  EXPECT_FALSE(is_quorum({{a, b, c}, {a, b, d}}, {"a", "c"}));
  EXPECT_TRUE(is_quorum({{a, b, c}, {a, b, d}}, {"a", "b"}));
}

TEST(planes, that_confirm_and_those_that_answer_have_one_in_common) {
  const plane_set all{a, b, c};
  for (const auto& leader : all)
    for (const auto& confirms : all)
      for (const auto& missing : all) {
        if (!is_confirmed({all}, leader.id, {confirms.id})) continue;
        std::set<std::string> answered;
        for (const auto& each : all)
          if (each.id != missing.id) answered.insert(each.id);
        ASSERT_TRUE(is_quorum({all}, answered));
        EXPECT_TRUE(answered.contains(leader.id) || answered.contains(confirms.id));
      }
}

TEST(planes, bind_themselves_to_one_asker_for_an_epoch) {
  const plane_binding before{{5}, "a"};
  EXPECT_EQ(bound_by(before, {"b", {4}}), std::nullopt);
  EXPECT_EQ(bound_by(before, {"b", {5}}), std::nullopt);
  EXPECT_EQ(bound_by(before, {"a", {5}}), before);
  EXPECT_EQ(bound_by(before, {"b", {6}}), (plane_binding{{6}, "b"}));
}

TEST(claim_rounds, are_granted_by_all_but_one) {
  claim_round asked{"a", {7}, record(3, 30), {{a, b, c}}};
  EXPECT_EQ(asked.progress(), claim_progress::waits);
  EXPECT_THAT(asked.others(), ElementsAre(b, c));
  EXPECT_EQ(asked.take(bound("b", 7, record(3, 29))), claim_progress::granted);
}

TEST(claim_rounds, of_a_plane_that_is_alone_are_granted_at_once) {
  const claim_round asked{"a", {7}, record(3, 30), {{a}}};
  EXPECT_EQ(asked.progress(), claim_progress::granted);
}

TEST(claim_rounds, leave_the_lead_to_a_store_that_ends_farther) {
  claim_round by_position{"a", {7}, record(3, 30), {{a, b, c}}};
  EXPECT_EQ(by_position.take(bound("b", 7, record(3, 31))), claim_progress::outdone);
  claim_round by_epoch{"a", {7}, record(3, 30), {{a, b, c}}};
  EXPECT_EQ(by_epoch.take(bound("c", 7, record(4, 2))), claim_progress::outdone);
  EXPECT_EQ(by_epoch.take(bound("b", 7, record(1, 1))), claim_progress::outdone);
}

TEST(claim_rounds, are_refused_by_who_hears_a_leader_or_is_bound_to_another) {
  claim_round heard{"a", {7}, record(3, 30), {{a, b, c}}};
  EXPECT_EQ(heard.take({"b", {7}, false, true, {3}, record(3, 30)}), claim_progress::refused);
  claim_round taken{"a", {7}, record(3, 30), {{a, b, c}}};
  EXPECT_EQ(taken.take({"b", {7}, false, false, {7}, record(3, 30)}), claim_progress::refused);
}

TEST(claim_rounds, count_no_answers_of_others_or_to_other_questions) {
  claim_round asked{"a", {7}, record(3, 30), {{a, b, c}}};
  EXPECT_EQ(asked.take(bound("e", 7, record(9, 99))), claim_progress::waits);
  EXPECT_EQ(asked.take(bound("b", 6, record(9, 99))), claim_progress::waits);
}

TEST(claim_rounds, need_each_of_the_sets_that_may_count) {
  claim_round asked{"a", {7}, record(3, 30), {{a, b, c}, {a, b, d}}};
  EXPECT_EQ(asked.take(bound("c", 7, record(3, 30))), claim_progress::waits);
  EXPECT_EQ(asked.take(bound("d", 7, record(3, 30))), claim_progress::granted);
}

TEST(leaders, name_themselves_first_and_three_at_once) {
  EXPECT_EQ(next_planes({}, a, {}), (plane_set{a}));
  EXPECT_EQ(next_planes({a}, a, {}), std::nullopt);
  EXPECT_EQ(next_planes({a}, a, {b}), std::nullopt);
  EXPECT_EQ(next_planes({a}, a, {b, c}), (plane_set{a, b, c}));
  EXPECT_EQ(next_planes({}, a, {b, c}), (plane_set{a, b, c}));
  EXPECT_EQ(next_planes({a}, a, {b, c, e}), (plane_set{a, b, c}));
  EXPECT_EQ(next_planes({a, b, c}, a, {b, c, e}), std::nullopt);
}

TEST(leaders, put_a_new_plane_in_place_of_the_one_that_was_there) {
  EXPECT_EQ(next_planes({a, b, c}, a, {b, d}), (plane_set{a, b, d}));
  // Two at one place are one, and nobody takes the place of the leader.
  EXPECT_EQ(next_planes({a}, a, {c, d}), std::nullopt);
  EXPECT_EQ(next_planes({a, b, c}, a, {{"x", a.place}}), std::nullopt);
}

TEST(leaders, put_any_that_is_ready_in_place_of_one_that_was_forgotten) {
  EXPECT_EQ(next_planes({a, b, c}, a, {b}, c.id), std::nullopt) << "nobody could take its place";
  EXPECT_EQ(next_planes({a, b, c}, a, {b, e}, c.id), (plane_set{a, b, e}));
  EXPECT_EQ(next_planes({a, b, e}, a, {b, e, c}, c.id), std::nullopt) << "it is done";
  // Whoever is at its place comes first.
  EXPECT_EQ(next_planes({a, b, c}, a, {b, d, e}, c.id), (plane_set{a, b, d}));
}

}  // namespace
}  // namespace argosy::ledger
