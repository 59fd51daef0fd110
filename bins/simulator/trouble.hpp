// SPDX-License-Identifier: Apache-2.0
// What may be wrong with a machine's disk and with its way to the log, and the calls of its process
// at which it may be killed.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/model/identifiers.hpp"

namespace argosy::sim {

enum class trouble : std::uint8_t {
  disk_full,       ///< Commits keep nothing.
  map_full,        ///< Nothing goes into a transaction.
  unreadable,      ///< Reads of the store fail.
  log_full,        ///< The log takes no record.
  log_leaderless,  ///< Nobody answers for the log.
  answers_lost,    ///< The log takes records, and every other time does not say so.
  record_damaged,  ///< One record of the log is not what was written.
  record_missing,  ///< The log does not have it any more.
};
inline constexpr std::size_t trouble_count = 8;
inline constexpr std::array<std::string_view, trouble_count> trouble_names{
    "disk full",      "map full",     "unreadable",     "log full",
    "log leaderless", "answers lost", "record damaged", "record missing"};

/// The calls through the seams of a process, before or after each of which it can be killed.
enum class crash_point : std::uint8_t {
  append_begins,  ///< The log does not have the record.
  append_stored,  ///< The log has the record, and the process does not know.
  commit_begins,
  commit_stored,
  asked,  ///< A user has just sent it a request.
  log_asked,
  log_answered,
  write_begins,   ///< A transaction that writes.
  frame_leaves,   ///< It has not left.
  frame_left,     ///< It is on its way.
  frame_arrives,  ///< The process has not looked at it.
};

inline constexpr std::array<std::string_view, 11> crash_point_names{
    "append begins", "append stored", "commit begins", "commit stored", "asked",        "log asked",
    "log answered",  "write begins",  "frame leaves",  "frame left",    "frame arrives"};

/// The crashes that a process has before it, each at a point to which it comes.
class crash_aims {
 public:
  /// Calls this once when the process comes to the point after it has passed it so often.
  void add(crash_point at, std::uint64_t passes, std::function<void()> hit) {
    all_.push_back({at, passes, std::move(hit)});
  }
  void clear() { all_.clear(); }
  /// The process is at the point.
  void reach(crash_point point) {
    const auto at = std::ranges::find_if(
        all_, [point](auto& one) { return one.point == point && one.passes-- == 0; });
    if (at == all_.end()) return;
    const auto hit = std::move(at->hit);
    all_.erase(at);
    hit();
  }

 private:
  struct aim {
    crash_point point;
    std::uint64_t passes;
    std::function<void()> hit;
  };

  std::vector<aim> all_;
};

/// What is wrong with a machine, and what is going to be.
struct condition {
  double slowness = 1;  ///< How many times slower the disk is.
  std::bitset<trouble_count> troubles{};
  model::log_position bad_record{};  ///< Which one is damaged or missing, while one is.

  std::uint64_t answers = 0;  ///< Those of the log while some of them are lost.
  bool kept_away = false;     ///< Nothing starts its process.
  crash_aims aims{};

  void set(trouble what, bool on) { troubles.set(static_cast<std::size_t>(what), on); }
  [[nodiscard]] bool has(trouble what) const {
    return troubles.test(static_cast<std::size_t>(what));
  }
};

}  // namespace argosy::sim
