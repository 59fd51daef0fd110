// SPDX-License-Identifier: Apache-2.0
// This file tells which jobs a change is meant for: some that are named, or all of a job set.
// The verbs that change jobs share this.
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

/// Whether the word is "job", "job-set" or another spelling of these.
[[nodiscard]] bool is_job_kind(std::string_view word);

/// Jobs that are to be changed, in the order in which they were named; 36 bytes for each.
class job_roll {
 public:
  struct entry {
    job_reference id;
    std::uint32_t set = 0;  ///< The index of its job set in sets().
    bool started = false;   ///< The job is leased, pending or running.
    bool held = false;
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
  /// Adds the flags. `done` is what happens to the jobs: "Cancel". `of_queue` says what a queue
  /// alone means to the verb, for its help; empty: the verb refuses that.
  void add_options(CLI::App& app, const std::string& done, const std::string& of_queue = {});

  /// Reads Armada's `job [QUEUE SET] ID…` and `job-set QUEUE SET`, where queue and set may be
  /// flags. It is called once, before all others.
  void read_armada_spelling();

  /// Fails with ec::invalid_argument, naming what is missing or too much.
  [[nodiscard]] result<void> check() const;

  [[nodiscard]] bool is_set() const;
  /// Whether a queue was named and nothing else.
  [[nodiscard]] bool is_queue() const;
  [[nodiscard]] const std::string& queue() const noexcept { return queue_; }
  [[nodiscard]] const std::string& job_set() const noexcept { return job_set_; }

  /// The jobs that have not ended. A notice names the others; ec::not_found for unknown jobs. A job
  /// set without a queue gets the only queue that has it.
  [[nodiscard]] result<job_roll> find(session& s, client& server);

  /// Says why nothing became of a job set in which find() found no job: a notice that there is none
  /// to `infinitive` ("cancel"), or ec::not_found that nothing was `participle` ("cancelled") if no
  /// job was ever in it, so that its name may be misspelt.
  [[nodiscard]] result<exit_code> tell_nothing(session& s, client& server,
                                               std::string_view infinitive,
                                               std::string_view participle) const;

  /// The same selection in the words of a command line: "@last", "-q a --jobset s".
  [[nodiscard]] std::string words_again() const;

  std::vector<std::string> words;  ///< The positional arguments.

 private:
  result<job_roll> find_set(client& server);
  result<job_roll> find_named(session& s, client& server) const;

  std::string queue_;
  std::string job_set_;
  /// Jobs were named, and must be in the queue and job set if these are given.
  bool of_this_set_ = false;
};

/// Fails with ec::invalid_argument if a --reason is longer than the server keeps.
[[nodiscard]] result<void> check_reason(const std::string& reason);

/// Sends the ids of the jobs, as many of one job set as one request may name, and marks them as
/// changed. If the first request is refused, its error is returned; a later error is printed, and
/// the outcome is exit_code::partial.
result<exit_code> send_in_batches(
    session& s, job_roll& jobs,
    const std::function<result<void>(const job_set_name&, const std::vector<std::string>& ids)>&
        send);

/// Prints how many jobs a change would be about, "would cancel 3 jobs", or their names with -o
/// name.
void print_would(session& s, const job_roll& jobs, std::string_view verb);

/// Prints the jobs that are marked as changed: "cancelled 3 jobs", or their names with -o name.
void print_changed(session& s, const job_roll& jobs, std::string_view what);

}  // namespace argosy::ctl
