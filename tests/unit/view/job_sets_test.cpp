// SPDX-License-Identifier: Apache-2.0
// Goal: the pages of a list of job sets hold every set once, with all its jobs, however many pages
// there are and whatever the bounds.
// Method: jobs written to the database in memory, counted by the test as well, and read back with
// small bounds.
#include "messages/view/job_sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "messages/view/writer.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::view {
namespace {

using model::job_state;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using counts = std::map<job_state, std::uint32_t>;
using set_counts = std::map<std::pair<std::string, std::string>, counts>;

class job_set_list : public ::testing::Test {
 protected:
  void put(std::uint64_t number, const model::queue_name& queue, const std::string& job_set,
           job_state state = job_state::queued) {
    model::job_header header;
    header.id = ulid_from_hash(number, 0, number);
    header.queue = queue;
    header.job_set = job_set;
    header.submitted_ns = static_cast<std::int64_t>(number);
    header.shape = std::make_shared<const model::job_shape>();
    header.spec = std::make_shared<const std::string>();
    model::job_record record;
    record.header = std::make_shared<const model::job_header>(header);
    record.state = state;
    record.changed_ns = static_cast<std::int64_t>(1'000 + number);
    native::append_request request;
    request.changes.emplace_back(ledger::put_job{record, true});
    native::committed_batch batch;
    batch.entries = {std::make_shared<const native::append_request>(std::move(request))};
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_batch(**txn, batch, [](const auto&) {}));
    ASSERT_TRUE((*txn)->commit());
    ++all_[{queue, job_set}][state];
  }

  native::job_set_page page(const native::list_job_sets& query, const job_set_bounds& bounds) {
    auto txn = database_.begin_read();
    auto out = job_sets(**txn, query, bounds);
    EXPECT_TRUE(out) << out.error().detail;
    return out ? std::move(*out) : native::job_set_page{};
  }

  /// Reads all pages together; each set must come once.
  set_counts list(native::list_job_sets query, const job_set_bounds& bounds) {
    set_counts out;
    pages_ = 0;
    do {
      const auto one = page(query, bounds);
      ++pages_;
      for (const auto& set : one.sets)
        EXPECT_TRUE(out.emplace(std::pair{set.queue, set.job_set}, set.jobs).second) << set.job_set;
      query.after = one.next;
    } while (!query.after.empty() && pages_ < 10'000);
    return out;
  }

  store::memory_database database_;
  set_counts all_;
  int pages_ = 0;
};

TEST_F(job_set_list, holds_every_set_once_in_pages_of_any_size) {
  for (std::uint64_t i = 0; i < 300; ++i)
    put(i, model::queue_name{"q" + std::to_string(i % 3)}, "set-" + std::to_string(i * 7 % 41),
        static_cast<job_state>(i % 6));
  for (const std::uint32_t sets : {1u, 2u, 7u, 1'000u}) {
    EXPECT_EQ(list({}, {.sets = sets}), all_);
    EXPECT_EQ(pages_, static_cast<int>((all_.size() + sets - 1) / sets));
  }
  EXPECT_EQ(list({}, {.bytes = 1}), all_);
  EXPECT_EQ(list({}, {.looked_at = 1}), all_);
  EXPECT_EQ(list({}, {.looked_at = 5}), all_);
}

TEST_F(job_set_list, can_be_of_one_queue) {
  put(1, "q", "a");
  put(2, "q-2", "a");
  put(3, "q", "b");
  const auto of_q = list({.queue = "q"}, {.sets = 1});
  EXPECT_EQ(of_q.size(), 2U);
  EXPECT_EQ(pages_, 2);
  EXPECT_TRUE(of_q.contains({"q", "a"}) && of_q.contains({"q", "b"}));
  EXPECT_THAT(list({.queue = "nobody"}, {}), IsEmpty());
}

TEST_F(job_set_list, leaves_out_what_has_ended_when_asked_to) {
  put(1, "q", "done", job_state::succeeded);
  put(2, "q", "half", job_state::succeeded);
  put(3, "q", "half", job_state::running);
  const auto active = list({.active_only = true}, {.looked_at = 1});
  ASSERT_EQ(active.size(), 1U);
  EXPECT_EQ(active.begin()->second, (counts{{job_state::running, 1}, {job_state::succeeded, 1}}));
  EXPECT_EQ(pages_, 2) << "a page may be empty";
}

TEST_F(job_set_list, is_sorted_within_a_page_and_knows_times) {
  put(3, "q", "b");
  put(1, "q", "b");
  put(2, "q", "a");
  const auto sets = page({}, {}).sets;
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[0].job_set, "a");
  EXPECT_EQ(sets[1].submitted_ns, 1);
  EXPECT_EQ(sets[1].changed_ns, 1'003);
}

TEST_F(job_set_list, refuses_a_cursor_that_it_did_not_give) {
  auto txn = database_.begin_read();
  for (const auto* wrong : {"x", ":", "q:zz", "q:0123456789abcdef0123456789abcdeX"}) {
    const auto refused = job_sets(**txn, {.after = wrong});
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().code, ec::invalid_argument);
  }
}

}  // namespace
}  // namespace argosy::view
