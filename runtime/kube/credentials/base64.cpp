// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/base64.hpp"

#include <absl/strings/escaping.h>

namespace argosy::kube {

std::optional<std::string> decode_base64(std::string_view text) {
  std::string out;
  // The library takes '.' for padding.
  if (text.find('.') != std::string_view::npos ||
      !absl::Base64Unescape({text.data(), text.size()}, &out))
    return std::nullopt;
  return out;
}

std::string encode_base64(std::string_view bytes) {
  return absl::Base64Escape({bytes.data(), bytes.size()});
}

}  // namespace argosy::kube
