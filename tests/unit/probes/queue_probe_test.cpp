// SPDX-License-Identifier: Apache-2.0
// Goal: each queue is shown with its live and its ended jobs, and the time that jobs waited is
// counted once. Method: a queue_core that is driven as its actor does.
#include <gtest/gtest.h>

#include <list>
#include <optional>

#include "messages/probes/queue_probe.hpp"
#include "tests/unit/probes/probe_values.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::probes {

TEST(queue_share, shows_the_jobs_of_its_queue_by_state_and_end) {
  metrics::board board;
  const auto probe = board.get<queue_probe>();
  ledger::queue_driver queue;
  std::optional<queue_share> share{std::in_place, board, queue.core};
  ASSERT_TRUE(queue.submit({ledger::job_named(1), ledger::job_named(2), ledger::job_named(3)}));
  ASSERT_TRUE(queue.lease({1}));
  ASSERT_TRUE(queue.cancel({3}));
  share->show(queue.core);
  EXPECT_EQ(value(*probe, "argosy_queue_live_jobs q QUEUED"), 1);
  EXPECT_EQ(value(*probe, "argosy_queue_live_jobs q LEASED"), 1);
  EXPECT_EQ(value(*probe, "argosy_queue_live_jobs q RUNNING"), 0);
  EXPECT_EQ(value(*probe, "argosy_queue_ended_jobs_total q CANCELLED"), 1);
  EXPECT_EQ(value(*probe, "argosy_queue_ended_jobs_total q SUCCEEDED"), 0);
  EXPECT_EQ(value(*probe, "argosy_queue_jobs queued"), 1);
  EXPECT_EQ(value(*probe, "argosy_queue_held_jobs q"), 0);
  share.reset();
  EXPECT_EQ(samples(*probe, "argosy_queue_live_jobs"), 0u);
  EXPECT_EQ(value(*probe, "argosy_queue_jobs queued"), 0);
}

TEST(queue_share, shows_how_many_queued_jobs_are_held) {
  metrics::board board;
  const auto probe = board.get<queue_probe>();
  ledger::queue_driver queue;
  std::optional<queue_share> share{std::in_place, board, queue.core};
  ASSERT_TRUE(queue.submit({ledger::job_named(1), ledger::job_named(2), ledger::job_named(3)}));
  ledger::job_selection all;
  all.whole = true;
  ASSERT_TRUE(queue.run(queue.core.hold(all, true, "alice", "", queue.now)));
  ASSERT_TRUE(queue.cancel({3}));
  share->show(queue.core);
  EXPECT_EQ(value(*probe, "argosy_queue_held_jobs q"), 2);
  EXPECT_EQ(value(*probe, "argosy_held_jobs"), 2);
  EXPECT_EQ(value(*probe, "argosy_queue_live_jobs q QUEUED"), 2) << "held jobs are queued";
  ASSERT_TRUE(queue.run(queue.core.hold(all, false, "alice", "", queue.now)));
  share->show(queue.core);
  EXPECT_EQ(value(*probe, "argosy_queue_held_jobs q"), 0);
  share.reset();
  EXPECT_EQ(samples(*probe, "argosy_queue_held_jobs"), 0u);
}

TEST(queue_share, counts_a_wait_when_the_first_run_of_a_job_begins) {
  metrics::board board;
  const auto probe = board.get<queue_probe>();
  ledger::queue_driver queue;
  queue_share share{board, queue.core};
  auto job = ledger::job_named(1);
  job.submitted_ns = queue.now;
  ASSERT_TRUE(queue.submit({job}));
  queue.now += 90'000'000'000;
  ASSERT_TRUE(queue.lease({1}));
  share.show(queue.core);
  EXPECT_EQ(value(*probe, "argosy_job_wait_seconds q default armada-default"), 0);
  ASSERT_TRUE(queue.report(1, model::run_phase::running));
  share.show(queue.core);
  share.show(queue.core);
  EXPECT_EQ(value(*probe, "argosy_job_wait_seconds q default armada-default"), 1);
  const auto families = probe->families();
  const auto waits = std::find_if(families.begin(), families.end(), [](const auto& family) {
    return family.name == "argosy_job_wait_seconds";
  });
  const auto& sample = waits->samples.at(0);
  EXPECT_NEAR(sample.sum, 90, 0.001);
  EXPECT_EQ(sample.at_most.at(3), (std::pair<double, std::uint64_t>{60, 0}));
  EXPECT_EQ(sample.at_most.at(4), (std::pair<double, std::uint64_t>{300, 1}));
  EXPECT_EQ(sample.at_most.back().second, 1u);
}

TEST(queue_share, shows_what_its_queue_summed_up_before_it) {
  metrics::board board;
  ledger::queue_driver queue;
  ASSERT_TRUE(queue.submit({ledger::job_named(1)}));
  ASSERT_TRUE(queue.lease({1}));
  ASSERT_TRUE(queue.report(1, model::run_phase::running));
  queue_share share{board, queue.core};
  share.show(queue.core);
  const auto probe = board.get<queue_probe>();
  EXPECT_EQ(value(*probe, "argosy_job_wait_seconds q default armada-default"), 1);
  ASSERT_TRUE(queue.report(1, model::run_phase::succeeded));
  ASSERT_TRUE(queue.submit({ledger::job_named(2)}));
  ASSERT_TRUE(queue.cancel({2}));
  share.show(queue.core);
  EXPECT_EQ(value(*probe, "argosy_jobs_total q default SUCCEEDED "), 1);
  EXPECT_EQ(value(*probe, "argosy_jobs_total q  CANCELLED "), 1) << "it had no run";
}

TEST(queue_probe, names_the_queues_with_the_most_jobs) {
  queue_probe probe;
  std::list<queue_figures> queues;
  for (int i = 0; i < 1200; ++i) {
    auto& one = queues.emplace_back();
    one.queue = "q" + std::to_string(i);
    one.exists = i != 1199;
    one.live[0] = static_cast<std::uint64_t>(i);
    probe.add(one);
  }
  EXPECT_EQ(samples(probe, "argosy_queue_used_core_seconds_total"), 1000u);
  EXPECT_EQ(value(probe, "argosy_queue_live_jobs q1198 QUEUED"), 1198);
  EXPECT_EQ(value(probe, "argosy_queue_live_jobs q199 QUEUED"), 199);
  EXPECT_EQ(value(probe, "argosy_queue_live_jobs q198 QUEUED"), std::nullopt);
  EXPECT_EQ(value(probe, "argosy_queue_live_jobs q1199 QUEUED"), std::nullopt)
      << "a queue that was deleted";
}

}  // namespace argosy::probes
