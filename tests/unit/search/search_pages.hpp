// SPDX-License-Identifier: Apache-2.0
// This fixture gives pages of searches in pieces of any size, and what has to come in them by a
// plain reading.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "messages/view/search/job_search.hpp"
#include "tests/unit/search/plain_reading.hpp"

namespace argosy::view {

class job_searches : public searched_jobs {
 protected:
  native::found_jobs page(const native::find_jobs& query) {
    search_bounds bounds;
    bounds.looked_at = 1 + random_() % 40;
    bounds.bytes = random_() % 2 == 0 ? 600 : 1'000'000;
    return page(query, bounds);
  }

  /// One page of all jobs, as long as the query's limit allows that.
  native::found_jobs whole_page(const native::find_jobs& query) {
    search_bounds bounds;
    bounds.bytes = 100'000'000;
    auto out = page(query, bounds);
    EXPECT_FALSE(out.next);
    return out;
  }

  native::found_jobs page(const native::find_jobs& query, const search_bounds& bounds) {
    job_search search{query, bounds};
    for (int pieces = 0; pieces < 10'000; ++pieces) {
      auto txn = database_.begin_read();
      const auto complete = search.go_on(**txn);
      EXPECT_TRUE(complete) << (complete ? "" : complete.error().detail);
      if (!complete || *complete) break;
    }
    return search.take();
  }

  /// The ids of all pages.
  std::vector<ulid> found(native::find_jobs query) {
    std::vector<ulid> out;
    do {
      const auto some = page(query);
      EXPECT_LE(some.jobs.size(), query.limit);
      for (const auto& job : some.jobs) {
        const auto id = job.record.header->id;
        EXPECT_EQ(job.tags.annotations, all_.at(id).tags.annotations);
        EXPECT_EQ(job.tags.labels, all_.at(id).tags.labels);
        out.push_back(id);
      }
      query.after = some.next;
      query.skip = 0;
    } while (query.after);
    return out;
  }

  /// Sorted as asked for, in the plain way.
  std::vector<ulid> expected(const native::find_jobs& query) const {
    using key = std::tuple<std::string, std::int64_t, ulid>;
    std::vector<key> keys;
    for (const auto& [id, job] : all_) {
      if (!passes(job, query.conditions)) continue;
      const auto& record = job.record;
      switch (query.order.by) {
        case job_field::queue:
          keys.emplace_back(record.header->queue, 0, id);
          break;
        case job_field::job_set:
          keys.emplace_back(record.header->job_set, 0, id);
          break;
        case job_field::state:
          keys.emplace_back("", static_cast<std::int64_t>(record.state), id);
          break;
        case job_field::submitted:
          keys.emplace_back("", record.header->submitted_ns, id);
          break;
        case job_field::changed:
          keys.emplace_back("", record.changed_ns, id);
          break;
        default:
          keys.emplace_back("", 0, id);
      }
    }
    std::sort(keys.begin(), keys.end());
    if (!query.order.ascending) std::reverse(keys.begin(), keys.end());
    std::vector<ulid> out;
    for (std::size_t i = query.skip; i < keys.size(); ++i) out.push_back(std::get<ulid>(keys[i]));
    return out;
  }

  native::find_jobs some_query() {
    constexpr std::array orders{job_field::id,     job_field::id,        job_field::queue,
                                job_field::state,  job_field::submitted, job_field::job_set,
                                job_field::changed};
    native::find_jobs query;
    for (auto more = random_() % 4; more > 0; --more)
      query.conditions.all.push_back(some_condition());
    query.conditions.active_job_sets = random_() % 8 == 0;
    query.order = {orders[random_() % orders.size()], random_() % 2 == 0};
    query.limit = static_cast<std::uint32_t>(1 + random_() % 40);
    if (random_() % 4 == 0) query.skip = random_() % 20;
    return query;
  }
};

}  // namespace argosy::view
