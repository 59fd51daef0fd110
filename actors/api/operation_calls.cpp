// SPDX-License-Identifier: Apache-2.0
#include "actors/api/operation_calls.hpp"

#include <algorithm>

namespace argosy::actors {

namespace {

/// Whether all operations of the id are the caller's own and go on. He sends his request again, and
/// the QUEUEs answer it with what is under way.
bool may_go_on_as(const native::operation_page& known, const std::string& who) {
  return std::ranges::all_of(known.operations, [&](const model::operation& each) {
    return each.is_running() && each.by == who;
  });
}

}  // namespace

method under_an_id(method inner) {
  return [inner = std::move(inner)](gateway_services& gateway, const call& caller) {
    const auto wish = caller.header(bus::header::operation);
    if (wish.empty()) {
      inner(gateway, caller.as_operation(gateway.new_operation()));
      return;
    }
    const auto id = parse_ulid(wish);
    if (!id || id->is_nil()) {
      caller.fail(ec::invalid_argument, "header argosy-operation is '" + wish.substr(0, 40) +
                                            "'; it has to be a ULID, such as " +
                                            to_string(gateway.new_operation()));
      return;
    }
    gateway.ask(
        caller, gateway.config.reader,
        [&gateway, caller, inner, id = *id](const native::operation_page_ptr& known) {
          const bool free = may_go_on_as(*known, caller.principal());
          inner(gateway, caller.as_operation(free ? id : gateway.new_operation()));
        },
        atom::query_v, native::list_operations{to_string(*id), false, 0, {}});
  };
}

bus::headers told_of(const ledger::selection_reply& reply) {
  bus::headers out;
  if (!reply.operation.is_nil()) out.set(bus::header::operation, to_string(reply.operation));
  return out;
}

}  // namespace argosy::actors
