// SPDX-License-Identifier: Apache-2.0
// The methods by which operators cancel or preempt what runs on a cluster, which Armada calls an
// executor, or on a node.
#include <set>

#include "actors/api/fan_out.hpp"
#include "actors/api/operation_calls.hpp"
#include "actors/api/selections.hpp"
#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/node.pb.h"

namespace argosy::actors {

namespace {

/// The selection that all these requests share. Only jobs with a live run there are meant.
template <class Request>
native::cancel_request wanted_of(gateway_services& gateway, const call& caller,
                                 const Request& request, native::ending how,
                                 const std::string& place) {
  native::cancel_request out;
  out.how = how;
  out.requestor = caller.principal();
  out.operation = caller.operation();
  out.jobs.whole = true;
  out.jobs.queued = false;
  out.jobs.classes.assign(request.priorityclasses().begin(), request.priorityclasses().end());
  if (how == native::ending::preempt) {
    out.jobs.classes = preemptible_of(gateway, request.priorityclasses());
    out.reason = "Preempted by " + out.requestor + " with what runs on " + place;
  }
  return out;
}

/// Asks each of the queues that exist, and answers when all have answered. Armada takes names of
/// queues that do not exist as well; the answer tells them in a header.
void ask_queues(gateway_services& gateway, const call& caller, const id_list& queues,
                const id_list& classes, const native::cancel_request& wanted) {
  const std::set<std::string> names(queues.begin(), queues.end());
  // Without a class in the selection all classes would be meant.
  const bool nothing = wanted.how == native::ending::preempt && wanted.jobs.classes.empty();
  if (names.empty() || nothing) {
    reply_ended(gateway, caller, classes, {}, {});
    return;
  }
  find_queues(
      gateway, caller, names,
      [&gateway, caller, wanted, classes](const std::vector<queue_actor>& found,
                                          const std::vector<std::string>& unknown) {
        // The operations of one request share their id.
        auto sum = std::make_shared<ledger::selection_reply>();
        const auto add = [sum](const ledger::selection_reply& part) {
          if (!part.operation.is_nil()) sum->operation = part.operation;
          sum->ids.insert(sum->ids.end(), part.ids.begin(), part.ids.end());
        };
        const auto reply = [&gateway, caller, sum, unknown, classes] {
          auto with = told_of(*sum);
          std::string missing;
          for (const auto& name : unknown)
            missing += (missing.empty() ? "" : "; ") + ("queue '" + name + "' does not exist");
          if (!missing.empty()) set_text(with, bus::header::partial, missing);
          reply_ended(gateway, caller, classes, *sum, with);
        };
        ask_all<ledger::selection_reply>(gateway, found, "queues", add,
                                         done_or_failed(caller, reply), atom::cancel_v, wanted);
      });
}

template <class Request, native::ending How>
void end_on_executor(gateway_services& gateway, const call& caller, const Request& request) {
  if (refuse_unnamed(caller, request.name(), "executor")) return;
  auto wanted = wanted_of(gateway, caller, request, How, "cluster " + request.name());
  wanted.jobs.cluster = model::cluster_name{request.name()};
  for (const auto& pool : request.pools()) wanted.jobs.pools.emplace_back(pool);
  ask_queues(gateway, caller, request.queues(), request.priorityclasses(), wanted);
}

template <class Request, native::ending How>
void end_on_node(gateway_services& gateway, const call& caller, const Request& request) {
  if (refuse_unnamed(caller, request.name(), "node")) return;
  if (refuse_unnamed(caller, request.executor(), "executor")) return;
  const model::cluster_name cluster{request.executor()};
  const model::node_name node{request.name()};
  auto wanted = wanted_of(gateway, caller, request, How, "node " + model::node_id(cluster, node));
  wanted.jobs.cluster = cluster;
  wanted.jobs.node = node;
  ask_queues(gateway, caller, request.queues(), request.priorityclasses(), wanted);
}

}  // namespace

void add_executor_service(method_table& table) {
  using native::ending;
  table["Executor.CancelOnExecutor"] = under_an_id(decoded<api::ExecutorCancelRequest>(
      end_on_executor<api::ExecutorCancelRequest, ending::cancel>));
  table["Executor.PreemptOnExecutor"] = under_an_id(decoded<api::ExecutorPreemptRequest>(
      end_on_executor<api::ExecutorPreemptRequest, ending::preempt>));
  table["Node.CancelOnNode"] = under_an_id(
      decoded<api::NodeCancelRequest>(end_on_node<api::NodeCancelRequest, ending::cancel>));
  table["Node.PreemptOnNode"] = under_an_id(
      decoded<api::NodePreemptRequest>(end_on_node<api::NodePreemptRequest, ending::preempt>));
}

}  // namespace argosy::actors
