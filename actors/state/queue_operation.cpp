// SPDX-License-Identifier: Apache-2.0
#include "actors/state/queue_operation.hpp"

#include "runtime/ledger/queue/queue_operations.hpp"

namespace argosy::actors {

namespace {

using model::operation_kind;

template <class Request>
std::optional<model::operation> operation_as(operation_kind kind, const Request& wanted) {
  if (wanted.operation.is_nil() || !wanted.jobs.ids.empty()) return std::nullopt;
  model::operation out;
  out.id = wanted.operation;
  out.kind = kind;
  out.by = wanted.requestor;
  ledger::describe(wanted.jobs, out);
  return out;
}

}  // namespace

decide_part decider(const ledger::queue_core& core, const clock_source& clock,
                    const native::cancel_request& wanted) {
  return [&core, &clock, how = wanted.how, requestor = wanted.requestor,
          reason = wanted.reason](const ledger::job_selection& part) {
    const auto now_ns = to_nanos(clock.wall());
    if (how == native::ending::cancel) return core.cancel(part, requestor, reason, now_ns);
    return core.preempt(part, requestor, reason, now_ns, how == native::ending::drain);
  };
}

decide_part decider(const ledger::queue_core& core, const clock_source& clock,
                    const native::reprioritize_request& wanted) {
  return [&core, &clock, priority = wanted.priority,
          requestor = wanted.requestor](const ledger::job_selection& part) {
    return core.reprioritize(part, priority, requestor, to_nanos(clock.wall()));
  };
}

decide_part decider(const ledger::queue_core& core, const clock_source& clock,
                    const native::hold_request& wanted) {
  return [&core, &clock, on = wanted.on, requestor = wanted.requestor,
          reason = wanted.reason](const ledger::job_selection& part) {
    return core.hold(part, on, requestor, reason, to_nanos(clock.wall()));
  };
}

decide_part decider(const ledger::queue_core& core, const clock_source& clock,
                    const model::operation& begun) {
  switch (begun.kind) {
    case operation_kind::reprioritize:
      return decider(core, clock,
                     native::reprioritize_request{{}, begun.jobs.priority, begun.by, {}});
    case operation_kind::hold:
    case operation_kind::release:
      return decider(
          core, clock,
          native::hold_request{{}, begun.kind == operation_kind::hold, begun.by, begun.reason, {}});
    case operation_kind::preempt:
      return decider(
          core, clock,
          native::cancel_request{{}, begun.by, begun.reason, native::ending::preempt, {}});
    default:
      return decider(core, clock, native::cancel_request{{}, begun.by, begun.reason});
  }
}

std::optional<model::operation> operation_of(const native::cancel_request& wanted) {
  const auto kind =
      wanted.how == native::ending::cancel ? operation_kind::cancel : operation_kind::preempt;
  auto out = operation_as(kind, wanted);
  if (out) out->reason = wanted.reason;
  return out;
}

std::optional<model::operation> operation_of(const native::reprioritize_request& wanted) {
  auto out = operation_as(operation_kind::reprioritize, wanted);
  if (out) out->jobs.priority = wanted.priority;
  return out;
}

std::optional<model::operation> operation_of(const native::hold_request& wanted) {
  auto out = operation_as(wanted.on ? operation_kind::hold : operation_kind::release, wanted);
  if (out) out->reason = wanted.reason;
  return out;
}

}  // namespace argosy::actors
