// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/query.hpp"

namespace argosy::kube {

std::string query_value(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain)
      out.push_back(c);
    else
      out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

}  // namespace argosy::kube
