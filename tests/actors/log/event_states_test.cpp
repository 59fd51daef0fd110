// SPDX-License-Identifier: Apache-2.0
// Goal: whoever has only the events of a job set can tell the state of each of its jobs, and it is
// the state that the API tells. Method: jobs that end in all ways, or have not ended, with a
// scripted agent; after each step the events are read from the beginning and added up.
#include <gmock/gmock.h>

#include "messages/proto/api/event.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using namespace std::chrono_literals;

struct event_states : control_plane_test {
  using states = std::map<std::string, api::JobState>;

  event_states() {
    start();
    create_queue("a");
  }

  /// What each kind of event makes of its job; nothing for those that change no state.
  static void add(const api::EventMessage& event, states& to) {
    const auto is = [&to](const auto& what, api::JobState state) { to[what.job_id()] = state; };
    switch (event.events_case()) {
      case api::EventMessage::kQueued:
        return is(event.queued(), api::QUEUED);
      case api::EventMessage::kLeased:
        return is(event.leased(), api::LEASED);
      case api::EventMessage::kLeaseReturned:
        return is(event.lease_returned(), api::QUEUED);
      case api::EventMessage::kLeaseExpired:
        return is(event.lease_expired(), api::QUEUED);
      case api::EventMessage::kPending:
        return is(event.pending(), api::PENDING);
      case api::EventMessage::kRunning:
        return is(event.running(), api::RUNNING);
      case api::EventMessage::kSucceeded:
        return is(event.succeeded(), api::SUCCEEDED);
      case api::EventMessage::kFailed:
        // Armada's clients are told behind a preemption that the job has failed as well.
        if (to[event.failed().job_id()] == api::PREEMPTED) return;
        return is(event.failed(), api::FAILED);
      case api::EventMessage::kCancelled:
        return is(event.cancelled(), api::CANCELLED);
      case api::EventMessage::kPreempted:
        return is(event.preempted(), api::PREEMPTED);
      default:
        return;
    }
  }

  states from_events() {
    api::JobSetRequest request;
    request.set_queue("a");
    request.set_id("set");
    states out;
    bool ended = false;
    bus::stream_events events;
    events.on_item = [&out](const bus::frame& frame) {
      api::EventStreamMessage one;
      ASSERT_TRUE(one.ParseFromString(frame.data));
      add(one.message(), out);
    };
    events.on_end = [&ended](const result<void>& how) { ended = how.has_value(); };
    const auto stream =
        client->open_stream("argosy.api.Event.GetJobSetEvents", request.SerializeAsString(), {},
                            {.credit = 1'000}, std::move(events));
    pass();
    EXPECT_TRUE(ended);
    return out;
  }
  states from_api() {
    states out;
    for (const auto& each : jobs("a")) out[each.job_id()] = each.state();
    return out;
  }
  void cancel(const std::string& id) {
    api::JobCancelRequest request;
    request.set_queue("a");
    request.set_job_set_id("set");
    request.set_job_id(id);
    ask<api::CancellationResult>("Submit.CancelJobs", request);
  }
};

TEST_F(event_states, added_up_from_the_events_alone_are_those_of_the_api) {
  const auto waiting = submit("a", {.count = 2, .cpu = "3"});
  cancel(waiting[0]);
  EXPECT_EQ(from_events(), from_api());
  auto& agent = add_agent("c", {node_of("n", 2), node_of("m", 2)});
  agent->starts_runs = false;
  const auto ids = submit("a", {.count = 4});
  pass();
  EXPECT_EQ(from_events(), from_api());
  const auto run_of = [&](const std::string& id) {
    return std::ranges::find_if(agent->live,
                                [&](const auto& run) { return to_string(run.first.job) == id; })
        ->first;
  };
  for (const auto& id : {ids[0], ids[1], ids[2]})
    agent->add_report(run_of(id), run_phase::pending, {}, 1);
  for (const auto& id : {ids[0], ids[1]}) agent->add_report(run_of(id), run_phase::running, {}, 2);
  agent.hello();
  pass();
  EXPECT_EQ(from_api().at(ids[0]), api::RUNNING);
  EXPECT_EQ(from_api().at(ids[2]), api::PENDING);
  EXPECT_EQ(from_api().at(ids[3]), api::LEASED);
  EXPECT_EQ(from_events(), from_api());
  agent.end(ids[0], run_phase::succeeded);
  agent.end(ids[1], run_phase::failed, {3, 0, "Error", "exited"});
  cancel(ids[2]);
  agent.end(ids[3], run_phase::failed, {std::nullopt, 0, "Lost", "the machine was restarted"});
  pass(2s);
  EXPECT_EQ(from_events(), from_api());
  agent->starts_runs = true;
  const auto more = submit("a", {.count = 2, .priority_class = "armada-preemptible"});
  pass(2s);
  api::JobPreemptRequest preempt;
  preempt.set_queue("a");
  preempt.set_job_set_id("set");
  preempt.add_job_ids(more[0]);
  ask<api::PreemptionResult>("Submit.PreemptJobs", preempt);
  pass(2s);
  const auto told = from_api();
  EXPECT_EQ(from_events(), told);
  std::set<api::JobState> seen;
  for (const auto& [id, state] : told) seen.insert(state);
  for (const auto state :
       {api::QUEUED, api::SUCCEEDED, api::FAILED, api::CANCELLED, api::PREEMPTED})
    EXPECT_TRUE(seen.contains(state)) << api::JobState_Name(state);
}

}  // namespace argosy::tests
