// SPDX-License-Identifier: Apache-2.0
// Goal: what an executor of Armada reports of pods is kept: its own category of a failure, the end
// of each container, and the pod's uid. Method: events in, what the core is told out.
#include <gtest/gtest.h>

#include <limits>

#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/armada/executor_codec.hpp"
#include "messages/proto/armada/executorapi.pb.h"
#include "runtime/ledger/retry/failure_category.hpp"

namespace argosy::codec {

namespace {

const model::run_key reported_run{ulid_from_hash(1'700'000'000'000, 1, 2), 1};

ledger::armada_event told_of(armadaevents::EventSequence::Event event) {
  executorapi::EventList list;
  *list.add_events()->add_events() = std::move(event);
  const auto got = decode_executor_events(list.SerializeAsString());
  EXPECT_TRUE(got && got->size() == 1);
  return got && !got->empty() ? got->front() : ledger::armada_event{};
}

template <class Message>
void of_run(Message& message) {
  message.set_job_id(to_string(reported_run.job));
  message.set_run_id(run_id(reported_run));
}

TEST(executor_reports, keeps_the_category_of_the_executor_and_each_container) {
  armadaevents::EventSequence::Event event;
  auto& errors = *event.mutable_jobrunerrors();
  of_run(errors);
  auto& error = *errors.add_errors();
  error.set_terminal(true);
  error.set_failure_category("licence_server");
  auto& worker = *error.mutable_poderror()->add_containererrors();
  worker.mutable_objectmeta()->set_name("worker");
  worker.set_exit_code(74);
  worker.set_reason("Error");
  error.mutable_poderror()->add_containererrors()->mutable_objectmeta()->set_name("side");
  auto got = told_of(event);
  EXPECT_EQ(got.outcome.category, "licence_server");
  EXPECT_EQ(ledger::category_of(got.outcome).category, "licence_server");
  ASSERT_EQ(got.outcome.containers.size(), 2U);
  EXPECT_EQ(got.outcome.containers[0].name, "worker");
  EXPECT_EQ(got.outcome.containers[0].exit_code, 74);
  EXPECT_EQ(got.outcome.containers[1].name, "side");
  EXPECT_EQ(got.outcome.exit_code, 74);
  error.set_failure_subcategory("down");
  got = told_of(event);
  EXPECT_EQ(ledger::category_of(got.outcome).subcategory, "down");
}

TEST(executor_reports, tells_which_pod_carries_a_run_out) {
  armadaevents::EventSequence::Event event;
  auto& running = *event.mutable_jobrunrunning();
  of_run(running);
  auto& pod = *running.add_resourceinfos();
  pod.mutable_objectmeta()->set_kubernetes_id("uid-1");
  pod.mutable_podinfo()->set_node_name("n");
  EXPECT_EQ(told_of(event).pod.uid, "uid-1");
}

TEST(executor_reports, tells_what_a_pod_used) {
  armadaevents::EventSequence::Event event;
  auto& used = *event.mutable_resourceutilisation();
  of_run(used);
  (*used.mutable_max_resources_for_period())["memory"].set_string("5Mi");
  (*used.mutable_max_resources_for_period())["cpu"].set_string("1234567n");
  (*used.mutable_total_cumulative_usage())["cpu"].set_string("9");
  const auto got = told_of(event);
  EXPECT_FALSE(got.phase);
  const model::label_list peak{{"cpu", "1234567n"}, {"memory", "5Mi"}};
  EXPECT_EQ(got.usage.peak, peak);
  EXPECT_EQ(got.usage.total, (model::label_list{{"cpu", "9"}}));
}

TEST(executor_reports, of_times_that_no_clock_shows_have_none) {
  armadaevents::EventSequence::Event event;
  of_run(*event.mutable_jobrunrunning());
  for (const auto seconds :
       {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{9'300'000'000},
        std::numeric_limits<std::int64_t>::max()}) {
    event.mutable_created()->set_seconds(seconds);
    EXPECT_EQ(told_of(event).time_ns, 0) << seconds;
  }
  event.mutable_created()->set_seconds(2);
  event.mutable_created()->set_nanos(-1);
  EXPECT_EQ(told_of(event).time_ns, 0);
}

}  // namespace

}  // namespace argosy::codec
