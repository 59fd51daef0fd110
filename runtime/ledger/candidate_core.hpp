// SPDX-License-Identifier: Apache-2.0
// The candidate_core decides when a process that asks who leads may claim the lead. A claim deposes
// whoever leads, so that it must not be made beside a leader that lives. It reads no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "runtime/base/clock.hpp"

namespace argosy::ledger {

/// What came of the question who leads.
enum class lead_answer : std::uint8_t {
  nobody,    ///< Nobody is there to answer.
  somebody,  ///< A leader answered.
  silence,   ///< Somebody is there, and no answer came in time.
  over,      ///< The leader that answers leads no more, and ends.
};

struct candidate_times {
  /// A leader that was heard and is not there any more may only have lost its connection. So long
  /// it is waited for.
  boot_time absence = std::chrono::seconds{1};
  /// A leader that is silent for so long is held up, and stands down by itself (leader.takeover).
  boot_time takeover = std::chrono::seconds{30};
  /// For so long a process that has just handed its lead over lets the others lead.
  boot_time yield{};
};

class candidate_core {
 public:
  explicit candidate_core(candidate_times times) : times_(times) {}

  /// Takes an answer that came now. Returns whether the lead may be claimed.
  /// Where planes decide together, these depose a leader that is only slow at no risk, and it is
  /// not waited for any longer than for one that is gone.
  [[nodiscard]] bool may_claim(lead_answer answer, boot_time now, bool among_planes = false);

 private:
  candidate_times times_;
  std::optional<boot_time> began_;  ///< When the first answer came.
  bool met_ = false;                ///< A leader was there at some time.
  bool has_left_ = false;           ///< That one has said that it ends.
  std::optional<boot_time> since_;  ///< When the present row of equal bad answers began.
  lead_answer last_ = lead_answer::somebody;
};

}  // namespace argosy::ledger
