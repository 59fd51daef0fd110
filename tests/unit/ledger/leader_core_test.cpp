// SPDX-License-Identifier: Apache-2.0
// Goal: of any number of candidates at most one leads an epoch, and a leader that may have been
// deposed stops. Method: single steps, and seeded contests of several cores over one log in memory
// whose appends may be refused, or time out with or without effect.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "runtime/base/random.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;

result<void> failed(ec code) {
  return fail(code, "x");
}

TEST(leader_core, claims_the_epoch_after_the_last) {
  leader_core core{"me", {7}};
  EXPECT_EQ(core.observe({{4}, "other"}), leader_action::none);
  const auto claim = core.claim();
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->epoch.value, 5U);
  EXPECT_EQ(claim->holder, "me");
  EXPECT_EQ(claim->nonce.value, 7U);
  EXPECT_EQ(core.epoch().value, 0U) << "not yet";
  EXPECT_FALSE(core.claim()) << "one at a time";
  EXPECT_EQ(core.claim_appended({}), leader_action::lead);
  EXPECT_EQ(core.epoch().value, 5U);
  EXPECT_FALSE(core.claim());
}

TEST(leader_core, a_refused_claim_reads_the_log) {
  for (const auto code : {ec::fenced, ec::conflict, ec::timeout}) {
    leader_core core{"me", {7}};
    ASSERT_TRUE(core.claim());
    EXPECT_EQ(core.claim_appended(failed(code)), leader_action::read_log);
    EXPECT_EQ(core.observe({{1}, "other"}), leader_action::follow);
    EXPECT_EQ(core.role(), leader_role::follower);
    EXPECT_EQ(core.caught_up(), leader_action::none);
    EXPECT_EQ(core.claim()->epoch.value, 2U);
  }
}

TEST(leader_core, a_claim_that_timed_out_may_stand_in_the_log) {
  leader_core core{"me", {7}};
  ASSERT_TRUE(core.claim());
  EXPECT_EQ(core.claim_appended(failed(ec::timeout)), leader_action::read_log);
  EXPECT_EQ(core.observe({{1}, "me", {7}}), leader_action::lead);
  EXPECT_EQ(core.epoch().value, 1U);
}

TEST(leader_core, a_claim_of_another_process_of_the_same_name_is_not_its_own) {
  leader_core core{"me", {7}};
  ASSERT_TRUE(core.claim());
  EXPECT_EQ(core.claim_appended(failed(ec::timeout)), leader_action::read_log);
  EXPECT_EQ(core.observe({{1}, "me", {8}}), leader_action::follow);
  EXPECT_EQ(core.epoch().value, 0U);
}

TEST(leader_core, or_it_may_not) {
  leader_core core{"me", {7}};
  ASSERT_TRUE(core.claim());
  EXPECT_EQ(core.claim_appended(failed(ec::timeout)), leader_action::read_log);
  EXPECT_EQ(core.caught_up(), leader_action::claim);
  EXPECT_EQ(core.claim()->epoch.value, 1U);
}

TEST(leader_core, other_failures_end_the_claim) {
  leader_core core{"me", {7}};
  ASSERT_TRUE(core.claim());
  EXPECT_EQ(core.claim_appended(failed(ec::unreachable)), leader_action::follow);
  EXPECT_EQ(core.role(), leader_role::follower);
}

leader_core leading() {
  leader_core core{"me", {7}};
  (void)core.observe({{1}, "other"});
  (void)core.claim();
  EXPECT_EQ(core.claim_appended({}), leader_action::lead);
  return core;
}

TEST(leader_core, sees_its_own_claim_in_the_log) {
  auto core = leading();
  EXPECT_EQ(core.observe({{2}, "me", {7}}), leader_action::none);
  EXPECT_EQ(core.epoch().value, 2U);
}

TEST(leader_core, stands_down_once_and_for_good) {
  auto core = leading();
  EXPECT_EQ(core.stand_down(), leader_action::stand_down);
  EXPECT_EQ(core.epoch().value, 0U);
  EXPECT_EQ(core.role(), leader_role::retired);
  EXPECT_FALSE(core.claim()) << "its state ran ahead of the log";
  EXPECT_EQ(core.stand_down(), leader_action::none) << "once";
}

TEST(leader_core, reads_the_log_after_a_stall) {
  EXPECT_EQ(leading().stalled(6s, 5s), leader_action::read_log);
  EXPECT_EQ(leading().stalled(5s, 5s), leader_action::none);
  EXPECT_FALSE(leading().claim_above(1s, 60s)) << "its epoch is as good as before";
}

TEST(leader_core, an_agents_higher_epoch_makes_it_read_the_log_and_nothing_else) {
  auto core = leading();
  EXPECT_EQ(core.seen_by_agent({1}), leader_action::none) << "that is over";
  EXPECT_FALSE(core.claim_above(1s, 60s));
  EXPECT_EQ(core.seen_by_agent({57}), leader_action::read_log);
  EXPECT_EQ(core.role(), leader_role::leader);
  EXPECT_EQ(core.epoch().value, 2U) << "until the log has the claim";
}

TEST(leader_core, claims_above_its_own_epoch_if_another_had_it_as_well) {
  auto core = leading();
  EXPECT_EQ(core.seen_by_agent({2}), leader_action::read_log);
  ASSERT_EQ(core.claim_above(100s, 60s)->epoch.value, 3U);
  core.raised({3});
  EXPECT_FALSE(core.claim_above(200s, 60s)) << "nobody has seen that one";
}

TEST(leader_core, claims_above_what_agents_have_seen_when_nobody_else_leads) {
  auto core = leading();
  (void)core.seen_by_agent({57});
  (void)core.seen_by_agent({50});
  const auto claim = core.claim_above(100s, 60s);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->epoch.value, 58U);
  EXPECT_EQ(claim->holder, "me");
  core.raised({58});
  EXPECT_EQ(core.epoch().value, 58U);
  EXPECT_EQ(core.observe({{57}, "late"}), leader_action::none);
  EXPECT_EQ(core.observe({{59}, "other"}), leader_action::stand_down);
}

TEST(leader_core, claims_above_once_in_a_while_only) {
  auto core = leading();
  (void)core.seen_by_agent({57});
  ASSERT_TRUE(core.claim_above(100s, 60s));
  EXPECT_FALSE(core.claim_above(101s, 60s)) << "the first is under way";
  core.raised({58});
  EXPECT_EQ(core.seen_by_agent({70}), leader_action::read_log);
  EXPECT_FALSE(core.claim_above(159s, 60s));
  EXPECT_EQ(core.claim_above(160s, 60s)->epoch.value, 71U);
}

TEST(leader_core, believes_no_implausible_epoch) {
  auto core = leading();
  EXPECT_EQ(core.seen_by_agent({~0ULL}), leader_action::none);
  EXPECT_EQ(core.seen_by_agent({2 + model::epoch_step_max + 1}), leader_action::none);
  EXPECT_FALSE(core.claim_above(1s, 60s));
  EXPECT_EQ(core.seen_by_agent({2 + model::epoch_step_max}), leader_action::read_log);
}

TEST(leader_core, every_claim_names_the_control_plane) {
  leader_core core{"me", {7}, "plane"};
  EXPECT_EQ(core.claim()->control_plane, "plane");
  (void)core.claim_appended({});
  (void)core.seen_by_agent({9});
  EXPECT_EQ(core.claim_above(1s, 60s)->control_plane, "plane");
}

TEST(leader_core, stands_down_for_higher_epochs_in_the_log) {
  EXPECT_EQ(leading().observe({{3}, "other"}), leader_action::stand_down);
  EXPECT_EQ(leading().observe({{1}, "late"}), leader_action::none);
  leader_core follower{"x", {7}};
  EXPECT_EQ(follower.stalled(6s, 5s), leader_action::none);
  EXPECT_EQ(follower.stand_down(), leader_action::none);
}

TEST(leader_core, at_most_one_leads_an_epoch_in_any_contest) {
  std::size_t elections = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    seeded_random random{seed};
    std::vector<model::leader_elected> log;
    std::vector<leader_core> cores;
    for (int i = 0; i < 4; ++i)
      cores.emplace_back("p" + std::to_string(i), model::claim_nonce{random.next()});
    std::vector<std::size_t> read(cores.size(), 0);
    std::map<model::epoch, std::string> leaders;
    const auto note = [&](std::size_t who) {
      const auto [at, fresh] = leaders.emplace(cores[who].epoch(), "p" + std::to_string(who));
      ASSERT_EQ(at->second, "p" + std::to_string(who)) << "seed " << seed;
      if (fresh) ++elections;
    };
    for (int step = 0; step < 200; ++step) {
      const auto who = random.next() % cores.size();
      auto& core = cores[who];
      if (random.next() % 3 != 0) {
        if (read[who] < log.size()) {
          if (core.observe(log[read[who]++]) == leader_action::lead) note(who);
        } else {
          (void)core.caught_up();
        }
        if (core.role() == leader_role::retired) {
          core = leader_core{"p" + std::to_string(who), {random.next()}};
          read[who] = 0;
        }
        continue;
      }
      const auto claim = core.claim();
      if (!claim) continue;
      const bool fits = read[who] == log.size();
      const bool lost = random.next() % 4 == 0;
      const bool silent = random.next() % 4 == 0;
      if (fits && !lost) log.push_back(*claim);
      const auto outcome = silent || (fits && lost) ? failed(ec::timeout)
                           : fits                   ? result<void>{}
                                                    : failed(ec::fenced);
      if (core.claim_appended(outcome) == leader_action::lead) note(who);
    }
  }
  EXPECT_GT(elections, 1000U) << "the contest must be about something";
}

TEST(control_changes, of_elections_and_rounds) {
  const auto epoch = control_changes({5, "", model::leader_elected{{3}, "me"}});
  ASSERT_EQ(epoch.size(), 1U);
  EXPECT_EQ(std::get<put_epoch>(epoch[0]).epoch.value, 3U);
  model::round_decided round;
  round.carried.resize(2);
  round.number = 8;
  const auto changes = control_changes({5, "", round});
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<put_carried>(changes[1]));
  EXPECT_EQ(std::get<put_round>(changes[2]).round.number, 8U);
  EXPECT_TRUE(std::get<put_round>(changes[2]).round.carried.empty()) << "it has a table of its own";
  EXPECT_EQ(std::get<put_round>(changes[2]).time_ns, 5);
  EXPECT_TRUE(control_changes({5, "q", model::queue_deleted{}}).empty());
}

}  // namespace
}  // namespace argosy::ledger
