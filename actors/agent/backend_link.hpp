// SPDX-License-Identifier: Apache-2.0
// This file declares how an EXECUTOR and its backend meet: orders become plans that the backend can
// start, and the backend's events become messages.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "actors/interfaces/executor.hpp"
#include "runtime/backends/backend.hpp"

namespace argosy::actors {

/// A sink whose events reach the EXECUTOR as messages, from any thread. It does not keep the actor
/// alive.
[[nodiscard]] backends::event_sink events_to(local_executor_actor::base* self);

/// Takes what the backend reads of a run's output, and lets the EXECUTOR have it as a message with
/// this number, from any thread.
[[nodiscard]] backends::log_taker log_to(local_executor_actor::base* self, std::uint64_t number);

/// Starts the run. Returns the event that refuses it if the backend cannot run such a job.
[[nodiscard]] std::optional<model::run_event> start_run(backends::backend& backend,
                                                        const ledger::launch_run& action,
                                                        const std::string& control_plane,
                                                        std::int64_t now_ns);

/// Lets the EXECUTOR know by a message, from any thread, that the nodes of its backend have
/// changed.
[[nodiscard]] std::function<void()> nodes_to(local_executor_actor::base* self);

/// The event of a run that is not started. `reason` is one of backends::reason.
[[nodiscard]] model::run_event refusal(const model::run_key& run, const char* reason,
                                       std::string why, std::int64_t now_ns);

}  // namespace argosy::actors
