// SPDX-License-Identifier: Apache-2.0
// This file declares what an EXECUTOR hears from its backend and tells its store.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/agent/executor_effect.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::native {

using run_events_ptr = std::shared_ptr<const std::vector<model::run_event>>;
/// A part of a run's output, or why there is none.
using log_answer_ptr = std::shared_ptr<const result<model::log_chunk>>;
using executor_writes_ptr = std::shared_ptr<const std::vector<ledger::executor_write>>;

struct executor_status {
  bool connected = false;
  std::uint64_t runs = 0;    ///< Runs that have not ended, or whose end is not acknowledged.
  std::uint64_t open = 0;    ///< Those of these runs that have not ended.
  std::uint64_t outbox = 0;  ///< Reports that are not acknowledged.
  std::int64_t lease_left_ns = 0;
};

}  // namespace argosy::native
