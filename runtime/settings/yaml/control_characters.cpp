// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/yaml/control_characters.hpp"

namespace argosy::yaml {

std::optional<std::size_t> find_control_character(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7f) continue;
    if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f) return i;
    // C1 is C2 80 to C2 9F.
    if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0)
      return i;
  }
  return std::nullopt;
}

std::string name_control_character(std::string_view text, std::size_t position) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  auto code = static_cast<unsigned char>(text[position]);
  if (code == 0xc2) code = static_cast<unsigned char>(text[position + 1]);
  return std::string{"U+00"} + digits[code >> 4] + digits[code & 15];
}

}  // namespace argosy::yaml
