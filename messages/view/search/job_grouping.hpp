// SPDX-License-Identifier: Apache-2.0
// A job_grouping counts the jobs that meet conditions by the values of one field. It looks at a
// bounded number of jobs at a time.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <string>

#include "messages/native/job_search.hpp"
#include "messages/view/search/job_scan.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

struct grouping_bounds {
  std::size_t looked_at = 10'000;  ///< How many jobs go_on() looks at.
  std::size_t groups = 200'000;    ///< Jobs of further groups are left out.
};

class job_grouping {
 public:
  explicit job_grouping(native::group_jobs query, const grouping_bounds& bounds = {});

  /// Looks at some more jobs, and returns whether all were looked at. Fails with ec::corrupt when a
  /// record does not decode, and with errors of the database.
  [[nodiscard]] result<bool> go_on(store::read_txn& txn);
  /// Ends it early: take() says that it is not complete.
  result<void> stop(store::read_txn&) {
    incomplete_ = true;
    return {};
  }
  /// The groups in the order of the query.
  [[nodiscard]] native::job_groups take();
  [[nodiscard]] const native::group_jobs& query() const noexcept { return query_; }

 private:
  struct sums {
    std::array<std::uint64_t, 9> jobs{};
    std::uint64_t count = 0;
    std::int64_t submitted_ns = 0;
    std::int64_t changed_first_ns = 0;
    std::int64_t changed_last_ns = 0;
    double changed_ns = 0;  ///< The sum, as an offset from changed_first_ns of the first job.
    std::int64_t base_ns = 0;
  };

  [[nodiscard]] result<void> add(store::read_txn& txn, const job_facts& job);
  void count(std::string_view name, const job_facts& job);
  static model::job_group to_group(const std::string& name, const sums& of);

  native::group_jobs query_;
  grouping_bounds bounds_;
  job_scan scan_;
  bool incomplete_ = false;
  absl::flat_hash_map<std::string, sums> groups_;
};

}  // namespace argosy::view
