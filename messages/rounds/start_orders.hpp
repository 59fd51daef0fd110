// SPDX-License-Identifier: Apache-2.0
// This file declares how what a queue accepted of its part of a plan becomes orders to start runs.
// It is the counterpart of plan_parts and knows no actor.
#pragma once

#include <cstdint>
#include <string>

#include "messages/native/queue.hpp"

namespace argosy::rounds {

struct start_occasion {
  std::string actor;               ///< The name of the actor that orders, for the jobs' traces.
  std::uint64_t round = 0;         ///< The round whose plan it was.
  model::log_position position{};  ///< Where the leases stand in the log.
  std::int64_t now_ns = 0;         ///< Unix time.
};

/// The starts by cluster. Each carries the trace of its job, in which this records the lease.
[[nodiscard]] native::place_reply_ptr start_orders(const ledger::place_reply& placed,
                                                   const start_occasion& occasion);

}  // namespace argosy::rounds
