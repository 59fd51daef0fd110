// SPDX-License-Identifier: Apache-2.0
// This file reads the whole log, through all its generations, for the checker. It decodes with the
// product's own codec, and decides for itself what continues the chain.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "bins/simulator/witness/log_story.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"

namespace argosy::witness {

struct log_counts {
  std::uint64_t records = 0;
  std::uint64_t foreign = 0;  ///< Records that the chain does not run through.
  std::uint32_t generations = 0;
};

/// Takes an event and the position of the record that holds it.
using event_taker = std::function<void(std::uint64_t record, const model::event&)>;

/// Gives all that the log holds, in its order. The chain has to begin with the first record. Fails
/// with the errors of the log.
[[nodiscard]] result<log_counts> read_log(eventlog::event_log& log, const event_taker& take);

}  // namespace argosy::witness
