// SPDX-License-Identifier: Apache-2.0
// This file declares what a verb that waits says meanwhile on stderr: how far the jobs are, and why
// nothing happens. On a terminal it is one line that changes in its place. Elsewhere a line is
// printed when there is something new, ten seconds apart at least; the same line is repeated more
// and more rarely.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "bins/argosyctl/follow/job_tracker.hpp"
#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

class waiting_line {
 public:
  /// Session, client and tracker must outlive it. `is_open` says whether a job is still awaited;
  /// `on_change` is called with a job that turned out to be in another state.
  waiting_line(session& s, client& server, job_tracker& jobs,
               std::function<bool(const tracked_job&)> is_open,
               std::function<void(const tracked_job&)> on_change);
  ~waiting_line();

  /// To be called several times a second; it never blocks.
  void tick(bool away);

  /// The text of the line, such as "2 of 10 jobs have not come that far yet (1 running, 1 queued:
  /// the job fits on no node)".
  [[nodiscard]] std::string text() const;

 private:
  struct question;

  void ask();
  [[nodiscard]] bool has_reason() const;
  void take_answers();
  void say(std::chrono::steady_clock::time_point now, bool away);

  session& s_;
  client& server_;
  job_tracker& jobs_;
  std::function<bool(const tracked_job&)> is_open_;
  std::function<void(const tracked_job&)> on_change_;
  std::shared_ptr<question> asked_;
  std::string reason_;  ///< Why most of those that were looked at wait.
  api::JobState reason_state_ = api::JobState::QUEUED;  ///< The state in which those jobs are.
  std::chrono::steady_clock::time_point next_question_;
  std::chrono::steady_clock::time_point next_words_;
  std::chrono::steady_clock::duration pause_;
  std::string said_;
};

}  // namespace argosy::ctl
