// SPDX-License-Identifier: Apache-2.0
// This file declares what is waited for, when a job is settled, and which exit code it then gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bins/argosyctl/follow/job_tracker.hpp"
#include "bins/argosyctl/output/exit_code.hpp"

namespace argosy::ctl {

enum class wait_goal : std::uint8_t { done, scheduled, running, succeeded, failed, any };

inline const std::vector<std::string> goal_names{"done",      "scheduled", "running",
                                                 "succeeded", "failed",    "any"};

/// Reads a goal. ec::invalid_argument lists the goals and names the closest one.
[[nodiscard]] result<wait_goal> parse_goal(const std::string& name);

/// Whether the job need not be awaited any more: the goal is reached, or the job is over.
[[nodiscard]] bool is_settled(const tracked_job& job, wait_goal goal);

/// The exit code that a settled job gives.
[[nodiscard]] exit_code outcome_of(const tracked_job& job, wait_goal goal);

}  // namespace argosy::ctl
