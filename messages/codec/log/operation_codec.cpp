// SPDX-License-Identifier: Apache-2.0
// This file converts operations between the model and argosy.log.v1.
#include "messages/codec/log/log_values.hpp"

namespace argosy::codec {

void to_wire(const model::operation& operation, log::v1::Operation& out) {
  const auto id = to_wire(operation.id);
  out.set_id(id.data(), id.size());
  out.set_kind(static_cast<std::uint32_t>(operation.kind));
  out.set_state(static_cast<std::uint32_t>(operation.state));
  out.set_queue(operation.queue);
  out.set_job_set(operation.job_set);
  out.set_cluster(operation.cluster);
  out.set_node(operation.node);
  out.set_by(operation.by);
  out.set_reason(operation.reason);
  out.set_begun_ns(operation.begun_ns);
  out.set_ended_ns(operation.ended_ns);
  out.set_total(operation.total);
  out.set_done(operation.done);
  out.set_detail(operation.detail);
  out.set_deadline_ns(operation.deadline_ns);
  out.set_preempts(operation.preempts);
  out.set_states(operation.jobs.states);
  for (const auto& each : operation.jobs.classes) out.add_classes(each);
  for (const auto& each : operation.jobs.pools) out.add_pools(each);
  out.set_priority(operation.jobs.priority);
  out.set_with_gangs(operation.jobs.with_gangs);
}

result<model::operation> from_wire(const log::v1::Operation& in) {
  auto id = ulid_from_wire(in.id());
  if (!id) return fail(std::move(id.error()));
  auto kind = enum_from_wire(in.kind(), model::operation_kind::release, "kind of an operation");
  if (!kind) return fail(std::move(kind.error()));
  auto state = enum_from_wire(in.state(), model::operation_state::failed, "state of an operation");
  if (!state) return fail(std::move(state.error()));
  model::operation out;
  out.id = *id;
  out.kind = *kind;
  out.state = *state;
  out.queue = in.queue();
  out.job_set = in.job_set();
  out.cluster = in.cluster();
  out.node = in.node();
  out.by = in.by();
  out.reason = in.reason();
  out.begun_ns = in.begun_ns();
  out.ended_ns = in.ended_ns();
  out.total = in.total();
  out.done = in.done();
  out.detail = in.detail();
  out.deadline_ns = in.deadline_ns();
  out.preempts = in.preempts();
  out.jobs.states = in.states();
  out.jobs.classes.assign(in.classes().begin(), in.classes().end());
  out.jobs.pools.assign(in.pools().begin(), in.pools().end());
  out.jobs.priority = in.priority();
  out.jobs.with_gangs = in.with_gangs();
  return out;
}

}  // namespace argosy::codec
