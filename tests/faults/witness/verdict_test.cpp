// SPDX-License-Identifier: Apache-2.0
// Goal: the checker finds each broken promise, and nothing in a story that keeps all. Method: small
// logs and traces made by hand, each sound but for one forgery.
#include <gtest/gtest.h>

#include "bins/simulator/witness/verdict.hpp"

namespace argosy::witness {

namespace {

using model::event_payload;
using model::run_key;

ulid id(std::uint8_t number) {
  ulid out;
  out.bytes[15] = number;
  return out;
}

event_payload submitted(std::uint8_t job, const std::string& client_id = "",
                        const std::string& gang = "") {
  auto header = std::make_shared<model::job_header>();
  header->id = id(job);
  header->queue = "q";
  header->client_id = client_id;
  auto shape = std::make_shared<model::job_shape>();
  shape->requests = {{"cpu", 600}};
  header->shape = std::move(shape);
  if (!gang.empty())
    header->gang = std::make_shared<model::gang_info>(model::gang_info{gang, 2, 2, ""});
  return model::job_submitted{header};
}
event_payload node_of_one_core() {
  model::node_info node;
  node.name = "n";
  node.total = node.allocatable = {{"cpu", 1'000}};
  return model::nodes_changed{"c", {node}, {}};
}
event_payload leased(std::uint8_t job, std::uint32_t run, const std::string& node = "n") {
  return model::job_leased{{id(job), run},
                           model::cluster_name{"c"},
                           model::node_name{node},
                           model::pool_name{"default"},
                           0,
                           1};
}
event_payload succeeded(std::uint8_t job, std::uint32_t run) {
  return model::run_succeeded{{id(job), run}, {}};
}
event_payload failed(std::uint8_t job, std::uint32_t run) {
  return model::run_failed{{id(job), run}, {}};
}
event_payload expired(std::uint8_t job, std::uint32_t run) {
  return model::lease_expired{{id(job), run}};
}
event_payload cancelled(std::uint8_t job) {
  return model::job_cancelled{id(job), "", ""};
}
process_trace lived(std::uint32_t run, std::int64_t from, std::int64_t to, bool ended = true) {
  return {run, "token" + std::to_string(from), from, to, ended};
}
acknowledged told(std::uint8_t job, ending how = ending::succeeds) {
  return {"key" + std::to_string(job), 0, to_string(id(job)), how};
}

/// Each list of events is one record.
log_story story(const std::vector<std::vector<event_payload>>& records) {
  log_story out;
  std::uint64_t position = 0;
  for (const auto& record : records) {
    ++position;
    for (const auto& payload : record) out.add(position, {0, "q", payload});
  }
  out.finish();
  return out;
}

const std::vector<event_payload> sound{submitted(1), leased(1, 1), succeeded(1, 1)};

std::string promises(const verdict& of) {
  std::string out;
  for (const auto& found : of.findings) out += found.promise + " ";
  return out;
}

TEST(verdict, of_a_sound_story_is_good) {
  const auto got =
      judge(story({{node_of_one_core(), submitted(1, "id")},
                   {leased(1, 1)},
                   {expired(1, 1)},
                   {leased(1, 2), succeeded(1, 2)}}),
            {{to_string(id(1)), {lived(1, 10, 20, false), lived(2, 30, 40)}}}, {told(1), told(1)});
  EXPECT_TRUE(got.good()) << to_text(got);
  EXPECT_EQ(got.acknowledged, 1u);
  EXPECT_EQ(got.one_terminal, 1u);
  EXPECT_EQ(got.begun_again, 1u);
}

TEST(verdict, finds_an_acknowledged_job_that_the_log_does_not_have) {
  const auto got = judge(story({sound}), {}, {told(1), told(2)});
  EXPECT_EQ(got.lost, 1u);
  EXPECT_EQ(promises(got), "D1 ");
}

TEST(verdict, finds_a_run_of_a_job_that_the_log_does_not_have) {
  EXPECT_EQ(promises(judge(story({sound}), {{to_string(id(7)), {lived(1, 1, 2)}}}, {})), "D1 ");
}

TEST(verdict, finds_a_client_id_that_made_two_jobs) {
  const auto got = judge(story({{submitted(1, "same"), submitted(2, "same")}}), {}, {});
  EXPECT_EQ(got.doubled, 1u);
  EXPECT_EQ(promises(got), "D2 ");
}

TEST(verdict, finds_a_key_that_was_answered_with_two_jobs) {
  auto other = told(2);
  other.key = told(1).key;
  const auto got = judge(story({{submitted(1), submitted(2), cancelled(1), cancelled(2)}}), {},
                         {told(1), other});
  EXPECT_EQ(promises(got), "D2 ");
}

TEST(verdict, finds_two_processes_of_one_job_that_lived_at_once) {
  const auto events =
      story({{submitted(1), leased(1, 1), expired(1, 1), leased(1, 2), succeeded(1, 2)}});
  const auto overlap =
      judge(events, {{to_string(id(1)), {lived(1, 10, 30, false), lived(2, 25, 40)}}}, {told(1)});
  EXPECT_EQ(overlap.overlaps, 1u);
  EXPECT_EQ(promises(overlap), "D3 ");
  const auto twice =
      judge(events, {{to_string(id(1)), {lived(2, 10, 20, false), lived(2, 25, 40)}}}, {told(1)});
  EXPECT_EQ(promises(twice), "D3 ") << "one run was started twice";
}

TEST(verdict, finds_a_lease_while_another_run_is_active) {
  EXPECT_EQ(promises(judge(story({{submitted(1), leased(1, 1), leased(1, 2)}}), {}, {})), "D3 ");
}

TEST(verdict, finds_a_run_number_that_does_not_grow) {
  const auto got =
      judge(story({{submitted(1), leased(1, 1), expired(1, 1), leased(1, 1)}}), {}, {});
  EXPECT_EQ(promises(got), "D3 ");
}

TEST(verdict, finds_a_second_end_and_whatever_follows_an_end) {
  auto second = sound;
  second.push_back(cancelled(1));
  const auto got = judge(story({second}), {}, {told(1)});
  EXPECT_EQ(got.one_terminal, 0u);
  EXPECT_EQ(promises(got), "D4 ");
  auto again = sound;
  again.push_back(leased(1, 2));
  EXPECT_EQ(promises(judge(story({again}), {}, {told(1)})), "D4 ");
}

TEST(verdict, finds_a_job_without_an_end_unless_it_may_still_run) {
  const auto events = story({{submitted(1), leased(1, 1)}});
  EXPECT_EQ(promises(judge(events, {}, {told(1)})), "D4 ");
  EXPECT_TRUE(judge(events, {}, {told(1)}, {.all_over = false}).good());
}

TEST(verdict, finds_an_end_of_a_run_that_was_over) {
  const auto got = judge(
      story({{submitted(1), leased(1, 1), expired(1, 1), leased(1, 2), succeeded(1, 1)}}), {}, {});
  EXPECT_EQ(promises(got), "D4 ");
}

TEST(verdict, finds_a_success_whose_process_did_not_come_to_its_end) {
  const auto got = judge(story({sound}), {{to_string(id(1)), {lived(1, 1, 2, false)}}}, {told(1)});
  EXPECT_EQ(got.unwitnessed, 1u);
  EXPECT_EQ(promises(got), "D4 ");
}

TEST(verdict, finds_a_node_that_holds_more_than_it_has) {
  const auto got =
      judge(story({{node_of_one_core(), submitted(1), submitted(2)}, {leased(1, 1), leased(2, 1)}}),
            {}, {});
  EXPECT_EQ(promises(got), "D5 ");
  const auto after = judge(story({{node_of_one_core(), submitted(1), submitted(2)},
                                  {leased(1, 1), succeeded(1, 1), leased(2, 1)}}),
                           {}, {});
  EXPECT_TRUE(after.good()) << to_text(after);
}

TEST(verdict, counts_the_room_of_a_preempted_run_as_promised_to_its_follower) {
  const auto got = judge(story({{node_of_one_core(), submitted(1), submitted(2)},
                                {leased(1, 1)},
                                {model::run_preempting{{id(1), 1}, {}, ""}, leased(2, 1)}}),
                         {}, {});
  EXPECT_TRUE(got.good()) << to_text(got);
}

TEST(verdict, finds_a_gang_that_begins_in_part) {
  const std::vector<event_payload> gang{submitted(1, "", "g"), submitted(2, "", "g")};
  EXPECT_EQ(promises(judge(story({gang, {leased(1, 1, "m")}}), {}, {})), "D6 ");
  EXPECT_EQ(promises(judge(story({gang, {leased(1, 1, "m")}, {leased(2, 1)}}), {}, {})), "D6 D6 ");
  EXPECT_TRUE(judge(story({gang, {leased(1, 1, "m"), leased(2, 1)}}), {}, {}).good());
}

TEST(verdict, finds_a_gang_that_begins_again_in_part) {
  const std::vector<event_payload> gang{submitted(1, "", "g"), submitted(2, "", "g"),
                                        leased(1, 1, "m"), leased(2, 1)};
  EXPECT_EQ(promises(judge(story({gang, {expired(1, 1)}, {leased(1, 2, "m")}}), {}, {})), "D6 ");
  EXPECT_TRUE(
      judge(story({gang, {expired(1, 1)}, {expired(2, 1)}, {leased(1, 2, "m"), leased(2, 2)}}), {},
            {})
          .good());
  EXPECT_TRUE(
      judge(story({gang, {succeeded(2, 1)}, {expired(1, 1)}, {leased(1, 2, "m")}}), {}, {}).good())
      << "a member that has ended is not missed";
}

TEST(verdict, finds_a_failure_that_the_command_did_not_cause) {
  const auto events = story({{submitted(1), leased(1, 1), failed(1, 1)}});
  const auto got = judge(events, {}, {told(1)});
  EXPECT_EQ(got.unjust, 1u);
  EXPECT_FALSE(got.good());
  EXPECT_TRUE(judge(events, {}, {told(1, ending::fails)}).good());
}

TEST(verdict, tells_only_as_many_findings_as_asked_and_counts_all) {
  const auto got = judge(story({}), {}, {told(1), told(2), told(3)}, {.findings_max = 2});
  EXPECT_EQ(got.lost, 3u);
  EXPECT_EQ(got.findings.size(), 2u);
}

TEST(acknowledged_jobs, are_read_as_they_were_written) {
  const auto text = print_acknowledged({told(1), told(2, ending::fails)});
  const auto back = parse_acknowledged(text + "cut sho");
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(print_acknowledged(back), text);
}

TEST(trace, knows_processes_apart_and_leaves_out_what_was_cut_short) {
  const auto got = parse_trace(
      "1 aa start 10\n1 aa beat 20\n2 bb start 30\n1 aa beat 35\n2 bb end 40\n2 bb beat 5");
  const std::vector<process_trace> want{{1, "aa", 10, 35, false}, {2, "bb", 30, 40, true}};
  EXPECT_EQ(got, want);
}

}  // namespace

}  // namespace argosy::witness
