// SPDX-License-Identifier: Apache-2.0
// Goal: a search finds the jobs that meet its conditions, each once, in the order asked for, in
// pages of any size, whichever index leads to them. Method: jobs and conditions at random, and a
// plain reading of the conditions over all jobs that says what has to come.
#include "messages/view/search/job_search.hpp"

#include <gmock/gmock.h>

#include "messages/view/job_set_counts.hpp"
#include "messages/view/search/job_grouping.hpp"
#include "tests/unit/search/plain_reading.hpp"
#include "tests/unit/search/search_fixture.hpp"

namespace argosy::view {
namespace {

using model::job_state;
using testing::ElementsAre;
using testing::IsEmpty;

class job_searches : public stored_jobs {
 protected:
  void SetUp() override {
    for (std::uint64_t number = 0; number < 150; ++number) put(some_job(number));
    // Some come to their ends later, so that postings are written by changes as well.
    std::vector<ulid> live;
    for (const auto& [id, job] : all_)
      if (!model::is_terminal(job.record.state)) live.push_back(id);
    for (std::size_t i = 0; i < live.size(); i += 2)
      change(live[i], i % 4 == 0 ? job_state::failed : job_state::cancelled);
  }

  bool passes(const plain_job& job, const model::job_conditions& conditions) const {
    for (const auto& each : conditions.all)
      if (holds(job, each) == each.negated) return false;
    if (!conditions.active_job_sets) return true;
    const auto& of = *job.record.header;
    return std::any_of(all_.begin(), all_.end(), [&](const auto& other) {
      const auto& header = *other.second.record.header;
      return header.queue == of.queue && header.job_set == of.job_set &&
             !model::is_terminal(other.second.record.state);
    });
  }

  job_condition some_condition() {
    const auto& some = std::next(all_.begin(), static_cast<long>(random_() % all_.size()))->second;
    job_condition out;
    out.field = static_cast<job_field>(random_() % 19);
    out.negated = random_() % 4 == 0;
    if (out.field == job_field::annotation) out.key = random_() % 4 == 0 ? "extra3" : "team";
    if (out.field == job_field::label) out.key = "app";
    if (out.field == job_field::resource) out.key = random_() % 2 == 0 ? "cpu" : "nvidia.com/gpu";
    if (out.field == job_field::state) {
      for (auto more = random_() % 3 + 1; more > 0; --more)
        out.states.push_back(static_cast<job_state>(random_() % 9));
      return out;
    }
    if (model::is_number(out.field)) {
      out.match =
          random_() % 2 == 0 ? job_match::any_of : static_cast<job_match>(4 + random_() % 4);
      out.numbers = {number(some, out).value_or(1)};
      return out;
    }
    const auto of_tag = out.field == job_field::label ? some.tags.labels : some.tags.annotations;
    const auto found = of_tag.find(out.key);
    auto value =
        !out.key.empty() ? (found == of_tag.end() ? "sea" : found->second) : text(some, out);
    out.match = static_cast<job_match>(random_() % 4);
    if (out.match == job_match::exists) {
      if (out.field == job_field::id) out.match = job_match::any_of;
    } else if (out.match != job_match::any_of) {
      value = value.substr(0, random_() % 4);
    }
    if (out.match != job_match::exists) out.texts = {value};
    if (out.match == job_match::any_of && random_() % 2 == 0) out.texts.emplace_back("bees");
    return out;
  }

  native::found_jobs page(const native::find_jobs& query) {
    search_bounds bounds;
    bounds.looked_at = 1 + random_() % 40;
    bounds.bytes = random_() % 2 == 0 ? 600 : 1'000'000;
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

TEST_F(job_searches, find_what_meets_all_conditions_in_the_order_and_pages_asked_for) {
  for (int round = 0; round < 600; ++round) {
    const auto query = some_query();
    ASSERT_EQ(found(query), expected(query)) << "round " << round;
  }
}

TEST_F(job_searches, find_the_same_by_postings_that_were_made_anew) {
  auto txn = database_.begin_write();
  ASSERT_TRUE((*txn)->erase(store::table::meta, "set_counts"));
  ASSERT_TRUE((*txn)->commit());
  ASSERT_TRUE(prepare_counts(database_));
  for (int round = 0; round < 100; ++round) {
    const auto query = some_query();
    ASSERT_EQ(found(query), expected(query)) << "round " << round;
  }
}

TEST_F(job_searches, look_at_few_jobs_where_an_index_leads_to_them) {
  native::find_jobs query;
  query.limit = 1'000;
  query.conditions.all = {
      {job_field::queue, job_match::any_of, false, {}, {"ants"}, {}, {}},
      {job_field::state, job_match::any_of, false, {}, {}, {}, {job_state::preempted}},
      {job_field::annotation, job_match::any_of, false, "team", {"sky"}, {}, {}}};
  const auto few = page(query);
  const auto wanted = expected(query).size();
  EXPECT_EQ(few.jobs.size(), wanted);
  // Jobs with very many annotations are looked at as well.
  EXPECT_LE(few.looked_at, wanted + 5);
}

TEST_F(job_searches, say_that_they_were_stopped_and_go_on_from_there) {
  native::find_jobs query;
  query.conditions.all = {{job_field::owner, job_match::any_of, false, {}, {"ann"}, {}, {}}};
  search_bounds bounds;
  bounds.looked_at = 20;
  job_search search{query, bounds};
  auto txn = database_.begin_read();
  ASSERT_FALSE(*search.go_on(**txn));
  ASSERT_TRUE(search.stop(**txn));
  auto first = search.take();
  EXPECT_TRUE(first.incomplete);
  EXPECT_EQ(first.looked_at, 20u);
  ASSERT_TRUE(first.next);
  auto rest = query;
  rest.after = first.next;
  std::vector<ulid> all;
  for (const auto& job : first.jobs) all.push_back(job.record.header->id);
  for (const auto& id : found(rest)) all.push_back(id);
  EXPECT_EQ(all, expected(query));
}

TEST_F(job_searches, that_are_stopped_in_another_order_have_the_best_of_what_they_saw) {
  native::find_jobs query;
  query.order = {job_field::changed, false};
  query.limit = 5;
  search_bounds bounds;
  bounds.looked_at = 30;
  job_search search{query, bounds};
  auto txn = database_.begin_read();
  ASSERT_FALSE(*search.go_on(**txn));
  ASSERT_TRUE(search.stop(**txn));
  const auto some = search.take();
  EXPECT_TRUE(some.incomplete);
  ASSERT_EQ(some.jobs.size(), 5u);
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_GE(some.jobs[i - 1].record.changed_ns, some.jobs[i].record.changed_ns);
}

class job_groupings : public job_searches {
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
