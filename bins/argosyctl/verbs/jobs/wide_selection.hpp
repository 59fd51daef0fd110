// SPDX-License-Identifier: Apache-2.0
// This file tells which jobs an ending is meant for that names none of them: all of a queue, or all
// that run on a cluster or node. The server ends them at once, however many they are; they are
// listed before, so that their number can be told and asked about.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "bins/argosyctl/verbs/jobs/job_selection.hpp"

namespace argosy::ctl {

class wide_selection {
 public:
  enum class ending : std::uint8_t { cancel, preempt };
  explicit wide_selection(ending how) : how_(how) {}

  /// Adds the flags beside those of job_selection.
  void add_options(CLI::App& app);

  /// Takes from `jobs` what is meant for this selection: the queue, and Armada's `queues NAME…`,
  /// `executor NAME` and `node NAME`. Called once, after jobs.read_armada_spelling(). Fails with
  /// ec::invalid_argument for words that contradict one another.
  [[nodiscard]] result<void> settle(job_selection& jobs);

  /// Whether a queue, a cluster or a node is meant.
  [[nodiscard]] bool is_given() const noexcept { return of_ != extent::none; }

  /// The jobs that satisfy the conditions now; a preemption leaves some of them alone.
  /// ec::not_found if the queue, cluster or node is unknown.
  [[nodiscard]] result<job_roll> find(client& server);

  /// Whether the user wants it: with --yes, for at most one job, or when he says so on the
  /// terminal. ec::invalid_argument if he can not be asked.
  [[nodiscard]] result<bool> confirm(session& s, const job_roll& jobs) const;

  /// Has the server end the jobs. If it refuses one of several queues after others were ended, that
  /// is printed, and the outcome is exit_code::partial.
  [[nodiscard]] result<exit_code> send(session& s, client& server) const;

  /// Gives the command that shows the jobs that are left: "argosyctl get jobs -q a --active".
  [[nodiscard]] std::string list_again() const;

 private:
  enum class extent : std::uint8_t { none, queues, cluster, node };
  /// The pools and the classes that were asked for and of which no job was listed yet.
  struct filters {
    std::vector<std::string> pools;
    std::vector<std::string> classes;
  };

  [[nodiscard]] result<void> read_kind(std::vector<std::string>& words);
  [[nodiscard]] result<void> check_flags() const;
  [[nodiscard]] result<void> find_place(client& server);
  /// Takes the pools and the classes of the jobs that it finds out of `unseen`.
  [[nodiscard]] result<void> list(client& server, const std::string& queue, job_roll& found,
                                  filters& unseen) const;
  [[nodiscard]] bool passes(const argosy::v1::JobSummary& job) const;
  template <class OnQueue, class OnExecutor, class OnNode>
  [[nodiscard]] result<exit_code> send_as(session& s, client& server) const;

  ending how_;
  extent of_ = extent::none;
  bool kind_was_named_ = false;  ///< As armadactl does it, which never asks.
  std::vector<std::string> queues_;
  std::string cluster_;
  std::string node_;
  std::vector<std::string> states_;
  std::vector<std::string> classes_;
  std::vector<std::string> pools_;
  std::vector<api::JobState> wanted_states_;
  bool all_classes_ = false;
  bool yes_ = false;
};

/// "12 jobs", or "12 jobs of 2 queues".
[[nodiscard]] std::string jobs_text(const job_roll& jobs);

}  // namespace argosy::ctl
