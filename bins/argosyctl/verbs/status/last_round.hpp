// SPDX-License-Identifier: Apache-2.0
// Reads the report of the method GetSchedulingReport, which is text for people, for what it says
// about the last round of each pool. No other method tells it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::ctl {

struct last_round {
  std::string pool;
  std::uint64_t number = 0;    ///< 0: there is no round to tell of.
  std::chrono::seconds age{};  ///< How long ago it was; rounded down to minutes or hours if long.
  std::string did;             ///< Such as "started 3 jobs and preempted 0 jobs".
  std::string discarded;       ///< Why a later plan was discarded; empty if none was.
};

/// The rounds in the order of the report. Lines of another form are passed over.
[[nodiscard]] std::vector<last_round> read_last_rounds(std::string_view report);

}  // namespace argosy::ctl
