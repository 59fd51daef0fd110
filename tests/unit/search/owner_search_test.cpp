// SPDX-License-Identifier: Apache-2.0
// Goal: a search for an owner or a reason, or for the latest submissions, looks at no jobs that it
// can know to be others, and finds the same. Method: jobs at random, a plain reading of the
// conditions over all of them, and the number of jobs that were looked at.
#include "messages/view/search/owner_jobs.hpp"

#include <gmock/gmock.h>

#include "messages/view/search/postings.hpp"
#include "tests/unit/search/search_pages.hpp"

namespace argosy::view {
namespace {

using ::testing::ElementsAre;

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
    header.queue = "queue-" + std::to_string(number);
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
