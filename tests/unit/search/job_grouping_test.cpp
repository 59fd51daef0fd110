// SPDX-License-Identifier: Apache-2.0
// Goal: a grouping counts the jobs that meet its conditions by the values of a field. Method: jobs
// at random, and a plain count over all of them.
#include "messages/view/search/job_grouping.hpp"

#include <gmock/gmock.h>

#include "tests/unit/search/plain_reading.hpp"

namespace argosy::view {
namespace {

using ::testing::IsEmpty;

class job_groupings : public searched_jobs {
 protected:
  native::job_groups groups(const native::group_jobs& query, const grouping_bounds& bounds) {
    job_grouping grouping{query, bounds};
    for (int pieces = 0; pieces < 10'000; ++pieces) {
      auto txn = database_.begin_read();
      const auto complete = grouping.go_on(**txn);
      EXPECT_TRUE(complete);
      if (!complete || *complete) break;
    }
    return grouping.take();
  }

  static std::optional<std::string> name(const plain_job& job, const native::group_jobs& query) {
    if (query.by == job_field::state) return std::string{model::to_string(job.record.state)};
    if (query.by == job_field::annotation) {
      const auto found = job.tags.annotations.find(query.key);
      return found == job.tags.annotations.end() ? std::nullopt : std::optional{found->second};
    }
    job_condition of;
    of.field = query.by;
    return text(job, of);
  }
};

TEST_F(job_groupings, count_the_jobs_that_share_a_value) {
  for (const auto by : {job_field::queue, job_field::job_set, job_field::state, job_field::node,
                        job_field::pool, job_field::annotation}) {
    native::group_jobs query;
    query.by = by;
    query.key = by == job_field::annotation ? "team" : "";
    query.conditions.all = {{job_field::owner, job_match::any_of, false, {}, {"bob"}, {}, {}}};
    std::map<std::string, model::job_group> due;
    std::map<std::string, double> changed;
    for (const auto& [id, job] : all_) {
      const auto of = name(job, query);
      if (!of || !passes(job, query.conditions)) continue;
      auto& group = due[*of];
      const auto& record = job.record;
      const bool first = group.count++ == 0;
      ++group.jobs[record.state];
      const auto submitted = record.header->submitted_ns;
      group.submitted_ns = first ? submitted : std::min(group.submitted_ns, submitted);
      group.changed_last_ns = std::max(group.changed_last_ns, record.changed_ns);
      group.changed_first_ns =
          first ? record.changed_ns : std::min(group.changed_first_ns, record.changed_ns);
      changed[*of] += static_cast<double>(record.changed_ns);
    }
    grouping_bounds bounds;
    bounds.looked_at = 7;
    const auto all = groups(query, bounds);
    EXPECT_EQ(all.groups_in_all, due.size());
    EXPECT_FALSE(all.incomplete);
    std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
    for (const auto& group : all.groups) {
      const auto& wanted = due.at(group.name);
      EXPECT_EQ(group.count, wanted.count);
      EXPECT_EQ(group.jobs, wanted.jobs);
      EXPECT_EQ(group.submitted_ns, wanted.submitted_ns);
      EXPECT_EQ(group.changed_first_ns, wanted.changed_first_ns);
      EXPECT_EQ(group.changed_last_ns, wanted.changed_last_ns);
      EXPECT_NEAR(static_cast<double>(group.changed_average_ns),
                  changed.at(group.name) / static_cast<double>(wanted.count), 1);
      EXPECT_LE(group.count, before) << "the largest comes first";
      before = group.count;
    }
  }
}

TEST_F(job_groupings, come_in_pages_and_by_name) {
  native::group_jobs query;
  query.order = model::group_order::name;
  query.ascending = true;
  query.limit = 2;
  const auto first = groups(query, {});
  ASSERT_EQ(first.groups.size(), 2u);
  EXPECT_EQ(first.groups[0].name, "ants");
  EXPECT_EQ(first.groups[1].name, "bee");
  query.skip = 2;
  const auto second = groups(query, {});
  ASSERT_EQ(second.groups.size(), 1u);
  EXPECT_EQ(second.groups[0].name, "bees");
  query.skip = 3;
  EXPECT_THAT(groups(query, {}).groups, IsEmpty());
}

TEST_F(job_groupings, say_when_there_are_more_groups_than_are_counted) {
  grouping_bounds bounds;
  bounds.groups = 2;
  const auto some = groups({}, bounds);
  EXPECT_EQ(some.groups.size(), 2u);
  EXPECT_TRUE(some.incomplete);
}

}  // namespace
}  // namespace argosy::view
