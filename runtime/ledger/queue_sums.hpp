// SPDX-License-Identifier: Apache-2.0
// This file defines what a queue sums up for metrics beside its totals. The sums follow from the
// events of the log alone and are stored with the totals, so that a restart does not end them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "runtime/ledger/wait_times.hpp"
#include "runtime/model/job.hpp"

namespace argosy::ledger {

struct queue_sums {
  /// The pool and the priority class. When there are this many, all others are "other".
  using place = std::pair<std::string, std::string>;
  static constexpr std::size_t places_max = 16;
  static constexpr std::size_t words_max = 64;

  struct delays {
    wait_times waits;     ///< From the submission to the begin of the first run.
    wait_times placings;  ///< From being able to start, at first or again, to having a node.

    friend bool operator==(const delays&, const delays&) = default;
  };

  std::map<place, delays> by_place;
  /// The number of jobs that have ended after they had a run, by the pool of the last one, the
  /// state, and the category of a failure (empty for other ends).
  std::map<std::tuple<std::string, model::job_state, std::string>, std::uint64_t> ended;
  /// The number of runs that failed, by category and subcategory.
  std::map<std::pair<std::string, std::string>, std::uint64_t> failures;
  /// This adds up, for the runs that were preempted, the requested amount times the seconds that
  /// the run took, by pool and resource, in the units of the model.
  std::map<std::pair<std::string, std::string>, double> preempted;

  /// A run has begun to be placed (`job.runs` ends with it).
  void count_lease(const model::job_record& job);
  /// The last run has begun to run. Only the first run of a job says how long it waited.
  void count_start(const model::job_record& job);
  /// The last run has ended.
  void count_run_end(const model::job_record& job);
  /// The job has ended, and had a run.
  void count_job_end(const model::job_record& job);

  friend bool operator==(const queue_sums&, const queue_sums&) = default;

 private:
  delays& at(const model::job_record& job);
};

}  // namespace argosy::ledger
