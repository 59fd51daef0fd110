// SPDX-License-Identifier: Apache-2.0
// Goal: the counts of job sets are always what counting all stored jobs would give, also after jobs
// expired, and after a program wrote to the store that did not keep them.
// Method: random histories of jobs, written in batches to the database in memory; after each batch
// the counts are compared with a walk over the tables of jobs.
#include "messages/view/job_set_counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "messages/view/ended_history.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/job_glance.hpp"
#include "messages/view/store_codec.hpp"
#include "messages/view/writer.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {
namespace {

using model::job_state;
using ::testing::IsEmpty;

using counts = std::map<job_state, std::uint32_t>;
using set_counts = std::map<std::pair<std::string, std::string>, counts>;

class counted_sets : public ::testing::Test {
 protected:
  static model::job_record new_job(std::uint64_t number, const std::string& job_set,
                                   job_state state = job_state::queued) {
    auto header = std::make_shared<model::job_header>();
    header->id = ulid_from_hash(number, 0, number);
    header->queue = model::queue_name{"q" + std::to_string(number % 2)};
    header->job_set = job_set;
    header->submitted_ns = 1 + static_cast<std::int64_t>(number);
    header->shape = std::make_shared<const model::job_shape>();
    header->spec = std::make_shared<const std::string>("spec");
    model::job_record record;
    record.header = std::move(header);
    record.state = state;
    record.changed_ns = record.header->submitted_ns;
    return record;
  }

  static native::committed_batch batch_of(std::uint64_t position, ledger::change_list changes) {
    native::append_request request;
    request.changes = std::move(changes);
    native::committed_batch batch;
    batch.position = {position};
    batch.number = position;
    batch.epoch = {1};
    batch.hash = position * 7;
    batch.entries = {std::make_shared<const native::append_request>(std::move(request))};
    return batch;
  }

  void write(ledger::change_list changes) {
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_batch(**txn, batch_of(++position_, std::move(changes)), [](const auto&) {}));
    ASSERT_TRUE((*txn)->commit());
  }

  set_counts kept() {
    set_counts out;
    auto txn = database_.begin_read();
    EXPECT_TRUE(store::each(**txn, store::table::set_counts, [&](const store::entry& entry) {
      const auto set = decode_counts(entry);
      EXPECT_TRUE(set);
      if (set) out[{set->queue, set->job_set}] = set->jobs;
      return result<void>{};
    }));
    return out;
  }

  set_counts walked() {
    set_counts out;
    auto txn = database_.begin_read();
    for (const auto in : {store::table::jobs_live, store::table::jobs_done})
      EXPECT_TRUE(store::each(**txn, in, [&](const store::entry& entry) {
        const auto job = decode_job(**txn, entry.value, false);
        EXPECT_TRUE(job);
        if (job) ++out[{job->header->queue, job->header->job_set}][job->state];
        return result<void>{};
      }));
    return out;
  }

  std::set<std::string> placed() {
    std::set<std::string> out;
    auto txn = database_.begin_read();
    EXPECT_TRUE(store::each(**txn, store::table::jobs_placed, [&](const store::entry& entry) {
      out.emplace(entry.key);
      return result<void>{};
    }));
    return out;
  }

  std::set<std::string> walked_placed() {
    std::set<std::string> out;
    auto txn = database_.begin_read();
    EXPECT_TRUE(store::each(**txn, store::table::jobs_live, [&](const store::entry& entry) {
      const auto job = decode_job(**txn, entry.value, false);
      EXPECT_TRUE(job);
      if (job && job->live_run() != nullptr) out.emplace(entry.key);
      if (job && has_run_in_state(job->state)) out.emplace(entry.key);
      return result<void>{};
    }));
    return out;
  }

  std::vector<model::ended_before> all_ended_before(std::int64_t time_ns) {
    std::vector<model::ended_before> out;
    const auto oldest = oldest_ended_jobs(**database_.begin_read());
    EXPECT_TRUE(oldest);
    for (const auto& one : *oldest) out.push_back({one.queue, one.state, time_ns});
    return out;
  }

  store::memory_database database_;
  std::uint64_t position_ = 0;
};

TEST_F(counted_sets, are_what_a_walk_over_random_histories_counts) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random{seed};
    database_ = store::memory_database{};
    std::vector<model::job_record> live;
    for (std::uint64_t step = 0; step < 60; ++step) {
      ledger::change_list changes;
      for (auto i = random() % 8; i > 0; --i) {
        if (live.empty() || random() % 3 == 0) {
          live.push_back(new_job(seed * 10'000 + step * 100 + i, "set-" + std::to_string(i % 3)));
          changes.emplace_back(ledger::put_job{live.back(), true});
          continue;
        }
        const auto at = random() % live.size();
        live[at].state = static_cast<job_state>(random() % 9);
        changes.emplace_back(ledger::put_job{live[at], false});
        model::event ended{static_cast<std::int64_t>(step), {}, model::job_reprioritized{}};
        changes.emplace_back(ledger::index_event{"q", "s", ended});
        if (model::is_terminal(live[at].state))
          live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      }
      if (random() % 5 == 0) {
        model::history_expired limits;
        limits.ended = all_ended_before(static_cast<std::int64_t>(step) - 10);
        limits.records_max = static_cast<std::uint32_t>(1 + random() % 20);
        changes.emplace_back(ledger::expire_history{limits});
      }
      write(std::move(changes));
      ASSERT_EQ(placed(), walked_placed()) << "seed " << seed << ", step " << step;
      ASSERT_EQ(kept(), walked()) << "seed " << seed << ", step " << step;
    }
  }
}

TEST_F(counted_sets, count_a_job_once_that_begins_and_ends_in_one_batch) {
  const auto begun = new_job(2, "s");
  auto ended = begun;
  ended.state = job_state::cancelled;
  write({ledger::put_job{begun, true}, ledger::put_job{ended, false}});
  EXPECT_EQ(kept(), (set_counts{{{"q0", "s"}, {{job_state::cancelled, 1}}}}));
  auto txn = database_.begin_read();
  EXPECT_EQ((*txn)->count(store::table::jobs_live), 0U);
  EXPECT_EQ((*txn)->count(store::table::specs), 1U) << "its specification is kept";
}

TEST_F(counted_sets, go_with_their_last_job) {
  auto job = new_job(2, "s", job_state::succeeded);
  const model::event ended{5, {}, model::job_reprioritized{}};
  write({ledger::put_job{job, true}, ledger::index_event{"q", "s", ended}});
  EXPECT_EQ(kept().size(), 1U);
  model::history_expired limits;
  limits.ended = all_ended_before(6);
  limits.records_max = 10;
  write({ledger::expire_history{limits}});
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(counted_sets, are_made_anew_when_they_are_not_those_of_the_last_batch) {
  write({ledger::put_job{new_job(1, "a"), true}, ledger::put_job{new_job(3, "a"), true}});
  const auto right = kept();
  {
    // A job is added with another batch, and not counted.
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_change(**txn, ledger::put_job{new_job(5, "b"), true}, {}));
    auto position = read_position(**txn);
    (*position)->hash = 99;
    ASSERT_TRUE(write_position(**txn, **position));
    ASSERT_TRUE((*txn)->commit());
  }
  EXPECT_EQ(kept(), right);
  ASSERT_TRUE(prepare_counts(database_));
  EXPECT_EQ(kept(), walked());
  EXPECT_EQ(kept().size(), 2U);
}

TEST_F(counted_sets, are_left_alone_when_they_are_right) {
  write({ledger::put_job{new_job(1, "a"), true}});
  database_.fail_next_commit({ec::internal, "nothing is to be written"});
  EXPECT_TRUE(prepare_counts(database_));
  store::memory_database fresh;
  fresh.fail_next_commit({ec::internal, "nothing is to be written"});
  EXPECT_TRUE(prepare_counts(fresh));
}

TEST_F(counted_sets, begin_with_a_glance_at_a_record_that_sees_what_decoding_sees) {
  write({ledger::put_job{new_job(7, "some set", job_state::failed), true}});
  auto txn = database_.begin_read();
  const auto record = store::last(**txn, store::table::jobs_done);
  ASSERT_TRUE(record && *record);
  const auto job = glance_at((*record)->value);
  ASSERT_TRUE(job) << job.error().detail;
  EXPECT_EQ(job->queue, "q1");
  EXPECT_EQ(job->job_set, "some set");
  EXPECT_EQ(job->state, job_state::failed);
  EXPECT_EQ(job->submitted_ns, 8);
  EXPECT_EQ(job->changed_ns, 8);
  for (std::size_t size = 1; size < (*record)->value.size(); ++size)
    (void)glance_at((*record)->value.substr(0, size));
  EXPECT_EQ(glance_at("\xff").error().code, ec::corrupt);
}

}  // namespace
}  // namespace argosy::view
