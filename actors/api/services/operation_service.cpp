// SPDX-License-Identifier: Apache-2.0
// The methods about operations: drains of clusters and nodes are begun and stopped, and all
// operations are listed.
#include <cstdint>
#include <optional>

#include "actors/api/operators.hpp"
#include "actors/api/selections.hpp"
#include "actors/api/summaries.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::actors {

namespace {

constexpr std::int64_t deadline_after_max = 366LL * 24 * 3600 * 1'000'000'000;

/// Answers the call and returns true when the caller may not cordon what is to be drained.
bool refuse_target(const call& caller, const std::string& cluster, const std::string& node) {
  if (refuse_unnamed(caller, cluster, "cluster")) return true;
  const auto needed =
      node.empty() ? access::action::update_executors : access::action::cordon_nodes;
  if (access::may(*caller.who(), needed)) return false;
  caller.fail(access::refusal(*caller.who(), needed, {}));
  return true;
}

void drain(gateway_services& gateway, const call& caller, const v1::DrainRequest& request) {
  if (refuse_target(caller, request.cluster(), request.node())) return;
  if (refuse_operator_reason(caller, request.reason())) return;
  if (request.deadline_after_ns() < 0 || request.deadline_after_ns() > deadline_after_max) {
    caller.fail(ec::invalid_argument,
                "deadline_after_ns must be 0, for none, or the nanoseconds of at most a year");
    return;
  }
  ledger::drain_request wanted;
  wanted.id = gateway.new_operation();
  wanted.node = model::node_name{request.node()};
  wanted.by = caller.principal();
  wanted.reason = request.reason();
  wanted.deadline_after_ns = request.deadline_after_ns();
  wanted.preempts = !request.keep_runs();
  ask_cluster(
      gateway, caller, request.cluster(),
      [caller](const ledger::drain_reply& reply) {
        v1::DrainResponse response;
        summarize(reply.drain, *response.mutable_operation());
        response.set_joined(reply.joined);
        caller.reply(response);
      },
      atom::drain_v, wanted);
}

void stop_drain(gateway_services& gateway, const call& caller,
                const v1::StopDrainRequest& request) {
  if (refuse_target(caller, request.cluster(), request.node())) return;
  ask_cluster(
      gateway, caller, request.cluster(),
      [caller](const model::operation& stopped) {
        v1::StopDrainResponse response;
        summarize(stopped, *response.mutable_operation());
        caller.reply(response);
      },
      atom::drain_v, atom::cancel_v, model::node_name{request.node()}, caller.principal());
}

/// A cursor is "ID/QUEUE" of the last operation that a page holds.
std::optional<native::operation_place> place_of_cursor(const std::string& text) {
  const auto slash = text.find('/');
  const auto id = parse_ulid(text.substr(0, slash));
  if (slash == std::string::npos || !id) return std::nullopt;
  return native::operation_place{*id, model::queue_name{text.substr(slash + 1)}};
}

void list_operations(gateway_services& gateway, const call& caller,
                     const v1::ListOperationsRequest& request) {
  native::list_operations query{request.id(), request.running_only(), request.limit(), {}};
  if (!request.cursor().empty()) {
    query.after = place_of_cursor(request.cursor());
    if (!query.after) {
      caller.fail(ec::invalid_argument, "the cursor is not from an answer of this method");
      return;
    }
  }
  const bool names_one = parse_ulid(request.id()) && !query.after && !request.running_only();
  gateway.ask(
      caller, gateway.config.list_reader,
      [caller, names_one, id = request.id()](const native::operation_page_ptr& page) {
        if (names_one && page->operations.empty())
          return caller.fail(ec::not_found,
                             "operation " + id +
                                 " has ended long ago, or it belongs to a history that this server "
                                 "does not have, for example since a backup was put back: read "
                                 "again from the beginning");
        v1::ListOperationsResponse response;
        for (const auto& each : page->operations) summarize(each, *response.add_operations());
        if (page->next) response.set_cursor(to_string(page->next->id) + "/" + page->next->queue);
        caller.reply(response);
      },
      atom::query_v, query);
}

}  // namespace

void add_operation_service(method_table& table) {
  table["ClusterService.Drain"] = decoded<v1::DrainRequest>(drain);
  table["ClusterService.StopDrain"] = decoded<v1::StopDrainRequest>(stop_drain);
  table["Query.ListOperations"] = decoded<v1::ListOperationsRequest>(list_operations);
}

}  // namespace argosy::actors
