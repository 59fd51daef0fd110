// SPDX-License-Identifier: Apache-2.0
// A job_list finds a page of the jobs that pass a filter. It looks at a bounded number of jobs at a
// time, so that whoever uses it can do something else in between. The transactions may differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/native/reader.hpp"
#include "messages/view/job_walk.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

struct job_list_bounds {
  std::uint32_t jobs = 10'000;     ///< How many jobs a page has at most.
  std::size_t bytes = 4u << 20;    ///< A page ends with the job whose record exceeds this.
  std::size_t looked_at = 20'000;  ///< How many jobs go_on() looks at.
};

class job_list {
 public:
  job_list(native::list_jobs query, const job_list_bounds& bounds);

  /// Looks at some more jobs, and returns whether the page is complete. Fails with ec::corrupt when
  /// a record does not decode, and with errors of the database.
  [[nodiscard]] result<bool> go_on(store::read_txn& txn);
  /// The jobs that were found, and where the next page goes on.
  [[nodiscard]] native::job_page take() { return std::move(page_); }
  [[nodiscard]] const native::list_jobs& query() const noexcept { return query_; }
  /// How many jobs were looked at in all.
  [[nodiscard]] std::uint64_t looked_at() const noexcept { return looked_at_in_all_; }

 private:
  /// Whether every job that passes is in one of these states.
  [[nodiscard]] bool is_only(bool (*wanted)(model::job_state)) const;
  [[nodiscard]] bool takes(model::job_state state) const;
  [[nodiscard]] bool takes(const ulid& id, std::string_view queue, std::string_view job_set,
                           model::job_state state) const;
  /// Whether the job has the external URI of the query, if that has one.
  [[nodiscard]] result<bool> has_uri(store::read_txn& txn, const ulid& id) const;
  [[nodiscard]] result<std::uint64_t> jobs_in_set(store::read_txn& txn) const;
  result<void> walk(store::read_txn& txn, const job_visitor& look);
  result<void> walk_queue(store::read_txn& txn, const job_visitor& look) const;
  [[nodiscard]] std::vector<store::table> tables() const;
  [[nodiscard]] result<bool> look_at(store::read_txn& txn, const ulid& id, std::string_view record);
  [[nodiscard]] bool is_full() const {
    return page_.jobs.size() >= bounds_.jobs || bytes_ >= bounds_.bytes;
  }

  native::list_jobs query_;
  job_list_bounds bounds_;
  /// The prefixes in ascending order; none begins with another.
  std::vector<std::string> prefixes_;
  native::job_page page_;
  std::size_t bytes_ = 0;
  std::optional<ulid> at_;     ///< The last job that was looked at.
  std::size_t looked_at_ = 0;  ///< How many jobs the present go_on() has looked at.
  std::uint64_t looked_at_in_all_ = 0;
  bool paused_ = false;
};

}  // namespace argosy::view
