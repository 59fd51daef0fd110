// SPDX-License-Identifier: Apache-2.0
// This file converts records of the audit trail between the model and argosy.log.v1.
#include "messages/codec/log/log_values.hpp"

namespace argosy::codec {

void to_wire(const model::call_recorded& call, log::v1::CallRecorded& out) {
  out.set_number(call.number);
  out.set_user(call.user);
  out.set_via(call.via);
  out.set_peer(call.peer);
  out.set_method(call.method);
  out.set_outcome(call.outcome);
  out.set_detail(call.detail);
  out.set_queue(call.queue);
  out.set_job_set(call.job_set);
  out.set_cluster(call.cluster);
  out.set_node(call.node);
  out.set_jobs(call.jobs);
  out.set_summary(call.summary);
  out.set_left_out(call.left_out);
  out.set_proof(call.proof);
}

model::call_recorded from_wire(const log::v1::CallRecorded& in) {
  model::call_recorded out;
  out.number = in.number();
  out.user = in.user();
  out.via = in.via();
  out.peer = in.peer();
  out.method = in.method();
  out.outcome = in.outcome();
  out.detail = in.detail();
  out.queue = in.queue();
  out.job_set = in.job_set();
  out.cluster = in.cluster();
  out.node = in.node();
  out.jobs = in.jobs();
  out.summary = in.summary();
  out.left_out = in.left_out();
  out.proof = in.proof();
  return out;
}

}  // namespace argosy::codec
