// SPDX-License-Identifier: Apache-2.0
// A job_scan finds the jobs that meet conditions, in the order of their ids, by the indexes that
// lead past the fewest others. It looks at a bounded number of jobs at a time, so that whoever uses
// it can do something else in between. The transactions may differ.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/native/job_search.hpp"
#include "messages/view/search/id_streams.hpp"
#include "messages/view/search/job_facts.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Is called with a job that meets the conditions, and its record, and returns whether the scan
/// goes on.
using found_visitor = std::function<result<bool>(const job_facts&, std::string_view)>;

class job_scan {
 public:
  /// Begins behind `after`, or at the first job of the direction.
  job_scan(model::job_conditions conditions, direction way,
           const std::optional<ulid>& after = std::nullopt);

  /// Looks at `most` more jobs, and returns whether there are no more or the visitor has ended the
  /// scan. Fails with ec::corrupt when a record does not decode, with errors of the database, and
  /// with those of the visitor.
  [[nodiscard]] result<bool> go_on(store::read_txn& txn, std::size_t most,
                                   const found_visitor& visitor);
  /// The last job that was looked at; nothing before the first.
  [[nodiscard]] const std::optional<ulid>& at() const noexcept { return at_; }
  [[nodiscard]] std::uint64_t looked_at() const noexcept { return looked_at_; }

 private:
  [[nodiscard]] result<id_stream_ptr> candidates(store::read_txn& txn);
  /// Finds the job sets and owners that conditions lead to, once.
  [[nodiscard]] result<void> learn_names(store::read_txn& txn);
  [[nodiscard]] result<void> add_under(store::read_txn& txn, store::table in,
                                       const std::vector<std::string>& prefixes,
                                       std::vector<id_stream_ptr>& all) const;
  [[nodiscard]] result<id_stream_ptr> with_tag(store::read_txn& txn,
                                               const model::job_condition& tag) const;
  [[nodiscard]] result<id_stream_ptr> in_states(store::read_txn& txn) const;
  [[nodiscard]] result<void> add_ended(store::read_txn& txn, std::vector<id_stream_ptr>& any) const;
  [[nodiscard]] bool wants_all_states() const;
  [[nodiscard]] bool wants(model::job_state state) const;
  [[nodiscard]] result<bool> meets_all(store::read_txn& txn, const job_facts& job);
  [[nodiscard]] result<bool> has_active_set(store::read_txn& txn, const job_facts& job);
  /// Moves behind the last job; false when no id can come any more.
  [[nodiscard]] bool move_on();

  model::job_conditions conditions_;
  direction way_;
  ulid from_;  ///< Where the scan goes on.
  bool over_ = false;
  std::optional<ulid> at_;
  std::uint64_t looked_at_ = 0;
  bool knows_names_ = false;
  /// Where the jobs of the sets and of the owners stand that can meet the conditions, as of the
  /// first transaction; nothing where they are too many, or no condition leads to them.
  std::optional<std::vector<std::string>> sets_;
  std::optional<std::vector<std::string>> owners_;
  /// Whether the job sets that were asked about have a job that has not ended, as of this
  /// transaction.
  std::map<std::string, bool> active_sets_;
};

}  // namespace argosy::view
