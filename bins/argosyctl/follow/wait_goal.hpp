// SPDX-License-Identifier: Apache-2.0
// What is waited for, when a job has nothing more to bring, and how it then leaves the program.
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

/// ec::invalid_argument listing the goals, with the closest.
[[nodiscard]] result<wait_goal> parse_goal(const std::string& name);

/// Whether nothing more is to be waited for: the goal is reached, or the job is over.
[[nodiscard]] bool is_settled(const tracked_job& job, wait_goal goal);

/// How a settled job leaves the program.
[[nodiscard]] exit_code outcome_of(const tracked_job& job, wait_goal goal);

}  // namespace argosy::ctl
