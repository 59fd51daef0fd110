// SPDX-License-Identifier: Apache-2.0
// Which jobs a change is meant for: some that are named, or all of a job set. What cancel and
// reprioritize have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/client/job_reference.hpp"
#include "bins/argosyctl/follow/follow.hpp"
#include "bins/argosyctl/verbs/session.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

/// "job" and "job-set", as Armada and we write them.
[[nodiscard]] bool is_job_kind(std::string_view word);

/// Jobs that are to be changed, in the order in which they were named; 36 bytes for each.
class job_roll {
 public:
  struct entry {
    job_reference id;
    std::uint32_t set = 0;  ///< Into sets().
    bool started = false;   ///< It is leased, pending or running.
    bool changed = false;
  };

  void add(const argosy::v1::JobSummary& job);
  [[nodiscard]] const std::vector<entry>& jobs() const noexcept { return jobs_; }
  [[nodiscard]] std::vector<entry>& jobs() noexcept { return jobs_; }
  [[nodiscard]] const std::vector<job_set_name>& sets() const noexcept { return sets_; }
  [[nodiscard]] std::size_t changed() const;
  [[nodiscard]] std::size_t changed_and_started() const;

 private:
  std::vector<entry> jobs_;
  std::vector<job_set_name> sets_;
  std::map<job_set_name, std::uint32_t> set_numbers_;
};

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

  /// The jobs that have not ended. Others are told of; ec::not_found for what is unknown. A job set
  /// without a queue gets the only queue that has it.
  [[nodiscard]] result<job_roll> find(session& s, client& server);

  /// The same jobs in words, for a command line: "@last", "-q a --jobset s".
  [[nodiscard]] std::string words_again() const;

  std::vector<std::string> words;  ///< Positional arguments.

 private:
  result<job_roll> find_set(client& server);
  result<job_roll> find_named(session& s, client& server) const;

  std::string queue_;
  std::string job_set_;
  bool of_this_set_ = false;  ///< Jobs must be named; queue and set, if given, must be theirs.
};

/// Sends the ids of the jobs, as many of one job set as one request names, and marks them as
/// changed. The error of the first request, if that was refused; a later one is told, and the
/// outcome is exit_code::partial.
result<exit_code> send_in_batches(
    session& s, job_roll& jobs,
    const std::function<result<void>(const job_set_name&, const std::vector<std::string>& ids)>&
        send);

/// "cancelled 3 jobs", or their names with -o name: those that are marked as changed.
void print_changed(session& s, const job_roll& jobs, std::string_view what);

}  // namespace argosy::ctl
