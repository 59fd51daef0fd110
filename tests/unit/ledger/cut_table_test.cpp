// SPDX-License-Identifier: Apache-2.0
// Goal: a source that does not answer stops nobody else, and no round goes by a source that did
// something of which the rounds do not know, in whatever order things happen. Method: sources that
// change, and take parts of plans, by chance; each has a number that grows with all that it does,
// and the rounds have the number of what they were told.
#include <gtest/gtest.h>

#include <random>

#include "runtime/ledger/cut_table.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using names = std::vector<std::string>;

TEST(cut_table, asks_each_source_once_until_it_has_answered) {
  cut_table table;
  table.changed("a");
  table.changed("a");
  EXPECT_EQ(table.ask(1s), names{"a"});
  table.changed("a");
  EXPECT_EQ(table.to_ask(), 0U);
  EXPECT_EQ(table.ask(2s), names{});
  EXPECT_TRUE(table.told("a"));
  EXPECT_EQ(table.ask(3s), names{"a"});
}

TEST(cut_table, leaves_a_silent_source_aside_until_it_answers) {
  cut_table table;
  table.changed("a");
  table.changed("b");
  (void)table.ask(1s);
  EXPECT_TRUE(table.told("b"));
  EXPECT_EQ(table.stop_waiting(), names{"a"});
  EXPECT_EQ(table.awaited(), 0U);
  EXPECT_EQ(table.silent().at("a"), 1s);
  EXPECT_FALSE(table.told("a")) << "nobody waits for it";
  EXPECT_TRUE(table.silent().empty());
}

TEST(cut_table, has_a_source_tell_what_became_of_a_part_that_took_too_long) {
  cut_table table;
  table.given("a", 1s);
  EXPECT_EQ(table.stop_waiting(), names{"a"});
  table.changed("a");
  EXPECT_EQ(table.ask(2s), names{}) << "it could not tell yet";
  EXPECT_FALSE(table.accepted("a"));
  EXPECT_TRUE(table.is_silent("a"));
  EXPECT_EQ(table.ask(3s), names{"a"});
  EXPECT_EQ(table.awaited(), 0U);
  EXPECT_FALSE(table.told("a"));
  EXPECT_FALSE(table.is_silent("a"));
}

TEST(cut_table, waits_without_end_for_those_whose_runs_nobody_knows) {
  cut_table table{{"a", "b"}};
  table.changed("a");
  table.changed("c");
  (void)table.ask(1s);
  EXPECT_EQ(table.stop_waiting(), names{});
  EXPECT_TRUE(table.lost("a", true));
  EXPECT_TRUE(table.told("c"));
  EXPECT_FALSE(table.is_whole());
  EXPECT_EQ(table.ask(2s), names{"a"});
  EXPECT_TRUE(table.told("a"));
  EXPECT_FALSE(table.is_whole()) << "b has not said a word";
  table.changed("b");
  (void)table.ask(3s);
  EXPECT_TRUE(table.told("b"));
  EXPECT_TRUE(table.is_whole());
}

TEST(cut_table, forgets_a_source_that_has_gone) {
  cut_table table;
  table.changed("a");
  (void)table.ask(1s);
  (void)table.stop_waiting();
  EXPECT_FALSE(table.lost("a", false));
  EXPECT_TRUE(table.silent().empty());
  EXPECT_FALSE(table.knows("a"));
}

/// Sources, the messages on their way to and from them, and what rounds know.
struct chance_world {
  static constexpr int sources = 4;
  struct source {
    std::uint64_t done = 0;   ///< Grows with all that it does.
    std::uint64_t known = 0;  ///< What the rounds were told.
    std::uint64_t parts = 0;  ///< The value of `done` after the last part that it took.
    bool noticed = false;     ///< It has said that it has changes, since the last cut.
    int asked = 0;            ///< Messages that it has not answered yet: 1 a cut, 2 a part.
    bool is_stuck = false;
  };

  explicit chance_world(std::uint64_t seed) : random(seed) {}

  static std::string name(int of) { return std::to_string(of); }
  int pick(int below) { return std::uniform_int_distribution<int>{0, below - 1}(random); }
  void act(int of) {
    auto& it = all[of];
    ++it.done;
    if (!std::exchange(it.noticed, true)) table.changed(name(of));
  }

  void answer(int of) {
    auto& it = all[of];
    const bool was_silent = table.is_silent(name(of));
    const auto what = std::exchange(it.asked, 0);
    if (what == 1) {
      it.known = it.done;
      it.noticed = false;
      EXPECT_EQ(table.told(name(of)), !was_silent);
      EXPECT_FALSE(table.is_silent(name(of)));
    } else if (what == 2) {
      // It may refuse all of the part, and then nothing has changed.
      if (pick(3) > 0) act(of);
      it.parts = it.done;
      EXPECT_EQ(table.accepted(name(of)), !was_silent);
      EXPECT_EQ(table.is_silent(name(of)), was_silent);
    }
  }

  void lose(int of) {
    if (all[of].asked != 1) return;
    all[of].asked = 0;
    all[of].noticed = true;
    (void)table.lost(name(of), true);
  }

  void cut() {
    for (const auto& each : table.ask(now)) {
      auto& it = all[std::stoi(each)];
      ASSERT_EQ(it.asked, 0) << "it was asked twice";
      it.asked = 1;
    }
  }

  /// Everybody answers who can, or the wait ends.
  void wait() {
    for (int i = 0; i < 8 && table.awaited() > 0; ++i)
      if (const int of = pick(sources); !all[of].is_stuck) answer(of);
    if (table.awaited() > 0) (void)table.stop_waiting();
    ASSERT_EQ(table.awaited(), 0U);
  }

  void round() {
    for (int of = 0; of < sources; ++of) {
      if (table.is_silent(name(of))) continue;
      auto& it = all[of];
      ASSERT_EQ(it.asked, 0) << "the round goes by one that owes an answer";
      ASSERT_GE(it.known, it.parts) << "the round does not know of a lease";
      if (pick(2) > 0) continue;
      table.given(name(of), now);
      it.asked = 2;
    }
  }

  void step() {
    now += 1s;
    const int of = pick(sources);
    switch (pick(7)) {
      case 0:
        return act(of);
      case 1:
        all[of].is_stuck = true;
        return;
      case 2:
        all[of].is_stuck = false;
        return;
      case 3:
        if (!all[of].is_stuck) answer(of);
        return;
      case 4:
        return lose(of);
      default:
        cut();
        wait();
        round();
        wait();
    }
  }

  std::mt19937_64 random;
  std::map<int, source> all;
  cut_table table;
  boot_time now{};
};

TEST(cut_table, lets_no_round_go_by_what_it_does_not_know_in_any_order) {
  std::size_t silent = 0;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    chance_world world{seed};
    for (int i = 0; i < 100; ++i) {
      world.step();
      silent += world.table.silent().size();
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << i;
    }
    // When all answer again, everything becomes known.
    for (auto& [of, it] : world.all) it.is_stuck = false;
    for (int i = 0; i < 3; ++i) {
      for (int of = 0; of < chance_world::sources; ++of) world.answer(of);
      world.cut();
    }
    for (const auto& [of, it] : world.all) ASSERT_EQ(it.known, it.done) << "seed " << seed;
    ASSERT_TRUE(world.table.silent().empty()) << "seed " << seed;
  }
  EXPECT_GT(silent, 10'000U) << "some were silent";
}

}  // namespace
}  // namespace argosy::ledger
