// SPDX-License-Identifier: Apache-2.0
// Goal: a command that ignores SIGTERM is killed when its grace is over, and never later than its
// lease allows, whatever began its end.
// Method: a core that is woken exactly when it asks for it, and a lease file that is a variable;
// then many seeded mixtures of graces, deadlines, stop orders and renewals.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "runtime/backends/run/ending_core.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

namespace {

using namespace std::chrono_literals;
using model::run_lease;

struct told {
  boot_time at;
  run_signal what;
};

/// A stubborn command under a core; its lease is what the agent wrote last.
struct stubborn_run {
  boot_time now{1h};
  std::optional<run_lease> file;
  ending_core core;
  std::vector<told> signals;
  boot_time wall_ahead{};

  stubborn_run(run_lease lease, boot_time grace, boot_time run_time_max = 0s)
      : file(lease), core(lease, grace, run_time_max, now) {}

  void note(run_signal what) {
    if (what != run_signal::none) signals.push_back({now, what});
  }
  void stop(boot_time grace) { note(core.stop({grace.count(), "because"}, now)); }
  /// Wakes the core whenever it wants to be woken, until the time or the first kill.
  void pass(boot_time until) {
    while (core.due() <= until && !killed()) {
      now = std::max(now, core.due());
      note(core.on_time(
          now, [this] { return file; }, wall_ahead));
    }
    now = std::max(now, until);
  }
  [[nodiscard]] bool killed() const {
    return !signals.empty() && signals.back().what == run_signal::kill;
  }
};

TEST(ending_core, gives_the_whole_grace_while_the_lease_lasts) {
  stubborn_run run{{2h, 30s}, 5min};
  run.stop(5min);
  const auto began = run.now;
  run.pass(2h);
  ASSERT_EQ(run.signals.size(), 2u);
  EXPECT_EQ(run.signals[0].what, run_signal::terminate);
  EXPECT_EQ(run.signals[1].at, began + 5min);
  EXPECT_EQ(run.core.ending()->reason, shim_status::stopped);
}

TEST(ending_core, cuts_the_grace_of_a_lapse_to_what_the_lease_allows) {
  stubborn_run run{{1h + 10min, 30s}, 5min};
  run.pass(2h);
  ASSERT_EQ(run.signals.size(), 2u);
  EXPECT_EQ(run.signals[0].at, boot_time{1h + 10min});
  EXPECT_EQ(run.signals[1].at, boot_time{1h + 10min + 30s});
  EXPECT_EQ(run.core.ending()->reason, shim_status::lease_expired);
}

TEST(ending_core, cuts_a_grace_that_began_before_the_lapse) {
  stubborn_run run{{1h + 1min, 30s}, 1s};
  run.stop(5min);
  run.pass(2h);
  EXPECT_EQ(run.signals.back().at, boot_time{1h + 1min + 30s});
  EXPECT_EQ(run.core.ending()->reason, shim_status::stopped);
  stubborn_run late{{1h + 1min, 30s}, 5min, 50s};
  late.pass(2h);
  EXPECT_EQ(late.signals.back().at, boot_time{1h + 1min + 30s});
  EXPECT_EQ(late.core.ending()->reason, shim_status::deadline_exceeded);
  EXPECT_EQ(late.core.ending()->message, "ran longer than its deadline of 50 s");
}

TEST(ending_core, leaves_a_shorter_grace_as_it_is) {
  stubborn_run run{{1h + 10min, 30s}, 2s};
  run.pass(2h);
  EXPECT_EQ(run.signals.back().at, boot_time{1h + 10min + 2s});
}

TEST(ending_core, cuts_nothing_when_the_lease_was_renewed) {
  stubborn_run run{{1h + 1min, 30s}, 1s};
  run.stop(5min);
  run.file = run_lease{3h, 30s};
  run.pass(2h);
  EXPECT_EQ(run.signals.back().at, boot_time{1h + 5min});
}

TEST(ending_core, looks_at_no_lease_that_the_run_does_not_end_by) {
  ending_core core{std::nullopt, 1s, 0s, 1h};
  EXPECT_EQ(core.due(), boot_time::max());
  EXPECT_EQ(core.on_time(1h + 1min, [] { return std::optional<run_lease>{}; }), run_signal::none);
  EXPECT_EQ(core.stop({boot_time{5min}.count(), "because"}, 1h), run_signal::terminate);
  EXPECT_EQ(core.due(), boot_time{1h + 5min});
}

TEST(ending_core, kills_again_while_processes_remain) {
  stubborn_run run{{2h, 30s}, 1s};
  run.stop(0s);
  const auto none = [] { return std::optional<run_lease>{}; };
  EXPECT_EQ(run.core.on_time(run.now, none), run_signal::kill);
  EXPECT_EQ(run.core.on_time(run.now + 50ms, none), run_signal::none);
  EXPECT_EQ(run.core.on_time(run.now + 100ms, none), run_signal::kill);
}

TEST(ending_core, is_never_later_than_the_lease_allows) {
  for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    const auto up_to = [&](int seconds) {
      return boot_time{std::chrono::milliseconds{random() % (seconds * 1'000 + 1)}};
    };
    const auto kill_grace = up_to(60);
    stubborn_run run{{1h + up_to(60), kill_grace}, up_to(600), random() % 2 ? up_to(300) : 0s};
    for (auto renewals = random() % 4; renewals > 0; --renewals) {
      run.pass(run.now + up_to(30));
      if (run.killed()) break;
      if (run.now < run.file->until) run.file = run_lease{run.file->until + up_to(60), kill_grace};
      if (random() % 3 == 0) run.stop(up_to(600));
    }
    run.pass(3h);
    ASSERT_TRUE(run.killed());
    ASSERT_EQ(run.signals.size(), 2u);
    EXPECT_EQ(run.signals[0].what, run_signal::terminate);
    EXPECT_LE(run.signals[1].at, run.file->dead_by());
  }
}

TEST(run_lease, has_an_end_that_does_not_overflow) {
  EXPECT_EQ((run_lease{boot_time::max(), 30s}.dead_by()), boot_time::max());
  EXPECT_EQ((run_lease{1h, 30s}.dead_by()), boot_time{1h + 30s});
}

/// A run whose lease of an hour was asked for at a known time of the wall clock.
struct paused_run : stubborn_run {
  paused_run() : stubborn_run({now_at + 1h, 30s, ahead, 10s}, 5min) { wall_ahead = ahead; }

  /// The wall clock goes forward and the clock since boot does not.
  void step(boot_time by) {
    wall_ahead += by;
    note(core.on_time(
        now, [this] { return file; }, wall_ahead));
  }

  static constexpr boot_time now_at{1h};
  static constexpr boot_time ahead{10'000h};
};

TEST(ending_core, ends_a_run_whose_lease_lapsed_while_the_machine_was_paused) {
  paused_run run;
  const auto resumed = run.now += 10min;
  run.step(51min);
  run.pass(resumed + 14s);
  EXPECT_TRUE(run.signals.empty());
  run.pass(2h);
  ASSERT_EQ(run.signals.size(), 2u);
  EXPECT_EQ(run.signals[0].at, resumed + 15s);
  EXPECT_EQ(run.signals[1].at, resumed + 45s);
  EXPECT_EQ(run.core.ending()->reason, "LeaseExpired");
}

TEST(ending_core, leaves_a_run_whose_lease_is_renewed_after_the_clock_was_set) {
  paused_run run;
  run.step(100h);
  run.now += 1s;
  run.file = run_lease{run.now + 1h, 30s, run.wall_ahead, 10s};
  run.pass(1h + 59min);
  EXPECT_TRUE(run.signals.empty());
}

TEST(ending_core, is_not_fooled_by_a_renewal_that_was_asked_for_before_the_pause) {
  paused_run run;
  run.step(100h);
  run.file = run_lease{run.now + 2h, 30s, paused_run::ahead, 10s};
  run.pass(1h + 16s);
  EXPECT_EQ(run.signals.size(), 1u);
}

TEST(ending_core, takes_a_pause_off_the_lease_that_is_left) {
  paused_run run;
  run.step(30min);
  EXPECT_EQ(run.core.due(), 1h + 30min);
  run.pass(1h + 30min + 16s);
  EXPECT_EQ(run.signals.size(), 1u);
}

TEST(ending_core, cuts_the_grace_of_a_run_that_is_stopped_already_after_a_pause) {
  paused_run run;
  run.stop(30min);
  run.step(100h);
  run.pass(2h);
  EXPECT_EQ(run.signals.back().at, 1h + 15s + 30s);
}

TEST(ending_core, does_not_mind_a_wall_clock_that_is_set_back_or_by_little) {
  paused_run run;
  run.step(-100h);
  run.step(100h + 900ms);
  run.file = run_lease{run.now + 2h, 30s, run.wall_ahead, 10s};
  run.pass(2h + 58min);
  EXPECT_TRUE(run.signals.empty());
}

}  // namespace

}  // namespace argosy::backends
