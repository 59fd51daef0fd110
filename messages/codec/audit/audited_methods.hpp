// SPDX-License-Identifier: Apache-2.0
// This file declares which methods of the API the audit trail records, and what it says of their
// requests: what they are about, in a few words, and never the whole request.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/model/call_recorded.hpp"

namespace argosy::codec {

enum class call_effect : std::uint8_t {
  reads,     ///< Changes nothing that lasts, and is recorded only if it was denied.
  shows,     ///< Changes nothing, but shows what is not for everybody, such as output: is recorded.
  changes,   ///< Changes something that lasts: is recorded.
  unlisted,  ///< A method that is in no list yet, which is recorded without what it is about.
};

/// `method` is "Service.Method". A test says that each method of the API is in a list.
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
