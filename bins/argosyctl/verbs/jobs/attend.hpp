// SPDX-License-Identifier: Apache-2.0
// Waits for one job that was submitted just now as if it were a command of the shell: its output is
// printed as it comes, and its exit code is the result.
#pragma once

#include <string>

#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

struct attended_job {
  std::string id;
  std::string queue;
  std::string job_set;
};

/// Prints the output of each run of the job until it has ended, no longer than the session's limit.
/// Returns the exit code of the command, or if it has none that of the job's state;
/// exit_code::timed_out or interrupted, after telling how to go on. With `cancels` the job is
/// cancelled in these cases.
[[nodiscard]] result<exit_code> attend_job(session& s, client& server, const attended_job& job,
                                           bool cancels);

}  // namespace argosy::ctl
