// SPDX-License-Identifier: Apache-2.0
// Waits for jobs to reach a goal or to end. It prints progress meanwhile and a result at the end,
// from which the exit code follows.
#pragma once

#include <set>
#include <string>

#include "bins/argosyctl/follow/follow.hpp"
#include "bins/argosyctl/follow/wait_goal.hpp"

namespace argosy::ctl {

/// Which lines about jobs go to stdout.
enum class wait_lines : std::uint8_t {
  none,
  /// One line for each job when there are few, else for some of those that ended badly, and a
  /// summary.
  few,
  all,
};

struct wait_options {
  wait_goal goal = wait_goal::done;
  bool any = false;  ///< True: it is enough that one job reaches the goal.
  wait_lines lines = wait_lines::few;
  /// The position before the jobs were listed, from present_position(). If it is empty, only time
  /// is lost.
  std::string from{};
  /// Printed to stderr when the waiting ends before the jobs do: how to go on with it.
  std::string goes_on{};
};

/// The jobs to wait for, in the order in which their ends count, with their job sets.
struct awaited_jobs {
  job_tracker jobs;
  std::set<job_set_name> job_sets;  ///< The job sets with jobs that are not over.

  void add(const argosy::v1::JobSummary& job);
  /// Adds a job of which nothing is known yet.
  void add(const job_reference& id, const job_set_name& set);
};

/// Waits for the jobs, no longer than the session's limit. Returns the code of the first job in
/// their order that has one, or with `any` of the job that settled first; else exit_code::timed_out
/// or exit_code::interrupted.
[[nodiscard]] result<exit_code> wait_for_jobs(session& s, client& server, awaited_jobs& awaited,
                                              const wait_options& options);

}  // namespace argosy::ctl
