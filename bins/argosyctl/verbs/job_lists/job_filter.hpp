// SPDX-License-Identifier: Apache-2.0
// This file tells which jobs get lists: all that pass the filters, or the named ones that do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

class job_filter {
 public:
  void add_options(CLI::App& app);

  /// Checks the flags. ec::invalid_argument for a state that no job can have.
  [[nodiscard]] result<void> check();

  /// Reads the names. They are read only once, since stdin can be.
  [[nodiscard]] result<void> read_names(session& s);
  [[nodiscard]] bool has_names() const noexcept { return !words_.empty(); }
  /// Whether a single job was named, by its id or the beginning of it.
  [[nodiscard]] bool is_one_job() const noexcept {
    return words_.size() == 1 && references_.size() == 1;
  }
  /// Whether the jobs are found by conditions that a plain list does not have.
  [[nodiscard]] bool is_search(bool by_owner = true) const noexcept {
    return !where_.empty() || !labels_.empty() || !annotations_.empty() ||
           (by_owner && !owner_.empty()) || !name_.empty() || !at_.cluster.empty() ||
           !at_.node.empty() || !at_.pool.empty();
  }
  /// The conditions, all filters included.
  [[nodiscard]] const argosy::v1::FindJobsRequest& search() const noexcept { return search_; }
  [[nodiscard]] bool has_limit() const noexcept { return request_.limit() != 0; }
  [[nodiscard]] const argosy::v1::ListJobsRequest& request() const noexcept { return request_; }

  /// Hands over the jobs one by one, until `use` returns false; then it fails with ec::cancelled.
  [[nodiscard]] result<void> for_each(client& server, const job_visitor& use) const;

  /// Whether a job set has jobs that pass, by the numbers of its jobs in each state.
  [[nodiscard]] bool passes(const argosy::v1::JobSetSummary& set) const;

  /// Looks up the names by which nothing was found. Fails with ec::not_found if there is no such
  /// queue, cluster, node or pool: it may be misspelt.
  [[nodiscard]] result<void> check_names(client& server) const;

  /// Says that nothing was found: "there are no jobs of queue 'a' in job set 's'".
  [[nodiscard]] std::string nothing_text() const;

 private:
  [[nodiscard]] bool passes(const argosy::v1::JobSummary& job) const;
  result<void> make_search();
  /// Adds a condition, if the value is not empty.
  void add_condition(const char* field, const std::string& value, const std::string& key = {});

  std::vector<std::string> words_;
  std::vector<std::string> states_;
  std::string queue_;
  std::string job_set_;
  bool active_ = false;
  std::string where_;
  std::vector<std::string> labels_;
  std::vector<std::string> annotations_;
  std::string owner_;
  std::string name_;
  struct place {
    std::string cluster;
    std::string node;
    std::string pool;
  };
  place at_;  ///< Where the last run is or was.
  std::uint32_t limit_ = 0;
  argosy::v1::FindJobsRequest search_;
  argosy::v1::ListJobsRequest request_;
  std::vector<job_reference> references_;
};

}  // namespace argosy::ctl
