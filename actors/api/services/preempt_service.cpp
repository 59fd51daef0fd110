// SPDX-License-Identifier: Apache-2.0
// The methods by which somebody preempts jobs: single ones, and those of a queue. Only runs of
// classes that may be preempted are ended.
#include <set>

#include "actors/api/gateway_services.hpp"
#include "actors/api/operation_calls.hpp"
#include "actors/api/selections.hpp"
#include "messages/proto/api/submit.pb.h"

namespace argosy::actors {

namespace {

/// Asks the QUEUE; `then` takes the jobs whose runs are being ended now.
void preempt(gateway_services& gateway, const call& caller, const std::string& queue,
             const native::cancel_request& wanted,
             std::function<void(const ledger::selection_reply&)> then) {
  gateway.with_queue(caller, queue, [&gateway, caller, wanted, then](const queue_actor& handle) {
    // Without a class in the selection all classes would be meant.
    if (wanted.jobs.classes.empty()) return then({});
    gateway.ask(
        caller, handle, [then](const ledger::selection_reply& reply) { then(reply); },
        atom::cancel_v, wanted);
  });
}

constexpr const char* left_alone =
    "it was not preempted: it has no run, its run is being stopped already, or its priority class "
    "may not be preempted";

void preempt_jobs(gateway_services& gateway, const call& caller,
                  const api::JobPreemptRequest& request) {
  if (refuse_reason(gateway, caller, request.reason())) return;
  if (refuse_empty_set(caller, request.queue(), request.job_set_id())) return;
  const auto ids = read_ids(caller, request.job_ids(), {});
  if (!ids) return;
  if (ids->empty()) {
    caller.reply(api::PreemptionResult{});
    return;
  }
  native::cancel_request wanted;
  wanted.how = native::ending::preempt;
  wanted.jobs.ids = *ids;
  wanted.jobs.job_set = request.job_set_id();
  wanted.jobs.classes = preemptible_of(gateway, {});
  wanted.requestor = caller.principal();
  wanted.reason = "Preempted by " + wanted.requestor;
  if (!request.reason().empty()) wanted.reason += " - " + request.reason();
  preempt(gateway, caller, request.queue(), wanted,
          [caller, ids = *ids](const ledger::selection_reply& ended) {
            const std::set<ulid> known(ended.ids.begin(), ended.ids.end());
            api::PreemptionResult response;
            auto& results = *response.mutable_preemption_results();
            for (const auto& id : ids)
              results[to_string(id)] = known.contains(id) ? "" : left_alone;
            caller.reply(response);
          });
}

void preempt_on_queue(gateway_services& gateway, const call& caller,
                      const api::QueuePreemptRequest& request) {
  if (refuse_unnamed(caller, request.name(), "queue")) return;
  native::cancel_request wanted;
  wanted.how = native::ending::preempt;
  wanted.jobs.whole = true;
  wanted.jobs.queued = false;
  wanted.jobs.classes = preemptible_of(gateway, request.priorityclasses());
  for (const auto& pool : request.pools()) wanted.jobs.pools.emplace_back(pool);
  wanted.requestor = caller.principal();
  wanted.operation = caller.operation();
  wanted.reason = "Preempted by " + wanted.requestor + " with all jobs of queue " + request.name();
  preempt(gateway, caller, request.name(), wanted,
          [&gateway, caller, classes = request.priorityclasses()](const auto& ended) {
            reply_ended(gateway, caller, classes, ended, told_of(ended));
          });
}

}  // namespace

void add_preempt_service(method_table& table) {
  table["Submit.PreemptJobs"] = decoded<api::JobPreemptRequest>(preempt_jobs);
  table["QueueService.PreemptOnQueue"] =
      under_an_id(decoded<api::QueuePreemptRequest>(preempt_on_queue));
}

}  // namespace argosy::actors
