// SPDX-License-Identifier: Apache-2.0
// Goal: a search finds the jobs that meet its conditions, each once, in the order asked for, in
// pages of any size, whichever index leads to them; one for an owner or a reason, or for the latest
// submissions, looks at no jobs that it can know to be others. Method: jobs and conditions at
// random, a plain reading of the conditions over all jobs that says what has to come, and the
// number of jobs that were looked at.
#include <gmock/gmock.h>

#include "messages/proto/argosy/store.pb.h"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/search/job_search.hpp"
#include "messages/view/search/key_prefixes.hpp"
#include "messages/view/search/postings.hpp"
#include "messages/view/view_keys.hpp"
#include "tests/unit/search/search_pages.hpp"

namespace argosy::view {

namespace {

using ::testing::ElementsAre;

TEST_F(job_searches, find_what_meets_all_conditions_in_the_order_and_pages_asked_for) {
  for (int round = 0; round < 600; ++round) {
    const auto query = some_query();
    ASSERT_EQ(found(query), expected(query)) << "round " << round;
  }
}

TEST_F(job_searches, find_the_same_by_postings_that_were_made_anew) {
  auto txn = database_.begin_write();
  ASSERT_TRUE(mark_counts(**txn, 0));
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

TEST_F(job_searches, of_a_queue_pass_over_no_job_of_another) {
  for (const auto* queue : {"ants", "bee", "nobody"})
    for (const auto state : {job_state::queued, job_state::running, job_state::failed}) {
      native::find_jobs query;
      query.limit = 1'000;
      query.conditions.all = {{job_field::queue, job_match::any_of, false, {}, {queue}, {}, {}},
                              {job_field::state, job_match::any_of, false, {}, {}, {}, {state}}};
      const auto near = std::count_if(all_.begin(), all_.end(), [&](const auto& job) {
        const auto& record = job.second.record;
        if (record.header->queue != queue) return false;
        if (state == job_state::failed) return record.state == state;
        return !model::is_terminal(record.state) &&
               (state == job_state::queued || record.state != job_state::queued);
      });
      EXPECT_LE(page(query).looked_at, static_cast<std::uint64_t>(near)) << queue;
      EXPECT_EQ(found(query), expected(query)) << queue;
    }
}

TEST_F(job_searches, of_a_job_set_in_any_queue_pass_over_no_job_of_another) {
  for (const auto match : {job_match::any_of, job_match::starts_with, job_match::contains})
    for (const auto* set : {"day 2", "night", "nobody"}) {
      native::find_jobs query;
      query.limit = 1'000;
      query.conditions.all = {{job_field::job_set, match, false, {}, {set}, {}, {}}};
      const auto wanted = expected(query);
      EXPECT_LE(page(query).looked_at, wanted.size()) << set;
      EXPECT_EQ(found(query), wanted) << set;
    }
}

TEST_F(job_searches, for_jobs_that_did_not_succeed_look_at_no_others) {
  native::find_jobs query;
  query.limit = 1'000;
  query.order = {job_field::changed, false};
  query.conditions.all = {{job_field::state,
                           job_match::any_of,
                           false,
                           {},
                           {},
                           {},
                           {job_state::failed, job_state::preempted}}};
  const auto wanted = expected(query);
  EXPECT_EQ(page(query).looked_at, wanted.size());
  EXPECT_EQ(found(query), wanted);
}

TEST_F(job_searches, end_a_full_page_without_looking_far_for_the_next_job) {
  native::find_jobs query;
  query.conditions.all = {{job_field::owner, job_match::any_of, false, {}, {"ann"}, {}, {}}};
  query.limit = 1;
  search_bounds bounds;
  bounds.looked_at = 1;
  job_search search{query, bounds};
  auto txn = database_.begin_read();
  std::uint64_t pieces = 1;
  while (!*search.go_on(**txn)) ++pieces;
  const auto first = search.take();
  ASSERT_EQ(first.jobs.size(), 1u);
  EXPECT_EQ(first.looked_at, pieces);
  EXPECT_EQ(first.jobs.front().record.header->owner, "ann");
  ASSERT_TRUE(first.next);
  EXPECT_EQ(first.next->id, first.jobs.front().record.header->id);
}

TEST(set_prefixes, leave_out_what_is_not_worth_joining) {
  store::memory_database database;
  auto txn = database.begin_write();
  for (const auto* queue : {"a", "a-b", "b"})
    for (int i = 0; i < 3; ++i) {
      const auto name = "set " + std::to_string(i);
      store::v1::JobSetCounts counts;
      counts.set_format(1);
      counts.set_job_set(name);
      counts.add_jobs_by_state(1);
      ASSERT_TRUE((*txn)->put(store::table::set_counts, job_set_prefix(queue, name),
                              counts.SerializeAsString()));
    }
  const model::job_condition one{
      job_field::job_set, job_match::any_of, false, {}, {"set 1"}, {}, {}};
  const model::job_condition each{
      job_field::job_set, job_match::contains, false, {}, {"t"}, {}, {}};
  const model::job_condition queues{
      job_field::queue, job_match::any_of, false, {}, {"a", "c"}, {}, {}};
  EXPECT_EQ((**set_prefixes(**txn, one, nullptr)).size(), 3u);
  EXPECT_EQ((**set_prefixes(**txn, one, &queues)).size(), 1u);
  EXPECT_EQ((**set_prefixes(**txn, each, nullptr)).size(), 9u);
  EXPECT_EQ((**set_prefixes(**txn, each, &queues)).size(), 3u);
  EXPECT_FALSE(*set_prefixes(**txn, one, nullptr, {2, 100})) << "too many sets";
  EXPECT_FALSE(*set_prefixes(**txn, one, nullptr, {64, 2})) << "too many queues";
  EXPECT_FALSE(*set_prefixes(**txn, each, nullptr, {8, 100})) << "too many sets";
  EXPECT_FALSE(*set_prefixes(**txn, each, nullptr, {64, 8})) << "too much to look at";
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

TEST_F(job_searches, of_an_owner_pass_over_no_job_of_another) {
  const auto odd = std::count_if(all_.begin(), all_.end(), [](const auto& job) {
    return owner_prefix(job.second.record.header->owner) == unkeyed_owner_prefix();
  });
  ASSERT_GT(odd, 0);
  for (const auto match : {job_match::any_of, job_match::starts_with, job_match::contains})
    for (const auto* owner : {"ann", "an", "anna", "bob", "nobody"}) {
      native::find_jobs query;
      query.limit = 1'000;
      query.conditions.all = {{job_field::owner, match, false, {}, {owner}, {}, {}}};
      const auto wanted = expected(query);
      const auto most = wanted.size() + (match == job_match::any_of ? 0 : odd);
      EXPECT_LE(whole_page(query).looked_at, most) << owner;
      EXPECT_EQ(found(query), wanted) << owner;
    }
}

TEST_F(job_searches, join_several_owners_with_other_indexes) {
  native::find_jobs query;
  query.limit = 1'000;
  query.conditions.all = {
      {job_field::owner, job_match::any_of, false, {}, {"ann", "", "nobody"}, {}, {}},
      {job_field::queue, job_match::any_of, false, {}, {"ants"}, {}, {}},
      {job_field::state, job_match::any_of, false, {}, {}, {}, {job_state::cancelled}}};
  const auto wanted = expected(query);
  ASSERT_FALSE(wanted.empty());
  EXPECT_EQ(whole_page(query).looked_at, wanted.size());
  EXPECT_EQ(found(query), wanted);
  query.conditions.all.erase(query.conditions.all.begin() + 1);
  EXPECT_EQ(whole_page(query).looked_at, expected(query).size()) << "in any queue";
  EXPECT_EQ(found(query), expected(query));
}

TEST_F(job_searches, of_owners_whose_names_go_into_no_key_find_them) {
  for (const auto& owner : {std::string(300, 'n'), std::string{"an\0n", 4}})
    for (const auto match : {job_match::any_of, job_match::starts_with, job_match::contains}) {
      native::find_jobs query;
      query.conditions.all = {{job_field::owner, match, false, {}, {owner}, {}, {}}};
      const auto wanted = expected(query);
      EXPECT_FALSE(wanted.empty());
      EXPECT_EQ(found(query), wanted);
    }
}

TEST_F(job_searches, for_a_reason_look_at_no_jobs_that_can_have_none) {
  const auto can = std::count_if(all_.begin(), all_.end(), [](const auto& job) {
    return model::can_have_reason(job.second.record.state);
  });
  for (const auto match : {job_match::any_of, job_match::contains, job_match::exists}) {
    native::find_jobs query;
    query.limit = 1'000;
    query.conditions.all = {{job_field::reason, match, false, {}, {}, {}, {}}};
    if (match != job_match::exists) query.conditions.all.front().texts = {"out of memory"};
    const auto wanted = expected(query);
    ASSERT_FALSE(wanted.empty());
    EXPECT_LE(whole_page(query).looked_at, static_cast<std::uint64_t>(can));
    EXPECT_EQ(found(query), wanted);
    // Jobs without a reason meet these.
    query.conditions.all.front().negated = true;
    EXPECT_EQ(found(query), expected(query));
    if (match == job_match::exists) continue;
    query.conditions.all.front().negated = false;
    query.conditions.all.front().texts = {""};
    EXPECT_EQ(found(query), expected(query));
  }
}

TEST_F(job_searches, for_a_reason_do_so_in_hundreds_of_queues_as_well) {
  for (std::uint64_t number = 0; number < 200; ++number) {
    auto job = some_job(1'000 + number);
    auto header = *job.record.header;
    header.queue = model::queue_name{"queue-" + std::to_string(number)};
    job.record.header = std::make_shared<const model::job_header>(std::move(header));
    job.record.state = number % 2 == 0 ? job_state::failed : job_state::succeeded;
    job.record.reason = number % 2 == 0 ? "out of memory" : "";
    put(std::move(job));
  }
  native::find_jobs query;
  query.limit = 1'000;
  query.conditions.all = {{job_field::reason, job_match::contains, false, {}, {"memory"}, {}, {}}};
  const auto can = std::count_if(all_.begin(), all_.end(), [](const auto& job) {
    return model::can_have_reason(job.second.record.state);
  });
  EXPECT_LE(whole_page(query).looked_at, static_cast<std::uint64_t>(can));
  EXPECT_EQ(found(query), expected(query));
  query.order = {job_field::changed, true};
  EXPECT_EQ(found(query), expected(query));
}

TEST_F(job_searches, for_the_latest_submissions_end_when_none_can_be_later) {
  native::find_jobs query;
  query.order = {job_field::submitted, false};
  query.limit = 10;
  search_bounds bounds;
  bounds.looked_at = 1;
  job_search search{query, bounds};
  auto txn = database_.begin_read();
  while (!*search.go_on(**txn)) continue;
  const auto first = search.take();
  EXPECT_FALSE(first.incomplete);
  // A clock that went back by ten milliseconds at most lies behind them; four jobs came in each.
  EXPECT_LE(first.looked_at, 10u + 10 * 4);
  ASSERT_TRUE(first.next);
  EXPECT_EQ(found(query), expected(query));
}

TEST(owner_prefixes, leave_out_what_is_not_worth_joining) {
  store::memory_database database;
  auto txn = database.begin_write();
  for (const auto* owner : {"a", "a-b", "ab", "b"})
    for (std::uint64_t i = 0; i < 3; ++i)
      for (const auto& key : lasting_postings(ulid_from_hash(i, i, i), owner, {}))
        ASSERT_TRUE((*txn)->put(store::table::job_postings, key, "\x01"));
  const auto on_owner = [](job_match match, std::vector<std::string> texts) {
    return model::job_condition{job_field::owner, match, false, {}, std::move(texts), {}, {}};
  };
  const auto beginning = on_owner(job_match::starts_with, {"a"});
  const auto each = on_owner(job_match::contains, {"b"});
  EXPECT_THAT(**owner_prefixes(**txn, on_owner(job_match::any_of, {"a", "c"})),
              ElementsAre(owner_prefix("a"), owner_prefix("c")));
  EXPECT_THAT(**owner_prefixes(**txn, beginning),
              ElementsAre(unkeyed_owner_prefix(), owner_prefix("a"), owner_prefix("a-b"),
                          owner_prefix("ab")));
  EXPECT_THAT(**owner_prefixes(**txn, each),
              ElementsAre(unkeyed_owner_prefix(), owner_prefix("a-b"), owner_prefix("ab"),
                          owner_prefix("b")));
  EXPECT_FALSE(*owner_prefixes(**txn, on_owner(job_match::any_of, {"a", "b", "c"}), {2, 100}));
  EXPECT_FALSE(*owner_prefixes(**txn, beginning, {3, 100})) << "too many owners";
  EXPECT_FALSE(*owner_prefixes(**txn, each, {64, 3})) << "too much to look at";
}

}  // namespace

}  // namespace argosy::view
