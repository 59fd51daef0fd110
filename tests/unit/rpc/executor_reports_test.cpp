// SPDX-License-Identifier: Apache-2.0
// Goal: what an executor of Armada reports of pods is kept: its own category of a failure. Method:
// events in, what the core is told out.
#include <gtest/gtest.h>

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

TEST(executor_reports, keep_the_category_of_the_executor) {
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
  auto got = told_of(event);
  EXPECT_EQ(got.outcome.category, "licence_server");
  EXPECT_EQ(ledger::category_of(got.outcome).category, "licence_server");
  EXPECT_EQ(got.outcome.exit_code, 74);
  error.set_failure_subcategory("down");
  got = told_of(event);
  EXPECT_EQ(ledger::category_of(got.outcome).subcategory, "down");
}

}  // namespace

}  // namespace argosy::codec
