// SPDX-License-Identifier: Apache-2.0
// Which jobs a change is meant for: some that are named, or all of a job set. What cancel and
// reprioritize have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/verbs/jobs/follow.hpp"
#include "bins/argosyctl/verbs/session.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

/// "job" and "job-set", as Armada and we write them.
[[nodiscard]] bool is_job_kind(std::string_view word);

class job_selection {
 public:
  /// `done` is what happens to the jobs: "Cancel".
  void add_options(CLI::App& app, const std::string& done);

  /// Armada's `job [QUEUE SET] ID…` and `job-set QUEUE SET`, where queue and set may be flags. Call
  /// it once, before the others.
  void read_armada_spelling();

  /// Names what is missing or too much; ec::invalid_argument.
  [[nodiscard]] result<void> check() const;

  [[nodiscard]] bool is_set() const;
  [[nodiscard]] const std::string& queue() const noexcept { return queue_; }
  [[nodiscard]] const std::string& job_set() const noexcept { return job_set_; }

  /// The jobs that have not ended. Others are told of; ec::not_found for what is unknown.
  [[nodiscard]] result<std::vector<argosy::v1::JobSummary>> find(session& s, client& server) const;

  std::vector<std::string> words;  ///< Positional arguments.

 private:
  result<std::vector<argosy::v1::JobSummary>> find_set(client& server) const;

  std::string queue_;
  std::string job_set_;
  bool of_this_set_ = false;  ///< Jobs must be named; queue and set, if given, must be theirs.
};

/// Full ids of as many jobs of one job set as one request names.
struct job_batch {
  job_set_name set;
  std::vector<std::string> ids;
};
[[nodiscard]] std::vector<job_batch> batches_of(const std::vector<argosy::v1::JobSummary>& jobs);

/// Sends one request for each batch until one fails. Its error, if nothing was changed yet; else it
/// is told, and the outcome is exit_code::partial.
result<exit_code> send_each(session& s, const std::vector<job_batch>& batches,
                            const std::function<result<void>(const job_batch&)>& send);

/// "cancelled 3 jobs", or their names with -o name.
void print_changed(session& s, const std::vector<argosy::v1::JobSummary>& jobs,
                   std::string_view what);

}  // namespace argosy::ctl
