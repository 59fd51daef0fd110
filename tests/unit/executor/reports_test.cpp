// SPDX-License-Identifier: Apache-2.0
// Goal: every change is recorded, then reported under the next number, until it is acknowledged;
// each run ends once.
// Method: backend events, acknowledgements and restarts around a core with a disk in memory.
#include "tests/unit/executor/executor_fixture.hpp"

namespace argosy::ledger {

using executor_reports = executor_fixture;

TEST_F(executor_reports, records_a_change_before_it_reports_it) {
  connect();
  order_start(make_key(1));
  const auto step = core->changed({make_event(make_key(1), run_phase::succeeded, 0)}, now);
  ASSERT_EQ(step.actions.size(), 1u);
  const auto& batch = std::get<send_reports>(step.actions[0]).batch;
  EXPECT_EQ(batch.cluster, "c");
  EXPECT_EQ(batch.incarnation.value, 77u);
  take(step);
  EXPECT_EQ(disk_runs.at(make_key(1)).phase, run_phase::succeeded);
  EXPECT_EQ(disk_reports.at(1).phase, run_phase::succeeded);
  EXPECT_EQ(disk_reports.at(1).queue, "q");
  EXPECT_EQ(disk_facts.next_sequence, 2u);
}

TEST_F(executor_reports, tells_what_a_run_waits_for_when_that_changes_and_not_for_ever) {
  config.notes_max = 3;
  restart();
  connect();
  order_start(make_key(1));
  const auto note = [&](run_phase phase, const std::string& text) {
    auto event = make_event(make_key(1), phase);
    event.note = text;
    take(core->changed({event}, now));
  };
  note(run_phase::accepted, "a");
  change(make_key(1), run_phase::pending);
  note(run_phase::pending, "b");
  note(run_phase::pending, "b");
  note(run_phase::accepted, "a");
  note(run_phase::pending, "c");
  note(run_phase::pending, {});
  ASSERT_EQ(disk_reports.size(), 4u) << "the same twice, nothing, and the fourth are not told";
  EXPECT_EQ(disk_reports.at(1).note, "a");
  EXPECT_EQ(disk_reports.at(1).phase, run_phase::accepted);
  EXPECT_EQ(disk_reports.at(3).note, "b");
  EXPECT_EQ(disk_reports.at(3).queue, "q");
  EXPECT_EQ(disk_reports.at(4).note, "a");
  EXPECT_EQ(disk_reports.at(4).phase, run_phase::pending) << "no note takes a run back";
  change(make_key(1), run_phase::succeeded);
  note(run_phase::pending, "d");
  EXPECT_EQ(disk_reports.size(), 5u) << "it has ended";
}

TEST_F(executor_reports, keeps_one_batch_in_flight_from_the_head) {
  config.reports_per_batch = 2;
  restart();
  connect();
  for (std::uint8_t job = 1; job <= 4; ++job) {
    order_start(make_key(job));
    change(make_key(job), run_phase::running);
  }
  auto batches = take_sent<send_reports>();
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].batch.reports.size(), 1u);
  acknowledge(1);
  batches = take_sent<send_reports>();
  ASSERT_EQ(batches.size(), 1u);
  ASSERT_EQ(batches[0].batch.reports.size(), 2u);
  EXPECT_EQ(batches[0].batch.reports[0].sequence, 2u);
  EXPECT_EQ(batches[0].batch.reports[1].sequence, 3u);
}

TEST_F(executor_reports, tells_some_changes_at_once_and_then_gathers_them) {
  connect();
  std::uint64_t told = 0;
  for (std::uint8_t job = 1; job <= 4; ++job) {
    order_start(make_key(job));
    change(make_key(job), run_phase::running);
    ASSERT_EQ(take_sent<send_reports>().size(), 1u) << int{job};
    acknowledge(++told);
    now += 10ms;
  }
  for (std::uint8_t job = 1; job <= 2; ++job) change(make_key(job), run_phase::succeeded);
  EXPECT_TRUE(take_sent<send_reports>().empty());
  EXPECT_EQ(core->next_due(), now + 60ms);
  now += 60ms;
  take(core->tick(now));
  const auto batches = take_sent<send_reports>();
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].batch.reports.size(), 2u);
  acknowledge(6);
  change(make_key(3), run_phase::succeeded);
  EXPECT_EQ(core->next_due(), now + 100ms);
}

TEST_F(executor_reports, gathers_no_longer_than_a_step_after_many_full_batches) {
  config.reports_per_batch = 2;
  restart();
  connect();
  for (std::uint8_t job = 1; job <= 41; ++job) order_start(make_key(job));
  change(make_key(41), run_phase::running);
  ASSERT_EQ(take_sent<send_reports>().size(), 1u);
  acknowledge(1);
  for (std::uint8_t job = 1; job <= 40; job += 2) {
    take(core->changed({make_event(make_key(job), run_phase::running),
                        make_event(make_key(job + 1), run_phase::running)},
                       now));
    ASSERT_EQ(take_sent<send_reports>().size(), 1u) << int{job} << ": it is full";
    acknowledge(job + 2u);
  }
  change(make_key(41), run_phase::succeeded);
  EXPECT_TRUE(take_sent<send_reports>().empty());
  EXPECT_EQ(core->next_due(), now + 100ms);
}

TEST_F(executor_reports, sends_again_what_was_not_acknowledged) {
  connect();
  order_start(make_key(1));
  change(make_key(1), run_phase::running);
  change(make_key(1), run_phase::succeeded);
  sent.clear();
  core->reports_failed(1, false, now);
  EXPECT_EQ(core->next_due(), now + config.retry);
  now += config.retry;
  take(core->tick(now));
  const auto batches = take_sent<send_reports>();
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].batch.reports.size(), 2u);
}

TEST_F(executor_reports, go_again_at_once_in_a_new_session) {
  connect();
  order_start(make_key(1));
  change(make_key(1), run_phase::running);
  const auto before = take_sent<send_reports>();
  ASSERT_EQ(before.size(), 1u);
  core->heartbeat_failed(now);
  now += config.retry;
  take(core->tick(now));
  ASSERT_EQ(take_sent<send_hello>().size(), 1u);
  take(core->hello_acknowledged({{2}, boot_time{10s}.count(), 0}, now));
  ASSERT_EQ(take_sent<send_reports>().size(), 1u) << "whoever had them may be no more";
  core->reports_failed(before[0].number, true, now);
  EXPECT_TRUE(core->connected()) << "that message was given up";
}

TEST_F(executor_reports, has_one_message_under_way_when_the_one_before_is_answered_late) {
  connect();
  order_start(make_key(1));
  change(make_key(1), run_phase::running);
  const auto before = take_sent<send_reports>();
  ASSERT_EQ(before.size(), 1u);
  core->heartbeat_failed(now);
  now += config.retry;
  take(core->tick(now));
  take(core->hello_acknowledged({{2}, boot_time{10s}.count(), 0}, now));
  change(make_key(1), run_phase::succeeded);
  ASSERT_EQ(take_sent<send_reports>().size(), 1u);
  take(core->reports_acknowledged(before[0].number, {1}, now));
  now += config.retry;
  take(core->tick(now));
  EXPECT_TRUE(take_sent<send_reports>().empty());
  EXPECT_EQ(core->outbox_size(), 1u) << "what the late answer says holds";
}

TEST_F(executor_reports, does_not_spin_on_an_acknowledgement_of_nothing) {
  connect();
  order_start(make_key(1));
  change(make_key(1), run_phase::running);
  sent.clear();
  acknowledge(0);
  EXPECT_TRUE(take_sent<send_reports>().empty());
  EXPECT_EQ(core->outbox_size(), 1u);
}

TEST_F(executor_reports, tells_an_end_once_and_nothing_after_it) {
  order_start(make_key(1));
  change(make_key(1), run_phase::running);
  change(make_key(1), run_phase::pending);
  change(make_key(1), run_phase::failed, 3);
  change(make_key(1), run_phase::succeeded);
  change(make_key(1), run_phase::running);
  change(make_key(2), run_phase::running);
  ASSERT_EQ(disk_reports.size(), 2u);
  EXPECT_EQ(disk_reports.at(2).phase, run_phase::failed);
}

TEST_F(executor_reports, forgets_a_run_when_its_end_is_acknowledged) {
  connect();
  order_start(make_key(1));
  change(make_key(1), run_phase::running);
  change(make_key(1), run_phase::succeeded);
  acknowledge(1);
  EXPECT_TRUE(take_sent<forget_run>().empty());
  EXPECT_EQ(core->run_count(), 1u);
  acknowledge(2);
  ASSERT_EQ(take_sent<forget_run>().size(), 1u);
  EXPECT_EQ(core->run_count(), 0u);
  EXPECT_TRUE(disk_reports.empty());
  acknowledge(2);
  EXPECT_TRUE(take_sent<forget_run>().empty());
}

TEST_F(executor_reports, keep_their_numbers_over_a_restart) {
  connect();
  order_start(make_key(1));
  change(make_key(1), run_phase::running);
  acknowledge(1);
  restart();
  change(make_key(1), run_phase::succeeded);
  EXPECT_EQ(disk_reports.begin()->first, 2u);
  restart();
  EXPECT_TRUE(core->open_runs().empty());
  connect();
  const auto batches = take_sent<send_reports>();
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].batch.reports.at(0).sequence, 2u);
}

TEST_F(executor_reports, report_what_a_backend_finds_after_a_restart) {
  connect();
  for (std::uint8_t job = 1; job <= 3; ++job) order_start(make_key(job));
  change(make_key(1), run_phase::running);
  change(make_key(2), run_phase::running);
  order_stop(make_key(1));
  restart();
  std::vector<run_key> open;
  for (const auto& each : core->open_runs()) open.push_back(each.run);
  EXPECT_EQ(open, (std::vector{make_key(1), make_key(2), make_key(3)}));
  take(core->adopted({make_event(make_key(1), run_phase::running),
                      make_event(make_key(2), run_phase::failed),
                      make_event(make_key(3), run_phase::refused)}));
  ASSERT_EQ(disk_reports.size(), 4u);
  EXPECT_EQ(disk_reports.at(3).phase, run_phase::failed);
  EXPECT_EQ(disk_reports.at(4).phase, run_phase::refused);
  const auto stops = take_sent<end_run>();
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_EQ(stops[0].order.run, make_key(1));
}

TEST_F(executor_reports, wait_for_a_session) {
  order_start(make_key(1));
  change(make_key(1), run_phase::running);
  EXPECT_TRUE(take_sent<send_reports>().empty());
  connect();
  EXPECT_EQ(take_sent<send_reports>().size(), 1u);
}

}  // namespace argosy::ledger
