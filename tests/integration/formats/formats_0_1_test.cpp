// SPDX-License-Identifier: Apache-2.0
// Goal: what version 0.1 has written is read with all that it says, so that an upgrade loses
// nothing. Method: the files that 0.1 wrote of a story that has every kind of event: a log of two
// generations, and the store that follows from it in LMDB. Each event is compared with that of the
// story, and the store with one that this version makes from the log.
//
// With ARGOSY_WRITE_FORMATS in the environment the files are written anew. That is for a change of
// the story before its version is released, and never afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "messages/batches/batch_core.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/view/check/log_check.hpp"
#include "messages/view/check/store_check.hpp"
#include "messages/view/operation_table.hpp"
#include "messages/view/recovery/recovery.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"
#include "runtime/store/scan.hpp"
#include "tests/integration/formats/kept_log.hpp"
#include "tests/integration/formats/story_0_1.hpp"
#include "tests/support/eventlog/test_key.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

const std::filesystem::path folder =
    std::filesystem::path{ARGOSY_SOURCE_DIR} / "tests/integration/formats/0.1";
const std::filesystem::path log_file = folder / "log.gz";
const std::filesystem::path store_file = folder / "data.mdb.gz";

std::string bytes_of(const std::vector<model::event>& events) {
  std::string out;
  for (const auto& each : events) out += codec::encode_event(each, true);
  return out;
}

/// Writes the story as the JOURNAL writes batches.
class story_writer {
 public:
  explicit story_writer(std::shared_ptr<const codec::log_key> key)
      : core_({}, 1'000'000, std::move(key)) {}

  std::vector<kept_record> write() {
    write(core_.claim(claim_0_1(), story_0_1().front().front().time_ns));
    const auto story = story_0_1();
    for (std::size_t i = 0; i < story.size(); ++i) {
      if (i + 1 == story.size()) roll_over(story[i].front().time_ns);
      auto request = std::make_shared<native::append_request>();
      request->events = story[i];
      write(std::move(request));
    }
    return std::move(out_);
  }

 private:
  void roll_over(std::int64_t now_ns) {
    const auto last = core_.end().position + 1;
    write(view::turn_event({1}, {2}, last, now_ns));
    core_.turn_to({2}, now_ns);
    write(view::turn_event({1}, {2}, last, now_ns));
  }
  void write(native::append_ptr request) {
    const auto& batch = core_.begin_alone(std::move(request));
    out_.push_back({core_.end().generation, batch.message_id, *batch.bytes});
    const auto position = batch.position;
    (void)core_.written_to_log();
    ASSERT_TRUE(core_.written_to_tail(position));
  }

  batches::batch_core core_;
  std::vector<kept_record> out_;
};

class formats_0_1 : public ::testing::Test {
 protected:
  formats_0_1() {
    if (std::getenv("ARGOSY_WRITE_FORMATS") != nullptr) write_files();
    records_ = read_kept_log(log_file);
    log_ = log_of(records_, clock_);
  }

  void write_files() {
    const temp_folder temp;
    const auto records = story_writer{key_}.write();
    write_kept_log(log_file, records);
    {
      const auto made = store::open_lmdb({.folder = temp.path() / "made", .map_bytes = 1u << 30});
      ASSERT_TRUE(made);
      const auto log = log_of(records, clock_);
      const auto state = view::recover(**made, *log, {}, *key_);
      ASSERT_TRUE(state) << state.error().detail;
      auto txn = (*made)->begin_write();
      ASSERT_TRUE(view::write_clock(**txn, {from_nanos(7), from_nanos(8), boot_time{9}, "boot"}));
      ASSERT_TRUE((*txn)->commit());
      ASSERT_TRUE((*made)->backup((temp.path() / "copy").string()));
    }
    std::ifstream copy{temp.path() / "copy" / "data.mdb", std::ios::binary};
    write_compressed(store_file, {std::istreambuf_iterator<char>{copy}, {}});
  }

  std::unique_ptr<store::database> open_store() {
    std::filesystem::create_directory(temp_.path() / "store");
    std::ofstream{temp_.path() / "store" / "data.mdb", std::ios::binary}
        << read_compressed(store_file);
    auto out = store::open_lmdb({.folder = temp_.path() / "store", .map_bytes = 1u << 30});
    EXPECT_TRUE(out) << out.error().detail;
    return out ? std::move(*out) : nullptr;
  }

  /// All records but those of the tail and of the clock, which are not of the view.
  static std::map<std::string, std::map<std::string, std::string>> contents(
      store::database& database) {
    std::map<std::string, std::map<std::string, std::string>> out;
    auto txn = database.begin_read();
    for (std::size_t number = 0; number < store::table_names.size(); ++number) {
      const auto which = static_cast<store::table>(number);
      auto& into = out[std::string{store::table_names[number]}];
      if (which == store::table::tail) continue;
      EXPECT_TRUE(store::each(**txn, which, [&](const store::entry& entry) -> result<void> {
        into.emplace(entry.key, entry.value);
        return {};
      }));
    }
    out["meta"].erase("clock");
    return out;
  }

  void expect_sound(store::database& database) {
    view::check_report report;
    auto txn = database.begin_read();
    const auto end = view::check_store(**txn, key_.get(), report);
    ASSERT_TRUE(end && *end);
    ASSERT_TRUE(view::check_log(*log_, **txn, **end, key_.get(), report));
    for (const auto& found : report.findings())
      ADD_FAILURE() << found.place << ", " << found.key << ": " << found.fault;
  }

  static void expect_jobs(const ledger::queue_core& queue);

  manual_clock clock_;
  const std::shared_ptr<const codec::log_key> key_ = tests::test_key();
  const temp_folder temp_;
  std::vector<kept_record> records_;
  std::unique_ptr<eventlog::memory_log> log_;
};

TEST_F(formats_0_1, every_event_of_the_log_says_what_it_said) {
  auto story = story_0_1();
  const auto turn =
      view::turn_event({1}, {2}, {story.size() + 1}, story.back().front().time_ns)->events;
  story.insert(story.begin(), {{story.front().front().time_ns, {}, claim_0_1()}});
  story.insert(story.end() - 1, {turn, turn});
  ASSERT_EQ(records_.size(), story.size());
  std::set<std::size_t> kinds;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < story.size(); ++i) {
    EXPECT_TRUE(key_->signed_by_this(records_[i].bytes)) << "record " << i + 1;
    const auto batch = codec::decode_batch(records_[i].bytes);
    ASSERT_TRUE(batch) << batch.error().detail;
    EXPECT_EQ(batch->generation, records_[i].generation);
    EXPECT_EQ(batch->epoch.value, 1u);
    EXPECT_EQ(batch->previous_hash, std::exchange(hash, codec::batch_hash(records_[i].bytes)));
    ASSERT_EQ(batch->events.size(), story[i].size());
    for (std::size_t at = 0; at < story[i].size(); ++at) {
      kinds.insert(batch->events[at].payload.index());
      EXPECT_EQ(bytes_of({batch->events[at]}), bytes_of({story[i][at]}))
          << model::name_of(story[i][at].payload);
    }
  }
  EXPECT_EQ(kinds.size(), 35u) << "0.1 knew so many kinds of events";
}

TEST_F(formats_0_1, the_store_is_what_follows_from_the_log) {
  const auto kept = open_store();
  ASSERT_TRUE(kept);
  store::memory_database made;
  ASSERT_TRUE(view::recover(made, *log_, {}, *key_));
  const auto was = contents(*kept);
  for (const auto& [table, rows] : contents(made)) {
    EXPECT_EQ(was.at(table), rows) << table;
    const bool of_agents = table == "runs" || table == "outbox";
    EXPECT_EQ(was.at(table).empty(), of_agents || table == "tail") << table;
  }
  expect_sound(*kept);
}

void formats_0_1::expect_jobs(const ledger::queue_core& queue) {
  EXPECT_EQ(queue.live_count(), 7u);
  const auto state = [&](std::uint64_t number) {
    const auto* job = queue.find(job_0_1(number));
    return job == nullptr ? std::string{"ended"} : std::string{to_string(job->state)};
  };
  std::vector<std::string> states;
  for (std::uint64_t number = 1; number <= 12; ++number) states.push_back(state(number));
  EXPECT_THAT(states, ElementsAre("ended", "ended", "QUEUED", "QUEUED", "ended", "ended", "ended",
                                  "QUEUED", "RUNNING", "QUEUED", "QUEUED", "QUEUED"));
  EXPECT_EQ(queue.find(job_0_1(3))->runs.size(), 2u);
  EXPECT_EQ(queue.find(job_0_1(4))->runs.front().outcome, failure_0_1());
  EXPECT_EQ(queue.find(job_0_1(8))->hold->reason, "the input is wrong");
  EXPECT_EQ(queue.find(job_0_1(8))->priority, 3u);
  const auto& runs = *queue.find(job_0_1(9));
  EXPECT_EQ(runs.runs.front().note, "it warms up");
  EXPECT_EQ(runs.runs.front().pod, (model::pod_facts{"uid-9", {{80, "h:31"}}}));
  EXPECT_EQ(runs.header->client_id, "client-9");
  EXPECT_EQ(queue.find(job_0_1(12))->header->gang->uniformity_label, "rack");
}

TEST_F(formats_0_1, the_store_is_opened_and_goes_on) {
  const auto kept = open_store();
  ASSERT_TRUE(kept);
  const auto state = view::recover(*kept, *log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->position.position.value, records_.size());
  EXPECT_EQ(state->position.generation.value, 2u);
  EXPECT_EQ(state->position.holder, claim_0_1().holder);
  EXPECT_EQ(state->position.control_plane, claim_0_1().control_plane);
  EXPECT_EQ(state->replayed_batches + state->republished_batches + state->foreign_records, 0u);
  EXPECT_EQ(state->begun_generation.value, 0u);
  EXPECT_EQ(state->clock->boot_id, "boot");
  EXPECT_EQ(state->last_round, 5u);
  EXPECT_EQ(state->last_call, 3u);
  EXPECT_EQ(state->settings_changes.at(0).change, settings_0_1());
  EXPECT_EQ(state->retry_policies.policies()->at("twice"), policy_0_1());
  EXPECT_EQ(state->retry_policies.policies()->size(), 1u);
  EXPECT_THAT(state->carried, UnorderedElementsAreArray(carried_0_1()));
  ASSERT_TRUE(state->queues.contains("research"));
  EXPECT_FALSE(state->queues.contains("spare"));
  expect_jobs(*state->queues.at("research"));
  auto txn = kept->begin_read();
  const auto ended = view::list_operations(**txn, {});
  ASSERT_TRUE(ended);
  EXPECT_THAT(ended->operations, UnorderedElementsAreArray(operations_0_1()));
  const auto settings = view::decode_queue(**(*txn)->get(store::table::queues, "research"));
  EXPECT_EQ(*settings, queue_0_1());
  const auto cluster = view::decode_cluster(**(*txn)->get(store::table::clusters, "east"));
  EXPECT_EQ(cluster->cluster, cluster_0_1());
  const auto failed = view::decode_job(
      **txn, **(*txn)->get(store::table::jobs_done, view::job_key(job_0_1(2))), true);
  ASSERT_TRUE(failed) << failed.error().detail;
  EXPECT_EQ(failed->runs.front().outcome, failure_0_1());
}

}  // namespace
}  // namespace argosy::testing
