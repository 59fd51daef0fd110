// SPDX-License-Identifier: Apache-2.0
// Says what stands in the log where this process was about to write.
#pragma once

#include <cstdint>

#include "runtime/base/error.hpp"
#include "runtime/eventlog/event_log.hpp"

namespace argosy::batches {

struct intrusion {
  /// The record is no batch of anybody. It can be stepped over.
  bool foreign = false;
  eventlog::record record;  ///< The record; only set when it is foreign.
  /// Why this process must not write any more, if the record is not foreign. It names who has
  /// claimed the lead, if the record is a claim.
  error why;
};

/// Looks at the record at `position`. `why` is what the log said; it stands in the result if
/// nothing better is known.
[[nodiscard]] intrusion look_at(eventlog::event_log& log, std::uint64_t position, const error& why);

}  // namespace argosy::batches
