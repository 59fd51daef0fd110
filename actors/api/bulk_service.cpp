// SPDX-License-Identifier: Apache-2.0
// The methods that do something to all jobs of a queue which fit a selection.
#include <google/protobuf/empty.pb.h>

#include "actors/api/gateway_services.hpp"
#include "messages/proto/api/submit.pb.h"

namespace argosy::actors {

namespace {

/// Sets which states are selected; without any, nothing is.
result<void> select_states(const api::QueueCancelRequest& request, ledger::job_selection& jobs) {
  jobs.queued = jobs.leased = jobs.pending = jobs.running = false;
  for (const auto state : request.jobstates()) {
    switch (state) {
      case api::QUEUED:
        jobs.queued = true;
        break;
      case api::LEASED:
        jobs.leased = true;
        break;
      case api::PENDING:
        jobs.pending = true;
        break;
      case api::RUNNING:
        jobs.running = true;
        break;
      default:
        return fail(ec::invalid_argument,
                    "jobStates may name QUEUED, LEASED, PENDING and RUNNING, not " +
                        (api::JobState_IsValid(state) ? api::JobState_Name(state)
                                                      : std::to_string(static_cast<int>(state))));
    }
  }
  return {};
}

void cancel_on_queue(gateway_services& gateway, const call& caller,
                     const api::QueueCancelRequest& request) {
  if (request.name().empty()) {
    caller.fail(ec::invalid_argument, "the request names no queue");
    return;
  }
  native::cancel_request wanted;
  wanted.requestor = caller.principal();
  wanted.jobs.whole = true;
  wanted.jobs.classes.assign(request.priorityclasses().begin(), request.priorityclasses().end());
  wanted.jobs.pools.assign(request.pools().begin(), request.pools().end());
  if (auto states = select_states(request, wanted.jobs); !states) {
    caller.fail(states.error());
    return;
  }
  gateway.with_queue(caller, request.name(), [&gateway, caller, wanted](const queue_actor& queue) {
    gateway.ask(
        caller, queue,
        [caller](const ledger::selection_reply&) { caller.reply(google::protobuf::Empty{}); },
        atom::cancel_v, wanted);
  });
}

}  // namespace

void add_bulk_methods(method_table& table) {
  table["QueueService.CancelOnQueue"] = decoded<api::QueueCancelRequest>(cancel_on_queue);
}

}  // namespace argosy::actors
