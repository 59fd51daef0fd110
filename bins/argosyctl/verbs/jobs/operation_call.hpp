// SPDX-License-Identifier: Apache-2.0
// This file declares the calls of verbs that change all jobs of a job set, a queue, a cluster or a
// node. If these are very many, the server makes an operation of the change, which goes on without
// the caller; the call tells him by which name to ask for it, also when it is interrupted.
#pragma once

#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

/// Makes the call under an id for an operation and returns the encoded answer. If the server made
/// an operation of it, a notice says so. ec::cancelled if Ctrl-C was pressed meanwhile.
[[nodiscard]] result<std::string> exchange_operation(session& s, client& server,
                                                     std::string_view method, std::string request);

/// Does the same with messages.
template <class Response>
[[nodiscard]] result<Response> call_operation(session& s, client& server, std::string_view method,
                                              const google::protobuf::MessageLite& request) {
  auto data = exchange_operation(s, server, method, request.SerializeAsString());
  if (!data) return fail(std::move(data.error()));
  return decoded<Response>(method, *data);
}

}  // namespace argosy::ctl
