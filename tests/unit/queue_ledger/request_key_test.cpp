// SPDX-License-Identifier: Apache-2.0
// Goal: a request with an idempotency key is carried out once, whatever comes between it and its
// repetitions. Method: single orders of events by hand; then random orders against a model that is
// a map, where the core is at times replaced by one that was restored from what was stored, or that
// has replayed the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using ::testing::HasSubstr;

using shared_jobs = std::vector<std::shared_ptr<const model::job_header>>;

shared_jobs jobs_from(std::uint64_t first, std::size_t count) {
  shared_jobs out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(std::make_shared<const model::job_header>(job_named(first + i)));
  return out;
}

/// As run(core.submit()) does, at the driver's present time.
result<submit_reply> submit(queue_driver& q, const shared_jobs& jobs, const request_key& key) {
  return q.run(q.core.submit(jobs, q.now, key));
}

std::vector<ulid> ids_in(const submit_reply& reply) {
  std::vector<ulid> out;
  for (const auto& job : reply.jobs) out.push_back(job.id);
  return out;
}

std::vector<ulid> ids_in(const shared_jobs& jobs) {
  std::vector<ulid> out;
  for (const auto& job : jobs) out.push_back(job->id);
  return out;
}

model::queue_settings settings_of_q() {
  model::queue_settings settings;
  settings.name = "q";
  return settings;
}

TEST(request_key, gives_a_repetition_the_first_answer) {
  queue_driver q;
  const auto first = jobs_from(1, 3);
  const auto made = submit(q, first, {"k", 7});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->jobs.at(0).duplicate);
  EXPECT_TRUE(q.core.knows({"k", 7}, q.now));
  ++q.now;
  const auto again = submit(q, jobs_from(10, 3), {"k", 7});
  ASSERT_TRUE(again);
  EXPECT_EQ(ids_in(*again), ids_in(first));
  EXPECT_TRUE(again->jobs.at(2).duplicate);
  EXPECT_TRUE(q.last_events.empty());
  EXPECT_EQ(q.core.live_count(), 3U);
}

TEST(request_key, is_one_entry_whose_event_stands_before_those_of_the_jobs) {
  queue_driver q;
  q.changes.clear();
  ASSERT_TRUE(submit(q, jobs_from(1, 100), {"k", 7}));
  EXPECT_EQ(q.core.client_id_count(), 1U);
  ASSERT_EQ(q.last_events.size(), 101U);
  EXPECT_TRUE(std::holds_alternative<model::submission_accepted>(q.last_events.front().payload));
  const auto& entry = std::get<put_client_id>(q.changes.front());
  EXPECT_EQ(entry.client_id, "k");
  EXPECT_EQ(entry.body_hash, 7U);
  EXPECT_EQ(entry.kind, id_kind::request);
  EXPECT_EQ(ids_of(entry.jobs), ids_in(jobs_from(1, 100)));
}

TEST(request_key, with_another_content_is_a_conflict) {
  queue_driver q;
  ASSERT_TRUE(submit(q, jobs_from(1, 1), {"k", 7}));
  const auto refused = submit(q, jobs_from(2, 1), {"k", 8});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::conflict);
  EXPECT_THAT(refused.error().detail, HasSubstr("idempotency key 'k' was used for another"));
  EXPECT_EQ(q.core.live_count(), 1U);
}

TEST(request_key, of_a_refused_request_is_free) {
  queue_config config;
  config.live_jobs_max = 2;
  queue_driver q{config};
  EXPECT_EQ(submit(q, jobs_from(1, 3), {"k", 7}).error().code, ec::overloaded);
  EXPECT_FALSE(q.core.knows({"k", 7}, q.now));
  EXPECT_TRUE(submit(q, jobs_from(1, 2), {"k", 8})) << "nothing was made under it";
  EXPECT_TRUE(submit(q, jobs_from(3, 2), {"k", 8})) << "a full queue answers as it did";
  EXPECT_TRUE(submit(q, {}, {"empty", 9}));
  EXPECT_FALSE(q.core.knows({"empty", 9}, q.now)) << "nor is anything made without jobs";
}

TEST(request_key, does_not_meet_an_equal_client_id) {
  queue_driver q;
  auto job = job_named(1);
  job.client_id = "k";
  ASSERT_TRUE(q.submit({job}));
  const auto made = submit(q, jobs_from(2, 1), {"k", 7});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->jobs.at(0).id, job_id(2));
  job.id = job_id(3);
  EXPECT_EQ(q.submit({job})->jobs.at(0).id, job_id(1));
}

TEST(request_key, remembers_what_client_ids_answered) {
  queue_driver q;
  auto job = job_named(1);
  job.client_id = "mine";
  ASSERT_TRUE(q.submit({job}));
  const auto request = [&](std::uint64_t from) {
    auto jobs = jobs_from(from, 2);
    auto known = job;
    known.id = job_id(from + 5);
    jobs.insert(jobs.begin() + 1, std::make_shared<const model::job_header>(known));
    return jobs;
  };
  const std::vector<ulid> answer{job_id(11), job_id(1), job_id(12)};
  const auto made = submit(q, request(11), {"k", 7});
  ASSERT_TRUE(made);
  EXPECT_EQ(ids_in(*made), answer);
  EXPECT_EQ(ids_in(*submit(q, request(21), {"k", 7})), answer);
}

TEST(request_key, lives_as_long_as_client_ids_do) {
  queue_config config;
  config.client_id_retention_ns = 100;
  queue_driver q{config};
  auto job = job_named(1);
  job.client_id = "mine";
  ASSERT_TRUE(q.run(q.core.submit({std::make_shared<const model::job_header>(job)}, q.now)));
  ASSERT_TRUE(submit(q, jobs_from(2, 1), {"k", 7}));
  for (const bool over : {false, true}) {
    q.now += over ? 1 : 100;
    job.id = job_id(over ? 3 : 4);
    EXPECT_EQ(q.core.knows({"k", 7}, q.now), !over);
    const auto by_client_id =
        q.core.submit({std::make_shared<const model::job_header>(job)}, q.now);
    const auto by_key = q.core.submit(jobs_from(5, 1), q.now, {"k", 7});
    EXPECT_EQ(by_client_id.events.empty(), !over);
    EXPECT_EQ(by_key.events.empty(), !over);
    EXPECT_EQ(q.core.prune_client_ids(q.now), over ? 2U : 0U);
  }
}

TEST(request_key, outlives_jobs_and_queue) {
  queue_driver q;
  ASSERT_TRUE(submit(q, jobs_from(1, 1), {"k", 7}));
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.run(q.core.erase(erase_mode::strict, ++q.now)));
  EXPECT_EQ(submit(q, jobs_from(2, 1), {"k", 7}).error().code, ec::not_found);
  EXPECT_FALSE(q.core.is_over());
  ASSERT_TRUE(q.run(q.core.set(settings_of_q(), write_mode::create, ++q.now)));
  EXPECT_EQ(ids_in(*submit(q, jobs_from(3, 1), {"k", 7})), std::vector<ulid>{job_id(1)});
}

/// Plays random orders of events on a core and on a model.
class random_orders {
 public:
  explicit random_orders(std::uint64_t seed) : random_(seed) {
    config_.client_id_retention_ns = 50;
    core_ = std::make_unique<queue_core>("q", config_);
    apply(core_->set(settings_of_q(), write_mode::create, now_));
  }

  void step() {
    now_ += pick(4);
    switch (pick(12)) {
      case 0:
        if (core_->live_count() > 0) {
          job_selection all;
          all.whole = true;
          apply(core_->cancel(all, "bob", "enough", now_));
        }
        return apply(core_->erase(erase_mode::lenient, now_));
      case 1:
        return apply(core_->set(settings_of_q(), write_mode::upsert, now_));
      case 2:
        return void(core_->prune_client_ids(now_));
      case 3:
        return restart_from_view();
      case 4:
        return restart_from_log();
      case 5:
        now_ += 60;
        [[fallthrough]];
      default:
        return submit();
    }
  }

  std::size_t repeated = 0, refused = 0, fresh = 0;

 private:
  struct known {
    std::uint64_t content = 0;
    std::vector<ulid> jobs;
    std::int64_t used_ns = 0;
  };

  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  template <class Reply>
  void apply(decision<Reply> decided) {
    for (const auto& event : decided.events) {
      for (auto& change : core_->apply(event)) {
        if (const auto* job = std::get_if<put_job>(&change)) {
          if (model::is_terminal(job->record.state))
            live_.erase(job->record.header->id);
          else
            live_[job->record.header->id] = job->record;
        }
        if (const auto* put = std::get_if<put_queue>(&change)) settings_ = put->settings;
        if (std::holds_alternative<erase_queue>(change)) settings_.reset();
        if (const auto* used = std::get_if<put_client_id>(&change)) used_[used->client_id] = *used;
      }
      log_.push_back(event);
    }
    ASSERT_EQ(core_->illegal_events(), 0U);
  }

  void submit() {
    const request_key key{"key-" + std::to_string(pick(4)), pick(3)};
    const auto jobs = jobs_from(last_job_ += 10, 1 + pick(5));
    const auto at = model_.find(key.text);
    const bool is_known = at != model_.end() && now_ - at->second.used_ns <= 50;
    auto decided = core_->submit(jobs, now_, key);
    ASSERT_EQ(core_->knows(key, now_), core_->exists() && is_known);
    if (!core_->exists()) {
      ASSERT_EQ(decided.reply.error().code, ec::not_found);
    } else if (!is_known) {
      ASSERT_TRUE(decided.reply) << decided.reply.error().detail;
      ASSERT_EQ(ids_in(*decided.reply), ids_in(jobs));
      model_[key.text] = {key.content_hash, ids_in(jobs), now_};
      ++fresh;
    } else if (at->second.content != key.content_hash) {
      ASSERT_EQ(decided.reply.error().code, ec::conflict);
      ASSERT_TRUE(decided.events.empty());
      ++refused;
    } else {
      ASSERT_TRUE(decided.reply) << decided.reply.error().detail;
      ASSERT_EQ(ids_in(*decided.reply), at->second.jobs);
      ASSERT_TRUE(decided.events.empty());
      ++repeated;
    }
    apply(std::move(decided));
  }

  void restart_from_view() {
    core_ = std::make_unique<queue_core>("q", config_);
    if (settings_) core_->restore(*settings_);
    for (const auto& [id, record] : live_) core_->restore(record);
    for (const auto& [id, entry] : used_) core_->restore(entry);
  }

  void restart_from_log() {
    core_ = std::make_unique<queue_core>("q", config_);
    for (const auto& event : log_) (void)core_->apply(event);
    ASSERT_EQ(core_->illegal_events(), 0U);
  }

  std::mt19937_64 random_;
  queue_config config_;
  std::unique_ptr<queue_core> core_;
  std::int64_t now_ = 1'000;
  std::uint64_t last_job_ = 0;
  std::map<std::string, known> model_;
  std::vector<model::event> log_;
  std::optional<model::queue_settings> settings_;
  std::map<ulid, model::job_record> live_;
  std::map<std::string, put_client_id> used_;
};

TEST(request_key, holds_in_every_order_of_events) {
  std::size_t repeated = 0, refused = 0, fresh = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_orders orders{seed};
    for (int i = 0; i < 60 && !::testing::Test::HasFatalFailure(); ++i) orders.step();
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
    repeated += orders.repeated;
    refused += orders.refused;
    fresh += orders.fresh;
  }
  EXPECT_GT(repeated, 500U);
  EXPECT_GT(refused, 500U);
  EXPECT_GT(fresh, 500U);
}

}  // namespace
}  // namespace argosy::ledger
