// SPDX-License-Identifier: Apache-2.0
// This file declares which methods of the API the audit trail records, and what it says of their
// requests: what they are about, in a few words, and never the whole request.
#pragma once

#include <string_view>

#include "runtime/access/methods.hpp"
#include "runtime/model/call_recorded.hpp"

namespace argosy::codec {

using access::call_effect;

/// `method` is "Service.Method". Its row in the table says it.
[[nodiscard]] call_effect effect_of(std::string_view method) noexcept;

/// Whether a call may change something that lasts. `mode` is its header argosy-mode: a submission
/// that is only checked changes nothing.
[[nodiscard]] bool may_change(std::string_view method, std::string_view mode) noexcept;

/// Whether a call is recorded however it ends.
[[nodiscard]] bool is_audited(std::string_view method, std::string_view mode) noexcept;

/// Whether clients send the call on their own, so that its denial says nothing of their users.
[[nodiscard]] bool is_sent_unasked(std::string_view method) noexcept;

/// Fills in what the request of `call.method` is about. Of bytes that are no such request nothing
/// is said.
void describe_request(std::string_view bytes, model::call_recorded& call);

}  // namespace argosy::codec
