// SPDX-License-Identifier: Apache-2.0
// Goal: ended jobs leave the view when the rule for their queue and state says so and not before,
// with all that stands of them in indexes. Method: jobs at random in the database in memory, and a
// plain reading of the rules over all of them.
#include "messages/view/ended_history.hpp"

#include <gmock/gmock.h>

#include <map>
#include <random>

#include "messages/view/check/store_check.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/view_keys.hpp"
#include "messages/view/writer.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {
namespace {

using model::job_state;
using store::table;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ended_jobs : public ::testing::Test {
 protected:
  struct ended {
    model::queue_name queue;
    job_state state;
    std::int64_t time_ns;
  };

  static ulid id_of(std::uint64_t number) { return ulid_from_hash(1'000, number, number); }

  /// One batch with jobs that end at this time.
  void write(std::int64_t time_ns,
             const std::vector<std::pair<model::queue_name, job_state>>& jobs) {
    native::append_request request;
    for (const auto& [queue, state] : jobs) {
      model::job_header header;
      header.id = id_of(number_++);
      header.queue = queue;
      header.job_set = "set " + std::to_string(number_ % 3);
      header.shape = std::make_shared<const model::job_shape>();
      header.spec = std::make_shared<const std::string>();
      model::job_record record;
      record.header = std::make_shared<const model::job_header>(header);
      record.state = state;
      request.changes.emplace_back(ledger::put_job{record, true});
      request.changes.emplace_back(ledger::index_event{
          queue, header.job_set, {time_ns, queue, model::job_cancelled{header.id, "", ""}}});
      all_.emplace(header.id, ended{queue, state, time_ns});
    }
    native::committed_batch batch;
    batch.position = {++position_};
    batch.hash = position_;
    batch.entries = {std::make_shared<const native::append_request>(std::move(request))};
    change([&](auto& txn) { return write_batch(txn, batch, [](const auto&) {}); });
  }

  template <class How>
  void change(How how) {
    auto txn = database_.begin_write();
    const result<void> done = how(**txn);
    ASSERT_TRUE(done) << done.error().detail;
    ASSERT_TRUE((*txn)->commit());
  }

  /// Lets expire until nothing is due, as RETENTION does, and returns how many events that took.
  int expire(std::int64_t now_ns) {
    for (int events = 0;; ++events) {
      const auto oldest = read_oldest_kept(**database_.begin_read());
      EXPECT_TRUE(oldest);
      const auto due = ledger::expire_due(rules_, *oldest, now_ns);
      if (!due) return events;
      if (events == 10'000) ADD_FAILURE() << "what is due must go";
      if (events == 10'000) return events;
      change([&](auto& txn) {
        return expire_history(txn, std::get<model::history_expired>(due->payload));
      });
    }
  }

  std::vector<std::string> keys(table in) {
    std::vector<std::string> out;
    EXPECT_TRUE(
        store::each(**database_.begin_read(), in, [&](const store::entry& entry) -> result<void> {
          out.emplace_back(entry.key);
          return {};
        }));
    return out;
  }

  /// The ids of the jobs that the rules keep.
  std::vector<std::string> kept(std::int64_t now_ns) const {
    std::vector<std::string> out;
    for (const auto& [id, job] : all_)
      if (job.time_ns >= now_ns - ledger::kept_for(rules_, job.queue, job.state).count())
        out.emplace_back(job_key(id));
    return out;
  }

  /// What the check of a store says of jobs, their indexes and the history.
  std::vector<std::string> faults() {
    check_report report;
    auto txn = database_.begin_read();
    EXPECT_TRUE(check_jobs(**txn, report));
    EXPECT_TRUE(check_job_set_counts(**txn, report));
    EXPECT_TRUE(check_history(**txn, {position_}, report));
    std::vector<std::string> out;
    for (const auto& one : report.findings()) out.push_back(one.place + ": " + one.fault);
    return out;
  }

  void write_some(int batches) {
    constexpr std::array queues{"a", "ab", "b"};
    for (int batch = 0; batch < batches; ++batch) {
      std::vector<std::pair<model::queue_name, job_state>> jobs;
      for (auto more = random_() % 5; more > 0; --more)
        jobs.emplace_back(queues[random_() % queues.size()],
                          static_cast<job_state>(static_cast<std::uint64_t>(job_state::succeeded) +
                                                 random_() % 5));
      write(time_ns_ += static_cast<std::int64_t>(random_() % 20), jobs);
    }
  }

  ledger::kept_by_state::span some_span() {
    if (random_() % 3 == 0) return std::nullopt;
    return std::chrono::nanoseconds{random_() % 400};
  }
  void choose_rules() {
    rules_.jobs = std::chrono::nanoseconds{random_() % 400};
    rules_.jobs_by_state = {some_span(), some_span(), some_span(), some_span(), some_span()};
    rules_.jobs_by_queue = {{"a*", some_span(), {some_span(), some_span(), {}, {}, {}}},
                            {"ab", some_span(), {{}, some_span(), {}, {}, some_span()}}};
    rules_.records_max = static_cast<std::uint32_t>(1 + random_() % 30);
  }

  std::mt19937_64 random_{7};
  store::memory_database database_;
  ledger::retention_config rules_;
  std::map<ulid, ended> all_;
  std::uint64_t number_ = 0;
  std::uint64_t position_ = 0;
  std::int64_t time_ns_ = 1'000'000;
};

TEST_F(ended_jobs, leave_when_their_rule_says_so_and_not_before) {
  for (int round = 0; round < 30; ++round) {
    write_some(20);
    choose_rules();
    expire(time_ns_);
    const auto left = kept(time_ns_);
    ASSERT_EQ(keys(table::jobs_done), left) << "round " << round;
    EXPECT_EQ(keys(table::specs), left);
    EXPECT_THAT(faults(), IsEmpty());
    std::erase_if(all_, [&](const auto& job) {
      return std::find(left.begin(), left.end(), job_key(job.first)) == left.end();
    });
  }
}

TEST_F(ended_jobs, are_looked_at_once_for_each_queue_and_state) {
  write(100, {{"b", job_state::failed}, {"a", job_state::succeeded}, {"b", job_state::failed}});
  write(200, {{"b", job_state::succeeded}, {"b", job_state::failed}});
  const auto oldest = oldest_ended_jobs(**database_.begin_read());
  ASSERT_TRUE(oldest);
  using one = ledger::oldest_ended;
  EXPECT_THAT(*oldest,
              ElementsAre(one{"a", job_state::succeeded, 100}, one{"b", job_state::succeeded, 200},
                          one{"b", job_state::failed, 100}));
}

TEST_F(ended_jobs, that_the_history_names_under_another_state_are_found_by_the_check) {
  write(100, {{"a", job_state::failed}});
  const auto right = ended_jobs_prefix("a", job_state::failed);
  const auto wrong = ended_jobs_prefix("a", job_state::succeeded);
  change([&](auto& txn) -> result<void> {
    const auto record = oldest_record(txn, right);
    EXPECT_TRUE(txn.erase(table::history, (*record)->key));
    return put_history_record(txn, wrong, {1}, 100,
                              {(*record)->items.begin(), (*record)->items.end()});
  });
  EXPECT_THAT(faults(), ElementsAre(::testing::HasSubstr("so that it would never expire")));
}

TEST(ended_jobs_keys, that_are_none_are_refused) {
  const auto position = std::string(8, '\1');
  for (const auto& key :
       {std::string{}, std::string{"\x04"}, ended_jobs_prefix("q", job_state::failed),
        ended_jobs_prefix("q", job_state::running) + position,
        ended_jobs_prefix("q", static_cast<job_state>(9)) + position,
        std::string{"\x02"} + position})
    EXPECT_FALSE(decode_ended_jobs_key(key));
  const auto key = ended_jobs_prefix("q", job_state::failed) + position;
  const auto read = decode_ended_jobs_key(key);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->queue, "q");
  EXPECT_EQ(read->state, job_state::failed);
}

}  // namespace
}  // namespace argosy::view
