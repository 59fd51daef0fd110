// SPDX-License-Identifier: Apache-2.0
// Goal: whatever happens in a cycle, it comes to its end, rounds of one cycle follow one another,
// and nothing is folded while a ROUND may still read the snapshot. Method: inputs in order, with
// the effects written down as words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/ledger/cycle_core.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using words = std::vector<std::string>;

std::string word(const arm_timer& timer) {
  return (timer.woken ? "wake in " : "timer in ") + std::to_string(timer.delay / 1ms) + " ms";
}
std::string word(const ask_for_cuts&) {
  return "ask";
}
std::string word(const finish_fold&) {
  return "fold";
}
std::string word(const start_round& round) {
  return "round " + std::to_string(round.number) + " of " + round.pool;
}
std::string word(const give_up_round& round) {
  return "give up " + round.pool + ": " + round.why;
}
std::string word(const hand_over_starts&) {
  return "hand over";
}
std::string word(const stop_waiting&) {
  return "stop waiting";
}

class cycle : public ::testing::Test {
 protected:
  words told(const cycle_effects& effects) {
    words out;
    for (const auto& effect : effects) {
      if (const auto* timer = std::get_if<arm_timer>(&effect)) timer_number = timer->number;
      out.push_back(std::visit([](const auto& what) { return word(what); }, effect));
    }
    return out;
  }
  words tick() { return told(core.tick(timer_number, now)); }
  /// Wakes a cycle and goes on with its one cut, up to the fold.
  void cut() {
    now.changes_waiting = true;
    (void)told(core.changed(now.time));
    ASSERT_THAT(tick(), ElementsAre("ask"));
    now.changes_waiting = false;
    ASSERT_THAT(told(core.cuts_asked(1)), ElementsAre("timer in 2000 ms"));
    ASSERT_THAT(told(core.cut_answered(true)), ElementsAre("fold"));
  }

  cycle_core core{{1s, 20ms}, 7};
  cycle_now now{100s, false};
  std::uint64_t timer_number = 0;
};

TEST_F(cycle, goes_from_a_change_to_the_starts_and_waits_again) {
  EXPECT_THAT(told(core.start()), ElementsAre("timer in 1000 ms"));
  now.changes_waiting = true;
  EXPECT_THAT(told(core.changed(now.time)), ElementsAre("wake in 0 ms"));
  EXPECT_THAT(told(core.changed(now.time)), IsEmpty()) << "it is awake already";
  EXPECT_THAT(tick(), ElementsAre("ask"));
  now.changes_waiting = false;
  EXPECT_THAT(told(core.cuts_asked(2)), ElementsAre("timer in 2000 ms"));
  EXPECT_THAT(told(core.cut_answered(true)), IsEmpty());
  EXPECT_THAT(told(core.cut_answered(true)), ElementsAre("fold"));
  EXPECT_THAT(told(core.folded({"a"}, now)), ElementsAre("round 8 of a"));
  EXPECT_THAT(told(core.round_ended(now)), IsEmpty());
  EXPECT_THAT(told(core.round_decided(2, {}, now)), ElementsAre("timer in 2000 ms"));
  EXPECT_THAT(told(core.part_placed(now)), IsEmpty());
  EXPECT_THAT(told(core.part_placed(now)), ElementsAre("hand over", "timer in 1000 ms"));
  EXPECT_EQ(core.phase(), cycle_phase::waiting);
}

TEST_F(cycle, stops_waiting_for_answers_after_a_while_and_only_then) {
  now.changes_waiting = true;
  (void)told(core.changed(now.time));
  (void)tick();
  (void)told(core.cuts_asked(2));
  (void)core.cut_answered(true);
  EXPECT_THAT(tick(), ElementsAre("stop waiting", "timer in 2000 ms"));
  EXPECT_THAT(tick(), ElementsAre("stop waiting", "timer in 2000 ms")) << "it has to come";
  EXPECT_THAT(told(core.cut_answered(true)), ElementsAre("fold"));
  (void)core.folded({"a"}, now);
  EXPECT_THAT(tick(), IsEmpty()) << "a round has a time of its own";
  (void)core.round_ended(now);
  (void)told(core.round_decided(1, {}, now));
  EXPECT_THAT(tick(), ElementsAre("stop waiting", "timer in 2000 ms"));
  EXPECT_THAT(told(core.part_placed(now)), ElementsAre("hand over", "wake in 20 ms"));
}

TEST_F(cycle, keeps_the_gap_after_the_beginning_of_the_last_one) {
  cut();
  (void)core.folded({}, now);
  now.time += 5ms;
  EXPECT_THAT(told(core.changed(now.time)), ElementsAre("wake in 15 ms"));
  EXPECT_THAT(told(core.changed(now.time)), IsEmpty());
}

TEST_F(cycle, looks_again_at_once_when_changes_came_meanwhile) {
  cut();
  EXPECT_THAT(told(core.changed(now.time)), IsEmpty()) << "the cycle is under way";
  now = {now.time + 50ms, true};
  EXPECT_THAT(told(core.folded({}, now)), ElementsAre("wake in 0 ms"));
}

TEST_F(cycle, does_nothing_at_a_tick_without_changes_or_of_an_older_timer) {
  (void)told(core.start());
  EXPECT_THAT(tick(), IsEmpty());
  now.changes_waiting = true;
  const auto older = timer_number;
  (void)told(core.changed(now.time));
  EXPECT_THAT(told(core.tick(older, now)), IsEmpty());
  EXPECT_THAT(tick(), ElementsAre("ask"));
  EXPECT_THAT(tick(), IsEmpty()) << "a second tick of the same number";
}

TEST_F(cycle, begins_for_other_settings_though_nobody_has_changes) {
  (void)told(core.start());
  now.time += 3s;
  const auto older = timer_number;
  EXPECT_THAT(told(core.settings_changed(now.time)), ElementsAre("wake in 0 ms"));
  EXPECT_THAT(told(core.settings_changed(now.time)), IsEmpty()) << "it is awake already";
  EXPECT_THAT(told(core.tick(older, now)), IsEmpty());
  EXPECT_THAT(tick(), ElementsAre("ask"));
}

TEST_F(cycle, cuts_again_between_two_pools_and_numbers_their_rounds) {
  cut();
  EXPECT_THAT(told(core.folded({"a", "b"}, now)), ElementsAre("round 8 of a"));
  (void)core.round_ended(now);
  EXPECT_THAT(told(core.round_decided(0, {}, now)), ElementsAre("hand over", "ask"));
  EXPECT_THAT(told(core.cuts_asked(0)), ElementsAre("fold"));
  EXPECT_THAT(told(core.folded({"a", "b", "c"}, now)), ElementsAre("round 9 of b"))
      << "the pools of a cycle are those of its first fold";
  (void)core.round_ended(now);
  EXPECT_THAT(told(core.round_decided(0, {}, now)), ElementsAre("hand over", "timer in 1000 ms"));
}

TEST_F(cycle, runs_no_round_without_jobs) {
  cut();
  EXPECT_THAT(told(core.folded({}, now)), ElementsAre("timer in 1000 ms"));
}

TEST_F(cycle, ends_without_a_round_when_an_answer_is_lost_and_comes_again) {
  now.changes_waiting = true;
  (void)told(core.changed(now.time));
  (void)tick();
  now.changes_waiting = false;
  (void)core.cuts_asked(2);
  (void)core.cut_answered(false);
  EXPECT_THAT(told(core.cut_answered(true)), ElementsAre("fold"));
  EXPECT_THAT(told(core.folded({"a"}, now)), ElementsAre("timer in 1000 ms"));
  EXPECT_THAT(tick(), ElementsAre("ask")) << "though nothing changed";
}

TEST_F(cycle, comes_after_a_period_while_time_alone_helps) {
  cut();
  (void)core.folded({"a"}, now);
  (void)core.round_ended(now);
  EXPECT_THAT(told(core.round_decided(0, 0ns, now)), ElementsAre("hand over", "timer in 1000 ms"));
  EXPECT_THAT(tick(), ElementsAre("ask"));
  EXPECT_THAT(told(core.cuts_asked(0)), ElementsAre("fold"));
  (void)core.folded({"a"}, now);
  (void)core.round_ended(now);
  (void)told(core.round_decided(0, {}, now));
  EXPECT_THAT(tick(), IsEmpty());
}

TEST_F(cycle, comes_when_the_first_of_its_rounds_may_decide_otherwise) {
  cut();
  (void)core.folded({"a", "b"}, now);
  (void)core.round_ended(now);
  (void)told(core.round_decided(0, 5s, now));
  (void)core.cuts_asked(0);
  (void)core.folded({"a", "b"}, now);
  (void)core.round_ended(now);
  EXPECT_THAT(told(core.round_decided(0, 3s, now)), ElementsAre("hand over", "timer in 1000 ms"));
  now.time += 1s;
  EXPECT_THAT(tick(), ElementsAre("timer in 2000 ms"));
  now.time += 2s;
  EXPECT_THAT(tick(), ElementsAre("ask"));
}

TEST_F(cycle, goes_on_with_the_next_pool_when_a_round_fails) {
  cut();
  (void)core.folded({"a", "b"}, now);
  (void)core.round_ended(now);
  EXPECT_THAT(told(core.round_failed("no sense", now)),
              ElementsAre("give up a: no sense", "round 9 of b"));
  (void)core.round_ended(now);
  (void)told(core.round_decided(0, {}, now));
  EXPECT_THAT(tick(), ElementsAre("ask")) << "the failed round comes again after the period";
}

TEST_F(cycle, waits_for_a_round_that_took_too_long_before_anything_is_folded) {
  cut();
  (void)core.folded({"a"}, now);
  EXPECT_THAT(told(core.round_failed("too slow", now)), IsEmpty());
  EXPECT_EQ(core.phase(), cycle_phase::stuck);
  EXPECT_THAT(told(core.changed(now.time)), IsEmpty());
  EXPECT_THAT(told(core.round_ended(now)), ElementsAre("give up a: too slow", "timer in 1000 ms"));
}

TEST_F(cycle, tells_since_when_work_waits_for_a_round) {
  EXPECT_EQ(core.due_since(), std::nullopt) << "nothing has changed, however long it is quiet";
  cut();
  EXPECT_EQ(core.due_since(), 100s);
  (void)told(core.folded({"p"}, now));
  now.time = 700s;
  EXPECT_EQ(core.due_since(), 100s) << "the round hangs";
  (void)told(core.round_failed("late", now));
  (void)told(core.round_ended(now));
  EXPECT_EQ(core.due_since(), 100s) << "it gave no plan";
  now.time = 702s;
  cut();
  (void)told(core.folded({"p"}, now));
  now.changes_waiting = true;
  (void)told(core.round_decided(0, std::nullopt, now));
  EXPECT_EQ(core.due_since(), 702s) << "what came meanwhile waits for the next one";
  now.time = 703s;
  cut();
  (void)told(core.folded({"p"}, now));
  (void)told(core.round_decided(0, std::nullopt, now));
  EXPECT_EQ(core.due_since(), std::nullopt);
}

}  // namespace
}  // namespace argosy::ledger
