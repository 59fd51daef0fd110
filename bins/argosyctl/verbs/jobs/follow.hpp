// SPDX-License-Identifier: Apache-2.0
// Following jobs through their events until something holds: what wait, watch, cancel --wait and
// submit --wait stand on.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bins/argosyctl/client/job_tracker.hpp"
#include "bins/argosyctl/verbs/session.hpp"
#include "messages/proto/api/event.pb.h"

namespace argosy::ctl {

/// (queue, job set)
using job_set_name = std::pair<std::string, std::string>;

struct follow_options {
  std::set<job_set_name> job_sets;
  bool all_jobs = false;  ///< Follow every job of the sets, not only those expected.
  /// Events before now change the tracker, but are not passed on.
  bool only_new = false;
  std::string from;  ///< Events after this one; for a single job set.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  bool show_progress = false;
  /// For every event of a job that is followed; `changed` is null when its state stayed.
  std::function<void(const api::EventStreamMessage&, const event_text&, const tracked_job* changed)>
      on_event;
  /// Asked once everything that happened before was read, and after every event from then on;
  /// with `early` also before.
  std::function<bool()> done;
  bool early = false;
};

enum class follow_end : std::uint8_t { done, timed_out, interrupted };

/// At most 256 job sets: ec::invalid_argument.
[[nodiscard]] result<follow_end> follow_jobs(session& s, client& server, job_tracker& jobs,
                                             const follow_options& options);

enum class wait_goal : std::uint8_t { done, scheduled, running, succeeded, failed, any };

[[nodiscard]] result<wait_goal> parse_goal(const std::string& name);
inline const std::vector<std::string> goal_names{"done",      "scheduled", "running",
                                                 "succeeded", "failed",    "any"};

/// Whether nothing more is to be waited for: the goal is reached, or the job is over.
[[nodiscard]] bool is_settled(const tracked_job& job, wait_goal goal);

/// How a settled job leaves the program.
[[nodiscard]] exit_code outcome_of(const tracked_job& job, wait_goal goal);

struct wait_options {
  wait_goal goal = wait_goal::done;
  bool any = false;  ///< One job is enough.
  std::optional<std::chrono::milliseconds> timeout;
  bool print = true;  ///< A line to stdout for every job that is settled.
  bool show_progress = false;
};

/// Waits for the jobs. The code of the first job in their order that has one; with `any` that of
/// the job that settled first; exit_code::timed_out and interrupted.
[[nodiscard]] result<exit_code> wait_for_jobs(session& s, client& server,
                                              const std::vector<argosy::v1::JobSummary>& jobs,
                                              const wait_options& options);

/// Prints "job/<id> failed (reason)", or the name alone with -o name.
void print_settled(session& s, const tracked_job& job);

}  // namespace argosy::ctl
