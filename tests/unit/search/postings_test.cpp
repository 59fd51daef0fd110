// SPDX-License-Identifier: Apache-2.0
// Goal: each stored job has exactly its postings, however it came to its state, and none when it
// has expired. Method: the table is compared with what the jobs call for, after submissions,
// changes, expiry, and made anew.
#include "messages/view/search/postings.hpp"

#include <gmock/gmock.h>

#include "messages/view/ended_history.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/scan.hpp"
#include "tests/unit/search/search_fixture.hpp"

namespace argosy::view {
namespace {

using model::job_state;

class job_postings : public stored_jobs {
 protected:
  std::set<std::string> due() const {
    std::set<std::string> out;
    for (const auto& [id, job] : all_) {
      const auto& tags = job.tags;
      if (tags.annotations.size() + tags.labels.size() > posted_tags_max)
        out.insert(unkeyed_tags_prefix() + std::string{job_key(id)});
      else
        for (const auto* of : {&tags.annotations, &tags.labels})
          for (const auto& [name, value] : *of) {
            const auto field =
                of == &tags.labels ? model::job_field::label : model::job_field::annotation;
            out.insert(tag_prefix(field, name, value) + std::string{job_key(id)});
          }
      const auto& header = *job.record.header;
      out.insert(owner_prefix(header.owner) + std::string{job_key(id)});
      out.insert(state_posting(id, header.queue, job.record.state));
    }
    return out;
  }

  std::set<std::string> stored() {
    std::set<std::string> out;
    auto txn = database_.begin_read();
    EXPECT_TRUE(store::each(**txn, store::table::job_postings,
                            [&](const store::entry& entry) -> result<void> {
                              out.emplace(entry.key);
                              return {};
                            }));
    return out;
  }
};

TEST_F(job_postings, are_those_that_the_jobs_call_for) {
  for (std::uint64_t number = 0; number < 60; ++number) {
    const auto id = put(some_job(number));
    if (!model::is_terminal(all_.at(id).record.state) && number % 2 == 0)
      change(id, number % 4 == 0 ? job_state::running : job_state::cancelled);
  }
  EXPECT_EQ(stored(), due());
}

TEST_F(job_postings, are_made_anew_where_they_are_not_those_of_the_last_batch) {
  for (std::uint64_t number = 0; number < 60; ++number) put(some_job(number));
  const auto before = stored();
  {
    auto txn = database_.begin_write();
    for (const auto& key : before) ASSERT_TRUE((*txn)->erase(store::table::job_postings, key));
    ASSERT_TRUE(mark_counts(**txn, 0));
    ASSERT_TRUE((*txn)->commit());
  }
  ASSERT_TRUE(prepare_counts(database_));
  EXPECT_EQ(stored(), before);
}

TEST(owner_prefix, tells_names_that_begin_alike_and_is_short_enough_for_a_key) {
  EXPECT_FALSE(owner_prefix("anna").starts_with(owner_prefix("ann")));
  EXPECT_NE(owner_prefix(""), owner_prefix("a"));
  const std::string longest(posted_owner_max, 'a');
  EXPECT_LE(owner_prefix(longest).size() + sizeof(ulid::bytes), 511u);
  EXPECT_NE(owner_prefix(longest), unkeyed_owner_prefix());
  EXPECT_EQ(owner_prefix(longest + "a"), unkeyed_owner_prefix());
  EXPECT_EQ(owner_prefix({"a\0b", 3}), unkeyed_owner_prefix());
  EXPECT_FALSE(owner_prefix(longest).starts_with(unkeyed_owner_prefix()));
}

TEST_F(job_postings, go_when_their_job_expires) {
  for (std::uint64_t number = 0; number < 60; ++number) put(some_job(number));
  {
    auto txn = database_.begin_write();
    model::history_expired limits;
    const auto oldest = oldest_ended_jobs(**txn);
    ASSERT_TRUE(oldest);
    for (const auto& one : *oldest)
      limits.ended.push_back({one.queue, one.state, std::numeric_limits<std::int64_t>::max()});
    limits.records_max = 10'000;
    ASSERT_TRUE(expire_history(**txn, limits));
    ASSERT_TRUE((*txn)->commit());
  }
  std::erase_if(all_, [](const auto& job) { return model::is_terminal(job.second.record.state); });
  EXPECT_EQ(stored(), due());
}

}  // namespace
}  // namespace argosy::view
