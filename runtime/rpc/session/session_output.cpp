// SPDX-License-Identifier: Apache-2.0
// This file defines what a session does with the messages and the status of an answer.
#include <nghttp2/nghttp2.h>

#include <utility>

#include "runtime/rpc/session/grpc_text.hpp"
#include "runtime/rpc/session/session_call.hpp"
#include "runtime/rpc/session/session_core.hpp"

namespace argosy::rpc {

void session_core::set_metadata(call_id id,
                                std::vector<std::pair<std::string, std::string>> metadata) {
  if (auto* const found = find(id); found != nullptr) found->metadata = std::move(metadata);
}

bool session_core::write(call_id id, std::string_view message, bool packed) {
  auto* const found = find(id);
  if (found == nullptr || found->finished) return false;
  auto& to = *found;
  to.out.push_back(with_head(message, packed));
  to.out_bytes += to.out.back().size();
  if (!hold(to)) {
    // Who takes nothing of an answer that has begun would not take a status either.
    if (to.head_sent) {
      reset(to, NGHTTP2_ENHANCE_YOUR_CALM);
    } else {
      drop_output(to);
      finish(id, {status_code::resource_exhausted,
                  "too many bytes of your answers wait to be taken; take them and try again"});
    }
    return false;
  }
  if (to.out.size() == 1) to.since = to.moved = now_;
  if (to.head_sent)
    nghttp2_session_resume_data(session_, id);
  else
    respond(to, true);
  return true;
}

void session_core::finish(call_id id, const status& how) {
  auto* const found = find(id);
  if (found == nullptr || found->finished) return;
  found->finished = true;
  found->last = how;
  found->wants = false;
  found->in = {};
  static_cast<void>(hold(*found));
  give_back(*found);
  if (found->out.empty()) found->since = found->moved = now_;
  if (found->head_sent)
    nghttp2_session_resume_data(session_, id);
  else
    respond(*found, false);
}

void session_core::end(call& what, const status& how) {
  const bool told = what.told;
  finish(what.id, how);
  if (told) events_.gone(what.id);
}

void session_core::drop_output(call& of) {
  of.out.clear();
  of.in = {};
  of.out_bytes = 0;
  static_cast<void>(hold(of));
}

}  // namespace argosy::rpc
