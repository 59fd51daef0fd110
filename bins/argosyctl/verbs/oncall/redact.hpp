// SPDX-License-Identifier: Apache-2.0
// Takes secrets out of texts that leave the site. Pure.
#pragma once

#include <string>
#include <string_view>

namespace argosy::ctl {

/// Whether the value of a setting or a field of this name is a secret: tokens, passwords, hashes
/// of them, keys and seeds, but not the paths of files that hold them.
[[nodiscard]] bool is_secret_name(std::string_view name);

/// Replaces what looks like a secret in any text: the user and password of URLs, "Bearer ..." and
/// "Basic ...", seeds of NATS, and values behind secret names.
[[nodiscard]] std::string redacted(std::string_view text);

inline constexpr std::string_view redaction = "[redacted]";

}  // namespace argosy::ctl
