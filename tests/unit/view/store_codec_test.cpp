// SPDX-License-Identifier: Apache-2.0
// Goal: every change of the ledger is found again in the store, under its key and complete.
// Method: changes are written to the database in memory and read back with the decoders.
#include "messages/view/store_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/codec/log/log_codec.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::view {

using codec::decode_event;
using codec::expect_equal;
using codec::id_of;
using codec::some_header;
using codec::some_node;
using codec::some_settings;
namespace {

using store::table;
using ::testing::HasSubstr;

class store_codec : public ::testing::Test {
 protected:
  void write(const ledger::change& change, view::event_place place = {}) {
    auto txn = database_->begin_write();
    ASSERT_TRUE(txn);
    const auto written = view::write_change(**txn, change, place);
    ASSERT_TRUE(written) << written.error().detail;
    ASSERT_TRUE((*txn)->commit());
  }

  std::vector<std::pair<std::string, std::string>> all(table in) {
    std::vector<std::pair<std::string, std::string>> out;
    auto txn = database_->begin_read();
    EXPECT_TRUE(store::scan(**txn, in, {}, [&](const store::entry& entry) {
      out.emplace_back(entry.key, entry.value);
      return true;
    }));
    return out;
  }

  result<model::job_record> read_job(table in, bool with_spec) {
    auto txn = database_->begin_read();
    const auto entries = all(in);
    if (entries.empty()) return fail(ec::not_found, "no job");
    return view::decode_job(**txn, entries.front().second, with_spec);
  }

  std::unique_ptr<store::database> database_ = std::make_unique<store::memory_database>();
};

model::job_record some_record() {
  model::job_record record;
  record.header = some_header();
  record.state = model::job_state::running;
  record.priority = 5;
  record.stopping = model::stop_cause::requeue;
  record.changed_ns = 77;
  model::run_record first;
  first.number = 1;
  first.state = model::run_state::lease_expired;
  model::run_record second{2,
                           model::run_state::running,
                           model::cluster_name{"c"},
                           model::node_name{"n"},
                           model::pool_name{"p"},
                           -3,
                           9,
                           10,
                           11,
                           12,
                           13,
                           {1, 2, "Error", "went wrong"},
                           "a note"};
  record.runs = {first, second};
  record.reason = "because";
  record.requestor = "bob";
  record.preemptor = id_of(9);
  record.hold = std::make_shared<const model::job_hold>(model::job_hold{"ann", "not yet", 14});
  return record;
}

TEST_F(store_codec, jobs) {
  const auto record = some_record();
  write(ledger::put_job{record, true});
  for (const bool with_spec : {false, true}) {
    const auto read = read_job(table::jobs_live, with_spec);
    ASSERT_TRUE(read) << read.error().detail;
    expect_equal(*record.header, *read->header, with_spec);
    EXPECT_EQ(read->state, record.state);
    EXPECT_EQ(read->priority, 5U);
    EXPECT_EQ(read->stopping, model::stop_cause::requeue);
    EXPECT_EQ(read->changed_ns, 77);
    EXPECT_EQ(read->runs, record.runs);
    EXPECT_EQ(read->reason, "because");
    EXPECT_EQ(read->requestor, "bob");
    EXPECT_EQ(read->preemptor, id_of(9));
    ASSERT_NE(read->hold, nullptr);
    EXPECT_EQ(*read->hold, *record.hold);
  }
  const auto sets = all(table::job_sets);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].first, view::job_set_prefix("research", "set") + std::string(16, '\x01'));
}

TEST_F(store_codec, an_ended_job_moves) {
  auto record = some_record();
  write(ledger::put_job{record, true});
  record.state = model::job_state::failed;
  write(ledger::put_job{record, false});
  EXPECT_TRUE(all(table::jobs_live).empty());
  const auto read = read_job(table::jobs_done, true);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(read->state, model::job_state::failed);
}

TEST_F(store_codec, a_job_that_ends_at_once) {
  auto record = some_record();
  record.state = model::job_state::rejected;
  write(ledger::put_job{record, true});
  EXPECT_TRUE(all(table::jobs_live).empty());
  EXPECT_TRUE(read_job(table::jobs_done, true));
}

TEST_F(store_codec, a_missing_specification_is_said) {
  write(ledger::put_job{some_record(), false});
  EXPECT_TRUE(read_job(table::jobs_live, false));
  const auto read = read_job(table::jobs_live, true);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ec::corrupt);
  EXPECT_THAT(read.error().detail, HasSubstr("is missing"));
}

TEST_F(store_codec, events_stand_by_set_and_place) {
  const model::event event{1, "research", model::job_submitted{some_header()}};
  write(ledger::index_event{"research", "set", event}, {{300}, 2});
  write(ledger::index_event{"research", "set", event}, {{300}, 10});
  write(ledger::index_event{"research", "set", event}, {{7}, 0});
  write(ledger::index_event{"research", "other", event}, {{8}, 0});
  auto txn = database_->begin_read();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> places;
  EXPECT_TRUE(store::scan(
      **txn, table::events, view::event_prefix("research", "set"), [&](const store::entry& entry) {
        const auto place = view::event_place_of(entry.key);
        EXPECT_TRUE(place);
        places.emplace_back(place->position.value, place->index);
        const auto decoded = decode_event(entry.value);
        EXPECT_TRUE(decoded);
        expect_equal(*some_header(), *std::get<model::job_submitted>(decoded->payload).header,
                     false);
        return true;
      }));
  EXPECT_THAT(places, ::testing::ElementsAre(::testing::Pair(7, 0), ::testing::Pair(300, 2),
                                             ::testing::Pair(300, 10)));
  EXPECT_FALSE(view::event_place_of("short"));
  EXPECT_FALSE(view::event_place_of(std::string(33, 'x')));
}

TEST_F(store_codec, prefixes_keep_queues_and_sets_apart) {
  EXPECT_EQ(view::event_prefix("q", "s").size(), 16U);
  EXPECT_NE(view::event_prefix("q", "s"), view::event_prefix("qs", ""));
  EXPECT_NE(view::job_set_prefix("q", "s"), view::job_set_prefix("q", "t"));
  EXPECT_TRUE(view::job_set_prefix("q", "s").starts_with(std::string_view{"q\0", 2}));
  // A caller may ask for this key, and nobody finds it.
  EXPECT_FALSE(view::job_set_prefix(std::string_view{"q\0r", 3}, "s").empty());
}

TEST_F(store_codec, client_ids_and_keys_of_requests) {
  const ledger::put_client_id request{"research", "my id", {{id_of(4), 1'000}, {id_of(6), 7}},
                                      98,         1001,    ledger::id_kind::request};
  write(ledger::put_client_id{"research", "my id", {{id_of(5), 1}}, 99, 1000});
  write(request);
  const auto entries = all(table::client_ids);
  const auto read = view::decode_client_id({entries[0].first, entries[0].second}).value();
  EXPECT_EQ(view::client_id_key(read), view::client_id_key(request));
  EXPECT_EQ(read.jobs, request.jobs);
  const auto& [key, value] = entries.at(1);
  EXPECT_EQ(view::decode_client_id({key, value})->jobs[0].first, id_of(5));
}

TEST_F(store_codec, queues_come_and_go) {
  write(ledger::put_queue{some_settings()});
  auto entries = all(table::queues);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].first, "research");
  const auto read = view::decode_queue(entries[0].second);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, some_settings());
  write(ledger::erase_queue{"research"});
  EXPECT_TRUE(all(table::queues).empty());
}

TEST_F(store_codec, totals_of_a_queue_go_with_it) {
  const ledger::queue_totals totals{1, 2, 3, 4, 5, ~0ULL};
  write(ledger::put_queue_totals{"q", totals});
  auto txn = database_->begin_read();
  const auto stored = store::last(**txn, table::queue_totals);
  ASSERT_TRUE(stored && *stored);
  const auto read = view::decode_queue_totals(**stored);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(read->queue, "q");
  EXPECT_EQ(read->totals, totals);
  write(ledger::erase_queue{"q"});
  EXPECT_TRUE(all(table::queue_totals).empty());
}

TEST_F(store_codec, clusters_and_nodes) {
  const model::cluster_info cluster{"c", "p", "simulated", {5}};
  write(ledger::put_cluster{cluster, false, 77});
  const auto read = view::decode_cluster(all(table::clusters).at(0).second);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cluster, cluster);
  EXPECT_FALSE(read->present);
  EXPECT_EQ(read->left_ns, 77);
  write(ledger::erase_cluster{"c"});
  EXPECT_TRUE(all(table::clusters).empty());

  write(ledger::put_node{"c", some_node()});
  const auto entries = all(table::nodes);
  ASSERT_EQ(entries.size(), 1U);
  const auto node = view::decode_node({entries[0].first, entries[0].second});
  ASSERT_TRUE(node);
  EXPECT_EQ(node->cluster, "c");
  EXPECT_EQ(node->node, some_node());
  write(ledger::erase_node{"c", "n1"});
  EXPECT_TRUE(all(table::nodes).empty());
}

TEST_F(store_codec, rounds_are_kept_by_number) {
  write(ledger::put_round{5, {7, {8}, "p", 1, 2, 3, 4, 5, 6}});
  const auto entries = all(table::rounds);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].first, store::number_key(7));
  argosy::store::v1::Round record;
  ASSERT_TRUE(record.ParseFromString(entries[0].second));
  EXPECT_EQ(record.time_ns(), 5);
  EXPECT_EQ(record.round().pool(), "p");
}

TEST_F(store_codec, position_and_epoch) {
  {
    auto txn = database_->begin_write();
    ASSERT_TRUE(txn);
    const auto none = view::read_position(**txn);
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
    ASSERT_TRUE(view::write_position(**txn, {{10}, {2}, {3}, 4, 5, 6, "me"}));
    ASSERT_TRUE((*txn)->commit());
  }
  write(ledger::put_epoch{{8}, "you"});
  auto txn = database_->begin_read();
  const auto read = view::read_position(**txn);
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->position.value, 10U);
  EXPECT_EQ((*read)->generation.value, 2U);
  EXPECT_EQ((*read)->epoch.value, 8U);
  EXPECT_EQ((*read)->batch_number, 4U);
  EXPECT_EQ((*read)->hash, 5U);
  EXPECT_EQ((*read)->stream_created_ns, 6);
  EXPECT_EQ((*read)->holder, "you");
}

TEST_F(store_codec, tail) {
  auto txn = database_->begin_write();
  ASSERT_TRUE(view::write_tail(**txn, {{12}, 55, "3.4", std::string{"\0batch", 6}}));
  ASSERT_TRUE((*txn)->commit());
  const auto entries = all(table::tail);
  const auto read = view::decode_tail({entries.at(0).first, entries.at(0).second});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->position.value, 12U);
  EXPECT_EQ(read->msg_id, "3.4");
  EXPECT_EQ(read->time_ns, 55);
  EXPECT_EQ(read->data, (std::string{"\0batch", 6}));
}

TEST_F(store_codec, damaged_records_are_refused) {
  auto txn = database_->begin_read();
  argosy::store::v1::Job job;
  EXPECT_FALSE(view::decode_job(**txn, job.SerializeAsString(), false));  // This is format 0.
  job.set_format(1);
  EXPECT_FALSE(view::decode_job(**txn, job.SerializeAsString(), false));  // The id is missing.
  write(ledger::put_job{some_record(), true});
  ASSERT_TRUE(job.ParseFromString(all(table::jobs_live).at(0).second));
  EXPECT_TRUE(view::decode_job(**txn, job.SerializeAsString(), false));
  job.set_state(99);
  const auto wrong_state = view::decode_job(**txn, job.SerializeAsString(), false);
  ASSERT_FALSE(wrong_state);
  EXPECT_THAT(wrong_state.error().detail, HasSubstr("job state 99 is unknown"));
  EXPECT_FALSE(view::decode_queue("\xff\xff"));
  EXPECT_FALSE(view::decode_cluster(""));
  EXPECT_FALSE(view::decode_node({"no separator", ""}));
  EXPECT_FALSE(view::decode_client_id({"no separator", ""}));
  EXPECT_FALSE(view::decode_tail({"short", ""}));
  const auto bytes = all(table::jobs_live).at(0).second;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0xff);
    static_cast<void>(view::decode_job(**txn, changed, false));
    static_cast<void>(view::decode_job(**txn, std::string_view{bytes}.substr(0, at), true));
  }
}

}  // namespace
}  // namespace argosy::view
