// SPDX-License-Identifier: Apache-2.0
// Goal: what the control plane and agents say arrives as it was said, and names that could damage
// keys or subjects are refused.
// Method: values with all fields set are encoded and decoded; names and bytes are spoilt.
#include "messages/codec/agent/agent_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

using ::testing::HasSubstr;

model::start_run some_start() {
  return {run,
          "research",
          "set",
          "jobs",
          "alice",
          "n1",
          {{"cpu", 500}},
          20,
          3600,
          true,
          std::make_shared<const std::string>("spec"),
          some_trace(),
          {},
          true};
}

model::run_report some_report() {
  return {5,
          run,
          "research",
          model::run_phase::refused,
          77,
          outcome,
          "a note",
          some_trace(),
          {"uid-1", {{80, "a:1"}, {443, "b"}}},
          {{{"cpu", "1"}}, {}, {{"cpu", "2"}}},
          "team"};
}

void expect_same_report(const model::run_report& a, const model::run_report& b) {
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.queue, b.queue);
  EXPECT_EQ(a.phase, b.phase);
  EXPECT_EQ(a.time_ns, b.time_ns);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.note, b.note);
  EXPECT_EQ(a.pod, b.pod);
  EXPECT_EQ(a.usage, b.usage);
  EXPECT_EQ(a.trace, b.trace);
  EXPECT_EQ(a.name_space, b.name_space);
}

TEST(agent_codec, orders) {
  const model::agent_orders orders{
      {9}, {some_start()}, {{run, model::stop_cause::preempt, "urgent", some_trace()}}, 77, {6}};
  const auto decoded = decode_orders(encode(orders));
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->epoch.value, 9U);
  EXPECT_EQ(decoded->hello_ns, 77);
  EXPECT_EQ(decoded->incarnation.value, 6U);
  ASSERT_EQ(decoded->start.size(), 1U);
  const auto& start = decoded->start[0];
  EXPECT_EQ(start.run, run);
  EXPECT_EQ(start.queue, "research");
  EXPECT_EQ(start.job_set, "set");
  EXPECT_EQ(start.name_space, "jobs");
  EXPECT_EQ(start.owner, "alice");
  EXPECT_EQ(start.node, "n1");
  EXPECT_EQ(start.requests, some_start().requests);
  EXPECT_EQ(start.grace_seconds, 20);
  EXPECT_EQ(start.deadline_seconds, 3600);
  EXPECT_TRUE(start.keep_on_disconnect);
  EXPECT_TRUE(start.lapses);
  EXPECT_EQ(*start.spec, "spec");
  EXPECT_EQ(start.trace, some_trace());
  ASSERT_EQ(decoded->stop.size(), 1U);
  EXPECT_EQ(decoded->stop[0].run, run);
  EXPECT_EQ(decoded->stop[0].cause, model::stop_cause::preempt);
  EXPECT_EQ(decoded->stop[0].reason, "urgent");
  EXPECT_EQ(decoded->stop[0].trace, some_trace());
}

TEST(agent_codec, reports) {
  const auto decoded = decode_reports(encode(model::report_batch{"c", {3}, {some_report()}}));
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->cluster, "c");
  EXPECT_EQ(decoded->incarnation.value, 3U);
  ASSERT_EQ(decoded->reports.size(), 1U);
  expect_same_report(decoded->reports[0], some_report());
  const auto kept = decode_report(encode(some_report()));
  ASSERT_TRUE(kept);
  expect_same_report(*kept, some_report());
  EXPECT_EQ(decode_report_ack(encode(model::report_ack{12}))->committed_sequence, 12U);
}

TEST(agent_codec, hello) {
  const model::agent_hello hello{{"c", "gpu", "process", {7}},
                                 {5},
                                 {some_node()},
                                 {{run, "research", model::run_phase::running, "n1"}},
                                 78,
                                 true,
                                 "ours",
                                 true,
                                 "1.2 (abc)",
                                 {"no route", 9, "no right"},
                                 {},
                                 true};
  const auto decoded = decode_hello(encode(hello));
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->cluster, hello.cluster);
  EXPECT_EQ(decoded->epoch_seen.value, 5U);
  EXPECT_EQ(decoded->said_ns, 78);
  EXPECT_TRUE(decoded->take_over);
  EXPECT_EQ(decoded->control_plane, "ours");
  EXPECT_TRUE(decoded->all_runs);
  EXPECT_EQ(decoded->version, "1.2 (abc)");
  EXPECT_EQ(decoded->trouble, hello.trouble);
  EXPECT_TRUE(decoded->lapse);
  EXPECT_EQ(decoded->nodes, hello.nodes);
  ASSERT_EQ(decoded->runs.size(), 1U);
  EXPECT_EQ(decoded->runs[0].run, run);
  EXPECT_EQ(decoded->runs[0].queue, "research");
  EXPECT_EQ(decoded->runs[0].phase, model::run_phase::running);
  EXPECT_EQ(decoded->runs[0].node, "n1");
  const auto ack = decode_hello_ack(encode(model::hello_ack{{1}, 2, 3, 4, 5}));
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->epoch.value, 1U);
  EXPECT_EQ(ack->lease_ns, 2);
  EXPECT_EQ(ack->heartbeat_ns, 3);
  EXPECT_EQ(ack->compare_ns, 4);
  EXPECT_EQ(ack->kill_grace_ns, 5);
}

TEST(agent_codec, a_long_hello_comes_in_parts) {
  model::agent_hello hello{{"c", "gpu", "process", {7}}, {5}, {}, {}, 78};
  for (int i = 0; i < 30; ++i) {
    hello.nodes.push_back(some_node());
    hello.nodes.back().name = model::node_name{"n" + std::to_string(i)};
    hello.runs.push_back(
        {run, "research", model::run_phase::running, model::node_name{std::to_string(i)}, "team"});
  }
  const auto whole = encode(hello).size();
  for (const std::size_t bytes_max : {std::size_t{1}, std::size_t{500}, whole / 2, whole + 500}) {
    const auto parts = encode_parts(hello, bytes_max);
    EXPECT_EQ(parts.size() == 1, bytes_max > whole);
    std::vector<model::node_info> nodes;
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_LE(parts[i].size(), std::max(bytes_max, std::size_t{500}));
      const auto part = decode_hello_part(parts[i]);
      ASSERT_TRUE(part) << part.error().detail;
      EXPECT_EQ(part->number, i);
      EXPECT_EQ(part->more, i + 1 < parts.size());
      EXPECT_EQ(part->hello.cluster, hello.cluster);
      EXPECT_EQ(part->hello.epoch_seen.value, 5U);
      EXPECT_EQ(part->hello.said_ns, 78);
      EXPECT_EQ(decode_hello(parts[i]).has_value(), parts.size() == 1);
      nodes.insert(nodes.end(), part->hello.nodes.begin(), part->hello.nodes.end());
      for (const auto& known : part->hello.runs) runs.push_back(known.node + known.name_space);
    }
    EXPECT_EQ(nodes, hello.nodes);
    ASSERT_EQ(runs.size(), 30U);
    EXPECT_EQ(runs[29], "29team");
  }
  EXPECT_EQ(encode_parts({{"c", "gpu", "process", {7}}, {5}, {}, {}, 78}, 1).size(), 1U);
}

TEST(agent_codec, heartbeats_and_goodbye) {
  const auto beat = decode_heartbeat(encode(model::agent_heartbeat{"c", {4}}));
  ASSERT_TRUE(beat);
  EXPECT_EQ(beat->cluster, "c");
  EXPECT_EQ(beat->incarnation.value, 4U);
  const auto ack = decode_heartbeat_ack(encode(model::heartbeat_ack{{1}, 2, true, 3}));
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->epoch.value, 1U);
  EXPECT_EQ(ack->lease_ns, 2);
  EXPECT_TRUE(ack->hello_wanted);
  EXPECT_EQ(ack->kill_grace_ns, 3);
  const auto bye = decode_goodbye(encode(model::agent_goodbye{"c", {4}, "drained"}));
  ASSERT_TRUE(bye);
  EXPECT_EQ(bye->cluster, "c");
  EXPECT_EQ(bye->incarnation.value, 4U);
  EXPECT_EQ(bye->reason, "drained");
}

TEST(agent_codec, output) {
  const auto request = decode_log_request(encode(model::log_request{run, 10, 20}));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run, run);
  EXPECT_EQ(request->offset, 10U);
  EXPECT_EQ(request->size_max, 20U);
  const auto chunk = decode_log_chunk(encode(model::log_chunk{std::string{"\0\xff", 2}, 12, true}));
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->data, (std::string{"\0\xff", 2}));
  EXPECT_EQ(chunk->next_offset, 12U);
  EXPECT_TRUE(chunk->end);
  EXPECT_TRUE(chunk->turns.empty());
}

TEST(agent_codec, the_turns_of_output_ascend) {
  const auto chunk = decode_log_chunk(encode(model::log_chunk{"abcd", 4, false, {0, 1, 3}}));
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->turns, (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_FALSE(decode_log_chunk(encode(model::log_chunk{"abcd", 4, false, {3, 1}})));
}

TEST(agent_codec, runs_to_be_looked_for) {
  model::agent_orders orders;
  orders.find.emplace_back().run = run;
  orders.find[0].name_space = "jobs";
  const auto decoded = decode_orders(encode(orders));
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(decoded->start.empty()) << "an older agent begins nothing";
  ASSERT_EQ(decoded->find.size(), 1U);
  EXPECT_EQ(decoded->find[0].run, run);
  EXPECT_EQ(decoded->find[0].name_space, "jobs");
  model::agent_hello hello{{"c", "p", "b", {1}}, {}, {some_node()}, {}};
  hello.finds = true;
  EXPECT_TRUE(decode_hello(encode(hello))->finds);
}

TEST(agent_codec, recorded_runs) {
  const agent_run record{
      run,          "research",   "set", "n1", model::run_phase::running, 55,     outcome,
      {{"cpu", 5}}, some_trace(), 20,    30,   model::stop_cause::cancel, "jobs", "u1"};
  const auto decoded = decode_agent_run(encode(record));
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->run, run);
  EXPECT_EQ(decoded->queue, "research");
  EXPECT_EQ(decoded->job_set, "set");
  EXPECT_EQ(decoded->node, "n1");
  EXPECT_EQ(decoded->phase, model::run_phase::running);
  EXPECT_EQ(decoded->started_ns, 55);
  EXPECT_EQ(decoded->outcome, outcome);
  EXPECT_EQ(decoded->requests, record.requests);
  EXPECT_EQ(decoded->trace, some_trace());
  EXPECT_EQ(decoded->grace_seconds, 20);
  EXPECT_EQ(decoded->deadline_seconds, 30);
  EXPECT_EQ(decoded->stopping, model::stop_cause::cancel);
  EXPECT_EQ(decoded->name_space, "jobs");
  EXPECT_EQ(decoded->pod_uid, "u1");
  EXPECT_LT(agent_run_key({id_of(1), 2}), agent_run_key({id_of(1), 256}));
}

TEST(agent_codec, refuses_names_that_are_none) {
  const auto hello = [](const model::cluster_name& cluster, const model::pool_name& pool,
                        const model::node_name& node) {
    auto info = some_node();
    info.name = node;
    const auto decoded =
        decode_hello(encode(model::agent_hello{{cluster, pool, "b", {1}}, {}, {info}, {}}));
    return decoded ? "accepted" : decoded.error().detail;
  };
  EXPECT_EQ(hello("c", "p", "n"), "accepted");
  EXPECT_THAT(hello("", "p", "n"), HasSubstr("cluster is empty"));
  EXPECT_THAT(hello("a.*.>", "p", "n"), HasSubstr("cluster 'a.*.>'"));
  EXPECT_THAT(hello("c", "P", "n"), HasSubstr("pool 'P'"));
  EXPECT_THAT(hello("c", "p", ""), HasSubstr("node name is empty"));
  EXPECT_THAT(hello("c", "p", model::node_name{std::string(5000, 'n')}),
              HasSubstr("node name has 5000 bytes"));
  EXPECT_THAT(hello("c", "p", model::node_name{std::string{"n\0m", 3}}),
              HasSubstr("control character"));
  auto report = some_report();
  report.queue = model::queue_name{std::string{"a\0b", 3}};
  EXPECT_FALSE(decode_reports(encode(model::report_batch{"c", {3}, {report}})));
  EXPECT_FALSE(decode_reports(encode(model::report_batch{"C", {3}, {}})));
  EXPECT_FALSE(decode_heartbeat(encode(model::agent_heartbeat{"", {4}})));
}

TEST(agent_codec, damaged_bytes_never_crash) {
  const std::vector<std::string> messages{
      encode(model::agent_orders{{9}, {some_start()}, {{run, model::stop_cause::cancel, "r", {}}}}),
      encode(model::report_batch{"c", {3}, {some_report()}}),
      encode(model::agent_hello{{"c", "p", "b", {1}}, {}, {some_node()}, {}})};
  for (const auto& bytes : messages)
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      auto changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0xff);
      for (const auto& spoilt : {changed, bytes.substr(0, at)}) {
        static_cast<void>(decode_orders(spoilt));
        static_cast<void>(decode_reports(spoilt));
        static_cast<void>(decode_hello(spoilt));
        static_cast<void>(decode_agent_run(spoilt));
        static_cast<void>(decode_log_chunk(spoilt));
      }
    }
  EXPECT_FALSE(decode_orders("\x12\x02\x0a"));
  EXPECT_FALSE(decode_agent_run(""));
}

}  // namespace
}  // namespace argosy::codec
