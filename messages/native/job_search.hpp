// SPDX-License-Identifier: Apache-2.0
// Searches that the READER makes, and its answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "messages/native/reader.hpp"
#include "runtime/model/job_search.hpp"

namespace argosy::native {

struct find_jobs : model::job_query {
  asker asked_by{};  ///< The answer is what was found until his deadline.
};

struct found_jobs {
  std::vector<model::found_job> jobs;
  std::optional<model::search_place> next;  ///< Where the next page goes on.
  bool incomplete = false;                  ///< Not all jobs were looked at in time.
  std::uint64_t looked_at = 0;
};
using found_jobs_ptr = std::shared_ptr<const found_jobs>;

struct group_jobs : model::group_query {
  asker asked_by{};  ///< As with find_jobs.
};

struct job_groups {
  std::vector<model::job_group> groups;
  std::uint64_t groups_in_all = 0;
  bool incomplete = false;  ///< Not all jobs were looked at in time, or there are too many groups.
  std::uint64_t looked_at = 0;
};
using job_groups_ptr = std::shared_ptr<const job_groups>;

}  // namespace argosy::native
