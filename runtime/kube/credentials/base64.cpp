// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace argosy::kube {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (is_space(c)) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const auto digit = alphabet.find(c);
    if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    ++digits;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<char>((bits >> held) & 0xff));
  }
  const bool ends_within_byte = digits % 4 == 1;
  const bool padding_is_wrong = padding > 0 && (padding > 2 || (digits + padding) % 4 != 0);
  if (ends_within_byte || padding_is_wrong) return std::nullopt;
  return out;
}

std::string encode_base64(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    const auto some = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 3; ++i)
      bits = (bits << 8) | (i < some ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out.push_back(i <= some ? alphabet[(bits >> (18 - 6 * i)) & 63] : '=');
  }
  return out;
}

}  // namespace argosy::kube
