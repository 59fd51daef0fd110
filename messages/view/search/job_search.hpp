// SPDX-License-Identifier: Apache-2.0
// A job_search finds a page of the jobs that meet conditions, in an order. In the order of ids it
// ends when the page is full, and with the latest submissions first when no other job can be later;
// in another order it looks at every job that can meet them and keeps the first ones.
#pragma once

#include <string>
#include <vector>

#include "messages/native/job_search.hpp"
#include "messages/view/search/job_scan.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

struct search_bounds {
  /// A page ends with the job whose record exceeds this. An answer has up to twice as much, and
  /// clients of gRPC take 4 MiB.
  std::size_t bytes = 1'500'000;
  std::size_t looked_at = 10'000;  ///< How many jobs go_on() looks at.
};

class job_search {
 public:
  explicit job_search(native::find_jobs query, const search_bounds& bounds = {});

  /// Looks at some more jobs, and returns whether the page is complete. Fails with ec::corrupt when
  /// a record does not decode, and with errors of the database.
  [[nodiscard]] result<bool> go_on(store::read_txn& txn);
  /// Makes a page of what was found so far, and says that it is not complete.
  result<void> stop(store::read_txn& txn);
  /// The page, once it is complete or stopped.
  [[nodiscard]] native::found_jobs take() { return std::move(page_); }
  [[nodiscard]] const native::find_jobs& query() const noexcept { return query_; }

 private:
  [[nodiscard]] bool by_id() const noexcept { return query_.order.by == model::job_field::id; }
  [[nodiscard]] direction way() const noexcept {
    return query_.order.ascending ? direction::up : direction::down;
  }
  /// Whether the page has all jobs that it may have, in the order of ids.
  [[nodiscard]] bool is_full() const noexcept {
    return by_id() && (page_.jobs.size() >= query_.limit || bytes_ >= bounds_.bytes);
  }
  /// Whether the first place comes before the second in the order.
  [[nodiscard]] bool is_before(const model::search_place& a, const model::search_place& b) const {
    return query_.order.ascending ? a < b : b < a;
  }
  [[nodiscard]] result<bool> take_by_id(store::read_txn& txn, const job_facts& job,
                                        std::string_view record);
  [[nodiscard]] bool has_latest() const;
  /// Has the next page begin behind the last job of this one.
  void leave_rest();
  void keep_if_first(const job_facts& job);
  result<void> add(store::read_txn& txn, const ulid& id, std::string_view record);
  result<void> fill_page(store::read_txn& txn);

  native::find_jobs query_;
  search_bounds bounds_;
  job_scan scan_;
  std::uint64_t skipped_ = 0;
  std::size_t bytes_ = 0;
  /// In an order other than that of ids, the places of the first jobs: a heap, the last one on top.
  std::vector<model::search_place> first_;
  bool dropped_ = false;  ///< Whether there may be jobs behind those in first_.
  native::found_jobs page_;
};

}  // namespace argosy::view
