// SPDX-License-Identifier: Apache-2.0
// The base64 of web tokens (RFC 4648, section 5), which has no padding. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace argosy::access {

/// Nothing if a character is not of the alphabet, or if the text ends within a byte.
[[nodiscard]] std::optional<std::string> decode_base64url(std::string_view text);
[[nodiscard]] std::string encode_base64url(std::string_view bytes);

}  // namespace argosy::access
