// SPDX-License-Identifier: Apache-2.0
// This file declares what travels on the bus: bytes under a subject, with headers and perhaps a
// subject for the reply.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/bus/headers.hpp"

namespace argosy::bus {

struct frame {
  std::string subject{};
  std::string reply{};  ///< Empty when no reply is expected.
  bus::headers headers{};
  std::string data{};
  /// Becomes true when nobody waits for the answer to this request any more. Null: the connection
  /// that serves it will not know. It does not travel.
  std::shared_ptr<const std::atomic<bool>> given_up{};
};

/// Checks that a subject consists of tokens of visible ASCII joined by '.', has at most 1,024
/// bytes, and neither '*' nor '>'. Fails with ec::invalid_argument otherwise.
[[nodiscard]] result<void> validate_subject(std::string_view subject);

/// Checks a pattern: a subject in which a whole token may be '*' (any one token) and the last one
/// '>' (one or more tokens).
[[nodiscard]] result<void> validate_pattern(std::string_view pattern);

/// Whether the subject falls under the pattern. Both must be valid.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view subject) noexcept;

/// How the server of a stream knows it by its frames: the subject that was opened and the reader's
/// id. With the subject in it nobody can speak for a stream on a subject that he may not use.
[[nodiscard]] std::string stream_key(const frame& arrived);

/// Whether the subject is one at which a requester waits for a reply: it begins with "_INBOX", as
/// the reply subjects of NATS's clients do, or with "_R_.", which a server puts in their place
/// where it imports a service from another account.
[[nodiscard]] bool is_inbox(std::string_view subject) noexcept;

}  // namespace argosy::bus
