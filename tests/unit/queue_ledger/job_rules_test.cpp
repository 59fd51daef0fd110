// SPDX-License-Identifier: Apache-2.0
// Goal: only legal events change a job, which protects it from whatever a deposed leader left in
// the log. Method: every event against every state, as a table; and once more with other run
// numbers.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "runtime/ledger/queue/job_rules.hpp"

namespace argosy::ledger {
namespace {

using model::job_record;
using model::stop_cause;

const ulid id = ulid_from_hash(1, 0, 1);

std::vector<model::event_payload> events_of(std::uint32_t run) {
  const model::run_key key{id, run};
  return {model::job_leased{{id, run + 1},
                            model::cluster_name{"c"},
                            model::node_name{"n"},
                            model::pool_name{"p"},
                            0,
                            0},
          model::run_pending{key},
          model::run_running{key},
          model::run_succeeded{key, {}},
          model::run_failed{key, {}},
          model::lease_returned{key, ""},
          model::lease_expired{key},
          model::job_cancelling{id, "", ""},
          model::job_cancelled{id, "", ""},
          model::run_preempting{key, {}, ""},
          model::job_preempted{key, {}, ""},
          model::job_rejected{id, ""},
          model::job_reprioritized{id, 1, ""}};
}

/// A job that went through these events of run 1; the numbers are places in events_of().
job_record job_after(const std::vector<std::size_t>& places) {
  auto header = std::make_shared<model::job_header>();
  header->id = id;
  job_record record;
  record.header = std::move(header);
  for (const auto place : places) {
    const auto payload = events_of(place == 0 ? 0 : 1).at(place);
    EXPECT_TRUE(advance(record, {1, "q", payload})) << model::name_of(payload);
  }
  return record;
}

job_record recalled() {
  auto record = job_after({0});
  EXPECT_TRUE(recall(record, id, 2));
  EXPECT_FALSE(recall(record, id, 2)) << "once";
  return record;
}

struct row {
  std::string name;
  job_record record;
  std::uint32_t run;     ///< The number that the events carry.
  std::string expected;  ///< One y or n for each event.
};

std::vector<row> table() {
  //                          lease pend run succ fail ret exp cing canc ping pree rej prio
  return {{"queued", job_after({}), 0, "ynnnnnnyynnyy"},
          {"queued, cancelling", job_after({7}), 0, "nnnnnnnnynnyy"},
          {"leased", job_after({0}), 1, "nyyyyyyynynny"},
          {"pending", job_after({0, 1}), 1, "nnyyyyyynynny"},
          {"running", job_after({0, 1, 2}), 1, "nnnyyyyynynny"},
          {"leased, cancelling", job_after({0, 7}), 1, "nyyyynnnynnny"},
          {"leased, preempting", job_after({0, 9}), 1, "nyyyynnynnyny"},
          {"leased, recalled", recalled(), 1, "nyyyyyyynnnny"},
          {"returned", job_after({0, 5}), 1, "ynnnnnnyynnyy"},
          {"lapsed", job_after({0, 6}), 1, "ynnnnnnyynnyy"},
          {"succeeded", job_after({0, 3}), 1, "nnnnnnnnnnnnn"},
          {"failed", job_after({0, 4}), 1, "nnnnnnnnnnnnn"},
          {"cancelled", job_after({7, 8}), 0, "nnnnnnnnnnnnn"},
          {"preempted", job_after({0, 9, 10}), 1, "nnnnnnnnnnnnn"},
          {"rejected", job_after({11}), 0, "nnnnnnnnnnnnn"},
          // With other run numbers only events about the job itself are legal.
          {"leased, run 2", job_after({0}), 2, "nnnnnnnynnnny"},
          {"leased, run 0", job_after({0}), 0, "nnnnnnnynnnny"},
          {"leased, preempting, run 2", job_after({0, 9}), 2, "nnnnnnnynnnny"},
          {"returned, run 2", job_after({0, 5}), 2, "nnnnnnnyynnyy"},
          {"queued, run 3", job_after({}), 3, "nnnnnnnyynnyy"}};
}

TEST(job_rules, are_this_table) {
  for (const auto& [name, record, run, expected] : table()) {
    std::string found;
    for (const auto& payload : events_of(run)) {
      auto copy = record;
      const bool taken = advance(copy, {9, "q", payload});
      found += taken ? 'y' : 'n';
      EXPECT_EQ(copy.changed_ns == 9, taken) << name << ", " << model::name_of(payload);
      if (!taken) {
        EXPECT_EQ(copy.state, record.state);
        EXPECT_EQ(copy.stopping, record.stopping);
        EXPECT_EQ(copy.runs, record.runs);
      }
    }
    EXPECT_EQ(found, expected) << name;
  }
}

TEST(job_rules, other_events_are_none_of_a_job) {
  auto record = job_after({});
  EXPECT_FALSE(advance(record, {9, "q", model::queue_deleted{}}));
  EXPECT_FALSE(advance(record, {9, "q", model::job_submitted{record.header}}));
  EXPECT_FALSE(advance(record, {9, "q", model::cluster_left{"c", ""}}));
}

TEST(job_rules, recalls_do_not_count_as_returns) {
  auto record = recalled();
  ASSERT_TRUE(advance(record, {3, "q", model::lease_returned{{id, 1}, "x"}}));
  EXPECT_EQ(record.runs.at(0).outcome.reason, reason_recalled);
  EXPECT_EQ(returns_of(record), 0U);
  EXPECT_EQ(next_run_number(record), 2U);
  EXPECT_EQ(record.stopping, stop_cause::none);
  EXPECT_FALSE(recall(record, id, 4)) << "it has no run";
}

TEST(job_rules, a_gang_of_one_is_none) {
  model::job_header header;
  EXPECT_EQ(gang_info_of(header), nullptr);
  model::gang_info info;
  info.id = "g";
  header.gang = std::make_shared<const model::gang_info>(info);
  EXPECT_EQ(gang_info_of(header), nullptr);
  info.cardinality = 2;
  header.gang = std::make_shared<const model::gang_info>(info);
  EXPECT_NE(gang_info_of(header), nullptr);
}

}  // namespace
}  // namespace argosy::ledger
