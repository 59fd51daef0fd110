// SPDX-License-Identifier: Apache-2.0
// Goal: the time of the log follows the wall clock while that is plausible, and no jump of the wall
// clock, in whichever direction, at whichever rate of reading or over restarts, takes it further.
// Method: properties over random sequences of readings, and examples.
#include "runtime/base/log_time.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace argosy {
namespace {

using namespace std::chrono_literals;

constexpr auto day = 24h;
const wall_time noon{std::chrono::seconds{1'700'000'000}};
constexpr boot_time boot_then{500s};

/// A clock of which time passes and the wall clock steps by hand.
struct stepped {
  wall_time wall = noon;
  boot_time boot = boot_then;
  log_time time{log_time_rules{}, noon, boot_then};

  wall_time pass(boot_time span) {
    wall += span;
    boot += span;
    return time.read(wall, boot);
  }
  wall_time step(boot_time by) {
    wall += by;
    return time.read(wall, boot);
  }
};

clock_mark mark(wall_time log, wall_time wall, boot_time boot, std::string boot_id) {
  return {log, wall, boot, std::move(boot_id)};
}

wall_time begin(std::optional<wall_time> newest, const std::optional<clock_mark>& stored,
                const clock_mark& now) {
  return begin_log_time({}, newest, stored, now).last();
}

TEST(log_time, follows_the_wall_clock) {
  stepped clock;
  for (int i = 0; i < 1000; ++i) {
    clock.pass(7s);
    EXPECT_EQ(clock.time.last(), clock.wall);
  }
}

TEST(log_time, follows_a_small_correction_at_once) {
  stepped clock;
  clock.pass(10min);
  EXPECT_EQ(clock.step(59s), clock.wall);
}

TEST(log_time, does_not_jump_by_eight_days) {
  stepped clock;
  clock.pass(1h);
  const auto before = clock.time.last();
  clock.step(8 * day);
  for (int i = 0; i < 66; ++i) clock.pass(1s);
  EXPECT_LE(clock.time.last(), before + 66s * 2 + 1min);
  clock.step(-8 * day);
  const auto after = clock.time.last();
  clock.pass(10min);
  EXPECT_EQ(clock.time.last(), clock.wall) << "and follows again when the wall clock is right";
  EXPECT_GE(clock.time.last(), after);
}

TEST(log_time, does_not_jump_however_often_it_is_read) {
  stepped clock;
  clock.step(30 * day);
  for (int i = 0; i < 1'000'000; ++i) clock.pass(1us);
  EXPECT_LE(clock.time.last(), noon + 1s + 1s + 1min);
}

TEST(log_time, makes_up_for_a_jump_at_twice_the_speed_of_time) {
  stepped clock;
  clock.step(3h);
  clock.pass(1h);
  EXPECT_LT(clock.time.last(), clock.wall);
  clock.pass(2h);
  EXPECT_EQ(clock.time.last(), clock.wall);
}

TEST(log_time, stands_while_the_wall_clock_is_behind) {
  stepped clock;
  clock.pass(1h);
  const auto before = clock.time.last();
  EXPECT_EQ(clock.step(-1h), before);
  EXPECT_EQ(clock.pass(30min), before);
  EXPECT_EQ(clock.pass(31min), clock.wall);
}

TEST(log_time, never_goes_back_and_never_gains_more_than_it_may) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random{seed};
    stepped clock;
    struct reading {
      wall_time time;
      boot_time boot;
    };
    std::vector<reading> readings{{noon, boot_then}};
    for (int i = 0; i < 60; ++i) {
      const auto span = boot_time{static_cast<std::int64_t>(random() % (1ULL << (random() % 46)))};
      if (random() % 4 == 0)
        clock.step(random() % 2 == 0 ? span * 50 : -span * 50);
      else
        clock.pass(span);
      EXPECT_GE(clock.time.last(), readings.back().time);
      for (const auto& earlier : readings)
        EXPECT_LE(clock.time.last() - earlier.time, (clock.boot - earlier.boot) * 2 + 1min)
            << "seed " << seed;
      readings.push_back({clock.time.last(), clock.boot});
    }
  }
}

TEST(log_time, of_a_new_log_is_the_wall_clock) {
  EXPECT_EQ(begin({}, {}, mark({}, noon, 5s, "a")), noon);
}

TEST(log_time, never_begins_before_the_newest_event) {
  EXPECT_EQ(begin(noon, {}, mark({}, noon - 1h, 5s, "a")), noon);
  EXPECT_EQ(begin(noon, mark(noon + 2s, noon, 1s, "a"), mark({}, noon - 1h, 5s, "a")), noon + 2s);
}

TEST(log_time, goes_on_within_one_boot_for_as_long_as_the_process_was_away) {
  const auto before = mark(noon, noon, 100s, "a");
  EXPECT_EQ(begin(noon, before, mark({}, noon + 30 * day, 100s + 30 * day, "a")), noon + 30 * day);
  EXPECT_EQ(begin(noon, before, mark({}, noon + 30 * day, 105s, "a")), noon + 5s)
      << "the wall clock alone has jumped";
}

TEST(log_time, believes_the_wall_clock_after_a_boot_up_to_a_bound) {
  const auto before = mark(noon, noon, 100s, "a");
  EXPECT_EQ(begin(noon, before, mark({}, noon + 3 * day, 5s, "b")), noon + 3 * day);
  EXPECT_EQ(begin(noon, before, mark({}, noon + 27'000 * day, 5s, "b")), noon + 84h);
  EXPECT_EQ(begin(noon, {}, mark({}, noon + 27'000 * day, 5s, "b")), noon + 84h)
      << "nothing is known of the process before";
}

TEST(log_time, is_not_taken_further_by_each_restart_under_a_wrong_clock) {
  std::optional<clock_mark> stored = mark(noon, noon, 100s, "0");
  for (int i = 1; i <= 1000; ++i) {
    auto now = mark({}, noon + 27'000 * day, 5s, std::to_string(i / 2));
    now.log = begin(noon, stored, now);
    stored = now;
  }
  EXPECT_LE(stored->log, noon + 84h);
}

}  // namespace
}  // namespace argosy
