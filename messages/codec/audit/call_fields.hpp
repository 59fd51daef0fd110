// SPDX-License-Identifier: Apache-2.0
// The record of a call has the same fields in the log and in the answers of the API.
#pragma once

#include "runtime/model/call_recorded.hpp"

namespace argosy::codec {

/// Sets the fields of the message, which is a log::v1::CallRecorded or an argosy::v1::AuditEntry.
template <class Message>
void put_call(const model::call_recorded& call, Message& out) {
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

}  // namespace argosy::codec
