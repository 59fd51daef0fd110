// SPDX-License-Identifier: Apache-2.0
// The cycle_core is the COORDINATOR's cycle: changes are collected and folded, a ROUND runs for
// each pool, its plan is placed, and the starts are handed over. The core knows in which phase the
// cycle is and what comes next; it holds no snapshot, no plan and no handle. A COORDINATOR owns it;
// it is not thread-safe. Times are CLOCK_BOOTTIME, given by the caller.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/base/clock.hpp"

namespace argosy::ledger {

struct cycle_times {
  /// How long after the last cycle one may begin that no change asks for.
  boot_time period = std::chrono::seconds{1};
  /// The shortest time between the beginnings of two cycles.
  boot_time gap_min = std::chrono::milliseconds{20};
  /// How long a cycle waits for answers, before it goes on without those who are silent.
  std::chrono::milliseconds answer_wait{2'000};
  /// A source that is silent is asked anew after this time.
  std::chrono::milliseconds cut_timeout{300'000};
  /// A round that takes longer counts as failed; its plan is thrown away.
  std::chrono::milliseconds round_timeout{300'000};
};

enum class cycle_phase : std::uint8_t {
  waiting,   ///< It waits for the timer.
  cutting,   ///< It waits for the changes of those who said that they have some.
  deciding,  ///< It waits for the plan of a ROUND.
  /// It waits for the end of a ROUND whose plan is not wanted any more but which still reads the
  /// snapshot.
  stuck,
  placing,  ///< It waits until the QUEUEs have made their parts of the plan durable.
};

[[nodiscard]] std::string_view to_string(cycle_phase phase) noexcept;

/// Call tick() with this number after the delay. A timer that was armed before counts no more.
struct arm_timer {
  boot_time delay{};
  std::uint64_t number = 0;
  /// Armed because of work, so that the tick belongs to the trace of that work.
  bool woken = false;
};
/// Ask everybody who has changes for them, then call cuts_asked().
struct ask_for_cuts {};
/// All changes are folded in: bring the snapshot up to date, then call folded().
struct finish_fold {};
/// Start a ROUND for the pool, then call round_decided() or round_failed(), and round_ended() when
/// the actor is down.
struct start_round {
  model::pool_name pool;
  std::uint64_t number = 0;  ///< The number grows by one from round to round, over all pools.
};
/// The round gave no plan that could be used.
struct give_up_round {
  model::pool_name pool;
  std::string why;
};
/// All parts of the plan are durable, or are not waited for: send the starts to the CLUSTERs.
struct hand_over_starts {};
/// Answers have been waited for long enough: call cut_answered() or part_placed() for each one that
/// the cycle can do without.
struct stop_waiting {};

using cycle_effect = std::variant<arm_timer, ask_for_cuts, finish_fold, start_round, give_up_round,
                                  hand_over_starts, stop_waiting>;
/// The effects have to be carried out in order.
using cycle_effects = std::vector<cycle_effect>;

/// What the core cannot know by itself at the moment of an input.
struct cycle_now {
  boot_time time{};
  /// A QUEUE or NODE has said that it has changes since the last cut.
  bool changes_waiting = false;
};

class cycle_core {
 public:
  /// `rounds_before` is the number of the last round on record.
  cycle_core(cycle_times times, std::uint64_t rounds_before)
      : times_(times), round_(rounds_before) {}

  /// Arms the first timer.
  [[nodiscard]] cycle_effects start();

  /// Somebody has changes. The next cycle begins as soon as the gap allows.
  [[nodiscard]] cycle_effects changed(boot_time now);
  /// Rounds are decided by other settings from now on. It must be waiting; a cycle begins as soon
  /// as the gap allows, though nobody has changes.
  [[nodiscard]] cycle_effects settings_changed(boot_time now);
  /// A timer of another number than the last one armed does nothing. A cycle begins if there are
  /// changes, or if it is time for a round that needs none; one that waits for answers stops
  /// waiting.
  [[nodiscard]] cycle_effects tick(std::uint64_t number, cycle_now now);

  /// The cuts were asked for, and `count` answers have to come.
  [[nodiscard]] cycle_effects cuts_asked(std::size_t count);
  /// One answer came or is done without; or it will not come, though without it a round could give
  /// room away that is taken. Such a cycle ends without a round and another comes after the period.
  [[nodiscard]] cycle_effects cut_answered(bool arrived);
  /// `pools` are those that need a round in this cycle. Only the first fold of a cycle reads them.
  [[nodiscard]] cycle_effects folded(const std::vector<model::pool_name>& pools, cycle_now now);

  /// `parts` is the number of parts of the plan that have to be placed. When the time `wake_after`
  /// has passed, a round on the same state could start more jobs; a cycle for that begins then, but
  /// not before the period is over.
  [[nodiscard]] cycle_effects round_decided(std::size_t parts, std::optional<boot_time> wake_after,
                                            cycle_now now);
  [[nodiscard]] cycle_effects part_placed(cycle_now now);
  /// There is no plan, or none that may be used. A ROUND that takes too long still reads the
  /// snapshot, which must not change meanwhile, so that the cycle goes on only when the ROUND has
  /// ended.
  [[nodiscard]] cycle_effects round_failed(std::string why, cycle_now now);
  /// The ROUND does not read the snapshot any more.
  [[nodiscard]] cycle_effects round_ended(cycle_now now);

  [[nodiscard]] cycle_phase phase() const noexcept { return phase_; }
  /// Since when there is work for rounds that they have not dealt with; nothing while none is due.
  /// It is set for a moment before each cycle, and for long if rounds fail, hang or do not begin.
  [[nodiscard]] std::optional<boot_time> due_since() const noexcept { return due_since_; }
  /// The number of the last round that began.
  [[nodiscard]] std::uint64_t round() const noexcept { return round_; }

 private:
  void begin_cut(cycle_effects& out);
  void next_pool(cycle_effects& out, cycle_now now);
  void give_up(cycle_effects& out, cycle_now now);
  void after_parts(cycle_effects& out, cycle_now now);
  void end(cycle_effects& out, cycle_now now);
  void wake(cycle_effects& out, boot_time now);
  void plan_cycle(boot_time at);
  void arm(cycle_effects& out, boot_time delay, bool woken);

  cycle_times times_;
  cycle_phase phase_ = cycle_phase::waiting;
  std::uint64_t timer_ = 0;  ///< The number of the timer that was armed last.
  bool woken_ = false;       ///< That timer was armed because of work.
  boot_time last_begin_ = boot_time::min() / 2;
  /// When a cycle should begin although nothing changes: a job waits for nothing but time, for
  /// example for a token, or a round failed.
  std::optional<boot_time> wake_at_;
  std::optional<boot_time> due_since_;
  bool gave_up_ = false;  ///< This cycle did not deal with all that was due.

  /// The number of answers to cuts, or of parts of the plan, that have not come yet.
  std::size_t missing_ = 0;
  bool answer_lost_ = false;
  bool pools_known_ = false;  ///< The pools of this cycle are known, since its first cut is folded.
  std::deque<model::pool_name> pools_;  ///< The pools whose round is still to come in this cycle.
  model::pool_name pool_;               ///< The pool of the present round.
  std::uint64_t round_ = 0;
  bool round_alive_ = false;
  std::string why_;  ///< Why the present round is given up.
};

}  // namespace argosy::ledger
