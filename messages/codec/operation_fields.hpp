// SPDX-License-Identifier: Apache-2.0
// An operation has the same fields in the log and in the answers of the API, but for those that are
// numbers in the log and words in the API.
#pragma once

#include "runtime/model/operation.hpp"

namespace argosy::codec {

/// Sets the fields of the message, which is a log::v1::Operation or an argosy::v1::Operation.
template <class Message>
void put_operation(const model::operation& operation, Message& out) {
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
}

}  // namespace argosy::codec
