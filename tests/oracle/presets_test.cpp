// SPDX-License-Identifier: Apache-2.0
// Goal: the presets other than `current` decide as they are described. Method: thousands of random
// small worlds are decided by the engine and by a slow oracle that shares no code with it. If they
// differ, the world is made as small as it can be and printed as SNAP1 text. The seed follows the
// commit and is printed; ARGOSY_ORACLE_SEED sets it, and ARGOSY_ORACLE_WORLDS sets the number of
// worlds.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <string>

#include "tests/oracle/engine_side.hpp"
#include "tests/oracle/random_worlds.hpp"
#include "tests/oracle/slow_round.hpp"

namespace argosy::oracle {
namespace {

/// Returns the world with the decisions of both sides if these differ, and an empty text otherwise.
std::string difference(const world& w) {
  const auto fast = engine_decides(w);
  const auto slow = decide(w);
  if (fast == slow) return "";
  return "the world\n" + snap1_text(w) + "engine\n" + joined(fast) + "oracle\n" + joined(slow);
}

void compare(kind preset, breadth how, int worlds) {
  check_worlds(preset, how, worlds, [](const world& w) {
    if (const auto text = difference(w); !text.empty()) RC_FAIL(text);
  });
}

TEST(presets, argosy_decides_plain_worlds_as_written) {
  compare(kind::argosy, breadth::plain, 3000);
}

TEST(presets, unified_decides_plain_worlds_as_written) {
  compare(kind::unified, breadth::plain, 3000);
}

TEST(presets, classic_decides_plain_worlds_as_written) {
  compare(kind::classic, breadth::plain, 3000);
}

TEST(presets, lottery_decides_plain_worlds_as_written) {
  compare(kind::lottery, breadth::plain, 3000);
}

TEST(presets, argosy_decides_wide_worlds_as_written) {
  compare(kind::argosy, breadth::wide, 12000);
}

TEST(presets, unified_decides_wide_worlds_as_written) {
  compare(kind::unified, breadth::wide, 10000);
}

TEST(presets, classic_decides_wide_worlds_as_written) {
  compare(kind::classic, breadth::wide, 10000);
}

TEST(presets, lottery_decides_wide_worlds_as_written) {
  compare(kind::lottery, breadth::wide, 10000);
}

TEST(presets, keys_of_all_presets_mix_as_written) {
  compare(kind::argosy, breadth::mixed, 10000);
}

// What the engine remembers of a node can be wrong only where many nodes change around it; hence
// the crowded worlds.
TEST(presets, argosy_decides_crowded_worlds_as_written) {
  compare(kind::argosy, breadth::crowded, 1500);
}

TEST(presets, unified_decides_crowded_worlds_as_written) {
  compare(kind::unified, breadth::crowded, 1500);
}

TEST(presets, classic_decides_crowded_worlds_as_written) {
  compare(kind::classic, breadth::crowded, 1500);
}

TEST(presets, lottery_decides_crowded_worlds_as_written) {
  compare(kind::lottery, breadth::crowded, 1500);
}

TEST(presets, a_world_that_is_written_is_decided_as_before) {
  rc::Random random(1);
  for (int i = 0; i < 600; ++i) {
    const auto rows = any_dice(breadth::mixed)(random.split(), rc::kNominalSize).value();
    const auto w = make_world(rows, static_cast<kind>(i % 4), breadth::mixed);
    ASSERT_EQ(engine_decides_text(w), engine_decides(w)) << snap1_text(w);
  }
}

TEST(presets, the_worlds_are_about_something) {
  // Worlds in which nothing happens would be decided alike by both sides. So each kind of decision
  // must occur often under each preset.
  rc::Random random(1);
  std::array<std::size_t, 4> started{};
  std::array<std::size_t, 4> preempted{};
  std::array<std::size_t, 4> left_out{};
  std::size_t gangs = 0;
  std::size_t away = 0;
  std::size_t licences_lost = 0;
  std::size_t stopping = 0;
  std::size_t gangs_lost = 0;
  std::size_t gangs_spared = 0;
  std::size_t young_spared = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto rows = any_dice(breadth::wide)(random.split(), rc::kNominalSize).value();
    const auto preset = static_cast<std::size_t>(i % 4);
    const auto w = make_world(rows, static_cast<kind>(preset), breadth::wide);
    for (const auto& j : w.jobs) stopping += j.stopping && j.node;
    const auto decided = decide(w);
    auto careless = w;
    careless.rules.gang_loss_factor = 1e6;
    gangs_spared += decide(careless) != decided;
    careless = w;
    for (auto& c : careless.classes) c.least_run = 0;
    young_spared += decide(careless) != decided;
    for (const auto& line : decided) {
      started[preset] += line.front() == 'S';
      preempted[preset] += line.front() == 'P';
      left_out[preset] += line.front() == 'F';
      away += line.ends_with(" 400") || line.ends_with(" 700");
      for (const auto& j : w.jobs) {
        gangs += line.starts_with("S " + j.id + " ") && !j.gang.empty();
        gangs_lost += line.starts_with("P " + j.id + " ") && !j.gang.empty();
        licences_lost += line.starts_with("P " + j.id + " ") && j.request[node_amounts] != 0;
      }
    }
  }
  for (std::size_t preset = 0; preset < 4; ++preset) {
    EXPECT_GT(started[preset], 500u) << kind_names[preset];
    EXPECT_GT(left_out[preset], 10u) << kind_names[preset];
    if (static_cast<kind>(preset) == kind::lottery) {
      EXPECT_EQ(preempted[preset], 0u);
    } else {
      EXPECT_GT(preempted[preset], 100u) << kind_names[preset];
    }
  }
  EXPECT_GT(gangs, 100u);
  EXPECT_GT(away, 5u);
  EXPECT_GT(licences_lost, 50u);
  EXPECT_GT(stopping, 500u);
  EXPECT_GT(gangs_lost, 20u);
  EXPECT_GT(gangs_spared, 0u);
  EXPECT_GT(young_spared, 5u);
}

}  // namespace
}  // namespace argosy::oracle
