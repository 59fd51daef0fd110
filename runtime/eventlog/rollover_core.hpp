// SPDX-License-Identifier: Apache-2.0
// This file declares the decision what is to be done next so that the log stays short: it goes on
// in the next generation, a snapshot of the store is made, and generations are emptied that the
// snapshots cover. It is pure. Every step can be repeated after a crash, since the next one follows
// from what is there.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/eventlog/generation_keeper.hpp"

namespace argosy::eventlog {

/// When a generation ends. If both are 0, the log is never shortened and no snapshots are made.
struct rollover_rules {
  std::uint64_t bytes_max = 0;          ///< At this size of its records; 0: whatever its size.
  std::chrono::nanoseconds age_max{0};  ///< At this age; 0: whatever its age.

  [[nodiscard]] bool off() const noexcept { return bytes_max == 0 && age_max.count() == 0; }
};

/// A copy of the store on its own disk, which was verified when it was made.
struct snapshot_mark {
  model::log_generation generation{};  ///< The generation and the position at which the copy ends.
  model::log_position position{};
  std::string name;

  friend auto operator<=>(const snapshot_mark&, const snapshot_mark&) = default;
};

struct rollover_state {
  std::vector<generation_facts> generations;  ///< Ascending.
  std::vector<snapshot_mark> snapshots;       ///< Ascending.
};

enum class rollover_action : std::uint8_t {
  nothing,
  roll_over,      ///< The JOURNAL is to go on in the next generation.
  make_snapshot,  ///< Copy the store, which ends in the newest generation.
  drop_snapshot,  ///< Erase the oldest one.
  empty,          ///< Empty the oldest generation that has records.
};

struct rollover_step {
  rollover_action action = rollover_action::nothing;
  model::log_generation generation{};  ///< The generation to end, to reach or to empty.

  friend bool operator==(const rollover_step&, const rollover_step&) = default;
};

/// How many snapshots are kept. What the older of them covers can be emptied: if the newest one
/// turns out to be damaged, the other one and the generations behind it still have everything.
inline constexpr std::size_t snapshots_kept = 2;

/// Decides the next step at this Unix time. A generation begins only when there is a snapshot of
/// the one before, since the disk of the log would fill otherwise.
[[nodiscard]] rollover_step next_step(const rollover_rules& rules, const rollover_state& seen,
                                      std::int64_t now_ns);

}  // namespace argosy::eventlog
