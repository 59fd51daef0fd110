// SPDX-License-Identifier: Apache-2.0
// Goal: a list of jobs holds what the filter asks for, once, in the order of ids, in pages of any
// size. Method: jobs at random in the database in memory, and a plain filter over all of them that
// says what has to come.
#include "messages/view/queries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "messages/view/job_list.hpp"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/store_codec.hpp"
#include "messages/view/writer.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::view {
namespace {

using model::job_state;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class view_queries : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint64_t number = 0; number < 120; ++number)
      put(number, random_() % 2 == 0 ? "a" : "b", random_() % 3 == 0 ? "s" : "t",
          static_cast<job_state>(random_() % 9));
  }

  void put(std::uint64_t number, const model::queue_name& queue, const std::string& job_set,
           job_state state) {
    model::job_header header;
    header.id = ulid_from_hash(number / 8, 0, number);
    header.queue = queue;
    header.job_set = job_set;
    header.shape = std::make_shared<const model::job_shape>();
    header.spec = std::make_shared<const std::string>("spec");
    model::job_record record;
    record.header = std::make_shared<const model::job_header>(header);
    record.state = state;
    native::append_request request;
    request.changes.emplace_back(ledger::put_job{record, true});
    native::committed_batch batch;
    batch.entries = {std::make_shared<const native::append_request>(std::move(request))};
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_batch(**txn, batch, [](const auto&) {}));
    ASSERT_TRUE((*txn)->commit());
    all_.emplace(header.id, record);
  }

  static bool takes(const native::list_jobs& query, const model::job_record& job) {
    const auto id = to_string(job.header->id);
    const auto& prefixes = query.id_prefixes;
    const auto& states = query.states;
    return (query.queue.empty() || query.queue == job.header->queue) &&
           (query.job_set.empty() || query.job_set == job.header->job_set) &&
           (!query.active_only || !model::is_terminal(job.state)) &&
           (states.empty() || std::count(states.begin(), states.end(), job.state) > 0) &&
           (prefixes.empty() ||
            std::any_of(prefixes.begin(), prefixes.end(),
                        [&](const std::string& prefix) { return id.starts_with(prefix); }));
  }

  std::vector<std::string> expected(const native::list_jobs& query) const {
    std::vector<std::string> out;
    for (const auto& [id, job] : all_)
      if (takes(query, job)) out.push_back(to_string(id));
    return out;
  }

  native::job_page page(const native::list_jobs& query, const job_list_bounds& bounds) {
    job_list list{query, bounds};
    for (pieces_ = 1; pieces_ < 10'000; ++pieces_) {
      auto txn = database_.begin_read();
      const auto complete = list.go_on(**txn);
      EXPECT_TRUE(complete);
      if (!complete || *complete) break;
    }
    looked_at_ = list.looked_at();
    return list.take();
  }

  std::vector<std::string> listed(native::list_jobs query, std::uint32_t page_size) {
    job_list_bounds bounds;
    bounds.jobs = page_size;
    bounds.looked_at = 1 + random_() % 30;
    bounds.bytes = random_() % 2 == 0 ? 300 : 1'000'000;
    std::vector<std::string> out;
    do {
      const auto found = page(query, bounds);
      EXPECT_LE(found.jobs.size(), page_size);
      for (const auto& job : found.jobs) out.push_back(to_string(job.header->id));
      query.after = found.next;
    } while (query.after);
    return out;
  }

  std::string some_prefix() {
    auto at = all_.begin();
    std::advance(at, random_() % all_.size());
    return to_string(at->first).substr(0, random_() % 27);
  }

  std::mt19937_64 random_{11};
  store::memory_database database_;
  std::map<ulid, model::job_record> all_;
  int pieces_ = 0;               ///< In how many pieces page() looked.
  std::uint64_t looked_at_ = 0;  ///< At how many jobs page() looked.
};

TEST_F(view_queries, list_what_the_filter_asks_for_in_pages_of_any_size) {
  for (int round = 0; round < 300; ++round) {
    native::list_jobs query;
    if (random_() % 3 == 0) query.queue = "a";
    if (random_() % 3 == 0) query.job_set = "s";
    query.active_only = random_() % 3 == 0;
    if (random_() % 3 == 0)
      query.states = {static_cast<job_state>(random_() % 9), static_cast<job_state>(random_() % 9)};
    for (auto more = random_() % 4; more > 0; --more) query.id_prefixes.push_back(some_prefix());
    const auto page_size = static_cast<std::uint32_t>(1 + random_() % 50);
    ASSERT_EQ(listed(query, page_size), expected(query)) << "round " << round;
  }
}

TEST_F(view_queries, look_at_few_jobs_at_a_time_and_at_none_that_counts_or_tables_exclude) {
  job_list_bounds bounds;
  bounds.looked_at = 10;
  native::list_jobs query;
  query.id_prefixes = {"zzz"};
  EXPECT_THAT(page(query, bounds).jobs, IsEmpty());
  EXPECT_EQ(pieces_, 1) << "no id begins so";
  query = {};
  (void)page(query, bounds);
  EXPECT_EQ(pieces_, 12) << "120 jobs, ten at a time";
  query.queue = "nobody";
  EXPECT_THAT(page(query, bounds).jobs, IsEmpty());
  EXPECT_EQ(pieces_, 1);
  query.job_set = "nothing";
  EXPECT_THAT(page(query, bounds).jobs, IsEmpty());
  EXPECT_EQ(pieces_, 1);
  query = {};
  query.states = {job_state::running};
  const auto running = expected(query).size();
  EXPECT_EQ(page(query, bounds).jobs.size(), running);
  (void)page(query, bounds);
  const auto placed = std::count_if(
      all_.begin(), all_.end(), [](const auto& job) { return has_run_in_state(job.second.state); });
  EXPECT_EQ(pieces_, static_cast<int>((placed + 9) / 10)) << "only jobs with runs are looked at";
}

TEST_F(view_queries, of_a_queue_look_at_no_job_that_is_of_another_or_in_a_state_not_asked_for) {
  native::list_jobs query;
  query.queue = "a";
  EXPECT_EQ(page(query, {}).jobs.size(), looked_at_);
  EXPECT_LT(looked_at_, all_.size()) << "the others are of queue b";
  query.active_only = true;
  EXPECT_EQ(page(query, {}).jobs.size(), looked_at_);
  query.active_only = false;
  for (const auto& states :
       {std::vector{job_state::failed},
        std::vector{job_state::queued, job_state::leased, job_state::pending, job_state::running},
        std::vector{job_state::leased, job_state::pending, job_state::running}}) {
    query.states = states;
    EXPECT_EQ(page(query, {}).jobs.size(), looked_at_);
    EXPECT_EQ(looked_at_, expected(query).size());
  }
  // Live jobs stand together, whatever their state.
  query.states = {job_state::queued};
  (void)page(query, {});
  query.states = {job_state::queued, job_state::leased, job_state::pending, job_state::running};
  EXPECT_EQ(looked_at_, expected(query).size());
}

TEST_F(view_queries, end_a_page_by_its_bytes) {
  job_list_bounds bounds;
  bounds.bytes = 1;
  const auto first = page({}, bounds);
  EXPECT_EQ(first.jobs.size(), 1U);
  EXPECT_EQ(first.next, first.jobs.front().header->id);
}

TEST_F(view_queries, list_nothing_for_prefixes_that_no_id_begins_with) {
  native::list_jobs query;
  query.id_prefixes = {"nonsense!", std::string(40, '0')};
  EXPECT_THAT(listed(query, 10), IsEmpty());
}

TEST_F(view_queries, find_jobs_by_id_in_the_order_asked_for) {
  const auto first = all_.begin()->first;
  const auto last = all_.rbegin()->first;
  auto txn = database_.begin_read();
  const auto page = jobs_by_id(**txn, {{last, ulid_from_hash(999, 0, 1), first}, true});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->jobs.size(), 2u) << "one is not there";
  EXPECT_EQ(page->jobs[0].header->id, last);
  EXPECT_EQ(page->jobs[1].header->id, first);
  EXPECT_EQ(*page->jobs[0].header->spec, "spec");
}

class view_events : public view_queries {
 protected:
  void SetUp() override {
    put(1, "a", "s", job_state::running);
    auto txn = database_.begin_write();
    for (std::uint64_t position = 5; position < 10; ++position)
      for (std::uint32_t index = 0; index < 3; ++index) {
        const model::event event{static_cast<std::int64_t>(position), "a",
                                 model::job_reprioritized{all_.begin()->first, index, "me"}};
        ASSERT_TRUE(write_change(**txn, ledger::index_event{"a", "s", event}, {{position}, index}));
      }
    ASSERT_TRUE((*txn)->commit());
  }

  native::event_page page(const native::read_events& query, std::uint32_t limit) {
    auto txn = database_.begin_read();
    auto out = events(**txn, query, limit);
    EXPECT_TRUE(out);
    return std::move(*out);
  }
};

TEST_F(view_events, come_once_and_in_order_in_pages_of_any_size) {
  for (std::uint32_t limit = 1; limit < 20; ++limit) {
    native::read_events query{"a", "s", {}, 500, false};
    std::vector<native::event_cursor> seen;
    bool more = true;
    while (more) {
      const auto one = page(query, limit);
      more = one.more;
      for (const auto& event : one.events) seen.push_back(event.cursor);
      if (!one.events.empty()) query.after = one.events.back().cursor;
    }
    ASSERT_EQ(seen.size(), 15u) << limit;
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  }
}

TEST_F(view_events, tell_where_they_end_and_whether_the_job_set_is_there) {
  const auto newest = page({"a", "s", {}, 500, true}, 10);
  EXPECT_TRUE(newest.exists);
  EXPECT_THAT(newest.events, IsEmpty());
  EXPECT_EQ(newest.newest, (native::event_cursor{{9}, 2}));
  EXPECT_FALSE(page({"a", "unknown", {}, 500, false}, 10).exists);
}

}  // namespace
}  // namespace argosy::view
