// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/follow/wait_goal.hpp"

#include <fmt/format.h>

#include "runtime/base/suggest.hpp"

namespace argosy::ctl {

using api::JobState;

result<wait_goal> parse_goal(const std::string& name) {
  for (std::size_t i = 0; i < goal_names.size(); ++i)
    if (goal_names[i] == name) return static_cast<wait_goal>(i);
  return fail(ec::invalid_argument,
              fmt::format("'{}' cannot be waited for; write done, scheduled, running, succeeded, "
                          "failed or any{}",
                          name, did_you_mean(name, goal_names)));
}

bool is_settled(const tracked_job& job, wait_goal goal) {
  return is_over(job.state) || (goal == wait_goal::scheduled && job.was_scheduled) ||
         (goal == wait_goal::running && job.was_running);
}

exit_code outcome_of(const tracked_job& job, wait_goal goal) {
  switch (goal) {
    case wait_goal::any:
      return exit_code::success;
    case wait_goal::scheduled:
      return job.was_scheduled ? exit_code::success : exit_code_of(job.state);
    case wait_goal::running:
      return job.was_running ? exit_code::success : exit_code_of(job.state);
    case wait_goal::failed:
      if (job.state == JobState::FAILED) return exit_code::success;
      return job.state == JobState::SUCCEEDED ? exit_code::conflict : exit_code_of(job.state);
    case wait_goal::done:
    case wait_goal::succeeded:
      break;
  }
  return exit_code_of(job.state);
}

}  // namespace argosy::ctl
