// SPDX-License-Identifier: Apache-2.0
// Waiting for jobs to reach a goal or to end: what is printed meanwhile and at the end, and the
// code that follows from it.
#pragma once

#include <set>
#include <string>

#include "bins/argosyctl/follow/follow.hpp"
#include "bins/argosyctl/follow/wait_goal.hpp"

namespace argosy::ctl {

/// What of the jobs goes to stdout.
enum class wait_lines : std::uint8_t {
  none,
  /// A line for each job when there are few, else for some of those that ended badly and a summary.
  few,
  all,
};

struct wait_options {
  wait_goal goal = wait_goal::done;
  bool any = false;  ///< One job is enough.
  wait_lines lines = wait_lines::few;
  /// The position before the jobs were listed, of present_position(); empty if it is not known,
  /// which costs time only.
  std::string from{};
  /// Printed to stderr when the waiting ends before the jobs do: how to take it up again.
  std::string goes_on{};
};

/// The jobs to wait for, in the order in which their ends count, with their job sets.
struct awaited_jobs {
  job_tracker jobs;
  std::set<job_set_name> job_sets;  ///< Those with jobs that are not over.

  void add(const argosy::v1::JobSummary& job);
  /// One of which nothing is known yet.
  void add(const job_reference& id, const job_set_name& set);
};

/// Waits for the jobs, no longer than the session's limit. The code of the first job in their order
/// that has one; with `any` that of the job that settled first; exit_code::timed_out and
/// interrupted.
[[nodiscard]] result<exit_code> wait_for_jobs(session& s, client& server, awaited_jobs& awaited,
                                              const wait_options& options);

}  // namespace argosy::ctl
