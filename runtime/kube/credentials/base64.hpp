// SPDX-License-Identifier: Apache-2.0
// The base64 of kubeconfig files (RFC 4648, section 4). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace argosy::kube {

/// Padding may be missing, and white space is skipped. Nothing if there is another character that
/// is not of the alphabet, or if the text ends within a byte.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);
[[nodiscard]] std::string encode_base64(std::string_view bytes);

}  // namespace argosy::kube
