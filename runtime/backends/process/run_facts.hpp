// SPDX-License-Identifier: Apache-2.0
// This file declares what the agent keeps in memory of a live run, and how the agent
// reports the end of a run whose shim wrote no status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/backends/run/records.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

struct run_facts {
  explicit run_facts(const shim_plan& plan);

  std::string container;
  bool keep_on_disconnect;
  std::int64_t grace_ns;
  std::int64_t storage_max;  ///< In bytes; 0: not limited.
  std::optional<std::uint32_t> user;
  std::optional<stop_order> stopped_by;
  bool is_pod;
  bool for_storage = false;  ///< It is being ended for what it stores.
  bool lapsed = false;       ///< The agent killed it at the end of the lease.
};

/// The end of a run whose shim wrote no status. `executed` says whether the command was executed,
/// or may have been.
[[nodiscard]] model::run_event lost_event(const model::run_key& run, const run_facts& facts,
                                          bool executed);

}  // namespace argosy::backends
