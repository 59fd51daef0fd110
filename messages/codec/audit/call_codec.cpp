// SPDX-License-Identifier: Apache-2.0
// This file converts records of the audit trail between the model and argosy.log.v1.
#include "messages/codec/audit/call_fields.hpp"
#include "messages/codec/log/log_values.hpp"

namespace argosy::codec {

void to_wire(const model::call_recorded& call, log::v1::CallRecorded& out) {
  put_call(call, out);
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
