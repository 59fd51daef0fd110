// SPDX-License-Identifier: Apache-2.0
// This file declares the one place where errors of this project become CAF's and back.
#pragma once

#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>
#include <caf/result.hpp>

#include "runtime/base/result.hpp"

CAF_ERROR_CODE_ENUM(argosy::ec, "argosy")

namespace argosy::actors {

[[nodiscard]] caf::error to_caf(const error& err);

/// Makes the answer of a handler: the reply, or the error in its place.
template <class Reply>
[[nodiscard]] caf::result<Reply> to_caf(const result<Reply>& reply) {
  if (!reply) return to_caf(reply.error());
  return *reply;
}

/// CAF's own codes become ours: a request that timed out is ec::timeout, a receiver that is gone
/// ec::unavailable, anything else ec::internal.
[[nodiscard]] error from_caf(const caf::error& err);

}  // namespace argosy::actors
