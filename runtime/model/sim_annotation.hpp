// SPDX-License-Identifier: Apache-2.0
// The annotations by which a job says what its run does on simulated nodes.
#pragma once

namespace argosy::model::sim_annotation {

/// Run time: seconds ("2", "0.5") or a duration ("1m30s", "250ms").
inline constexpr const char* runtime = "argosy.io/simRuntime";
/// Exit code at the end, 0 to 255.
inline constexpr const char* exit_code = "argosy.io/simExitCode";
/// Probability, 0 to 1, that the run ends with exit code 1 instead.
inline constexpr const char* failure_rate = "argosy.io/simFailureRate";

}  // namespace argosy::model::sim_annotation
