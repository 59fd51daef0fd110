// SPDX-License-Identifier: Apache-2.0
#include "actors/api/audited_call.hpp"

#include <caf/send.hpp>

#include "messages/codec/audit/audited_methods.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/ledger/audit_core.hpp"

namespace argosy::actors {

audited_call::~audited_call() {
  if (!frame_) return;
  describe();
  call_.outcome = model::call_outcome::unanswered;
  call_.detail = "the server ended before it answered";
  caf::anon_send(to_, atom::record_v, call_);
}

void audited_call::answered(const call& /*which*/, const error& outcome) {
  if (!frame_) return;
  describe();
  frame_.reset();
  call_.outcome = outcome.code == ec::none ? model::call_outcome::ok : to_string(outcome.code);
  call_.detail = outcome.detail;
  self_->send(to_, atom::record_v, std::move(call_));
}

void audited_call::describe() {
  if (!is_long_) codec::describe_request(frame_->data, call_);
}

void denied_reads::answered(const call& which, const error& outcome) {
  if (outcome.code != ec::denied) return;
  auto record = call_of(which.frame(), which.method(), *which.who(), in_headers_);
  codec::describe_request(which.frame().data, record);
  record.outcome = to_string(outcome.code);
  record.detail = outcome.detail;
  self_->send(to_, atom::record_v, std::move(record));
}

model::call_recorded call_of(const bus::frame& frame, std::string_view called,
                             const access::principal& who, bool in_headers) {
  model::call_recorded out;
  out.user = access::display_name(who);
  out.proof = to_string(who.by);
  out.method = called;
  out.via = in_headers ? frame.headers.get(bus::header::via).value_or("") : "nats";
  if (in_headers) out.peer = get_text(frame.headers, bus::header::peer).value_or("");
  return out;
}

model::call_recorded refused_caller(const bus::frame& told) {
  auto out = call_of(told, ledger::log_in_method, bus::caller_of(told.headers), true);
  out.outcome = to_string(ec::denied);
  out.detail = told.data;
  return out;
}

model::call_recorded refused_caller(const bus::frame& frame, const access::principal& claimed,
                                    const std::string& why) {
  auto out = call_of(frame, ledger::log_in_method, claimed, false);
  out.outcome = to_string(ec::denied);
  out.detail = why;
  return out;
}

}  // namespace argosy::actors
