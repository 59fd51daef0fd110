// SPDX-License-Identifier: Apache-2.0
// This file declares the table that says how many jobs of each state a job set has, and the table
// of the jobs with a live run. Both follow from the tables of jobs, and change with them in the
// same transaction.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "messages/native/reader.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Collects what one batch changes in the counts, so that each job set is written once. The records
/// that it is told of must outlive it.
class job_set_counter {
 public:
  /// The job is now as `now` says. Before it was in the state `before`, or unknown.
  void count(const model::job_record& now, std::optional<model::job_state> before);
  result<void> write(store::write_txn& txn) const;

 private:
  static constexpr std::size_t states = static_cast<std::size_t>(model::job_state::rejected) + 1;
  struct change {
    std::array<std::int64_t, states> jobs{};
    std::int64_t submitted_ns = 0;  ///< When the first new job was submitted; 0: none is new.
    std::int64_t changed_ns = 0;
  };
  result<void> write(store::write_txn& txn, std::string_view queue, std::string_view job_set,
                     const change& what) const;

  /// By queue and job set.
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, change> changes_;
};

/// Whether jobs in this state have a live run. These stand in table jobs_placed as well.
[[nodiscard]] constexpr bool has_run_in_state(model::job_state state) noexcept {
  return state == model::job_state::leased || state == model::job_state::pending ||
         state == model::job_state::running;
}

/// Puts the job into table jobs_placed or takes it out, if it goes from one state to the other.
result<void> index_placed(store::write_txn& txn, const ulid& job,
                          std::optional<model::job_state> before, model::job_state now);

/// Takes a job that expires out of the counts. The record of a set without jobs goes.
result<void> uncount_job(store::write_txn& txn, const model::job_record& expired);

/// Decodes a record of table set_counts.
[[nodiscard]] result<native::job_set_summary> decode_counts(const store::entry& entry);

/// Notes that the counts are those after the batch with this hash. It is part of the batch's
/// transaction.
result<void> mark_counts(store::write_txn& txn, std::uint64_t hash);

/// Whether the counts include the view's last batch, or the store is empty. Otherwise they are to
/// be made anew. Fails with ec::conflict for a store of a version whose tables have a form that is
/// older than oldest_form or newer than postings_form.
[[nodiscard]] result<bool> counts_of_last_batch(store::read_txn& txn);

/// Makes both tables anew, and the postings, unless the counts are of the view's last batch and the
/// postings of this form. Called at the start, before anything else reads or writes; fails as
/// counts_of_last_batch() does, and has written nothing then.
result<void> prepare_counts(store::database& database);

}  // namespace argosy::view
