// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/tokens/base64url.hpp"

#include <cstdint>

namespace argosy::access {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::optional<std::string> decode_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU));
  }
  // Two texts for the same bytes would be two spellings of one token.
  if ((bits & ((1U << static_cast<unsigned>(count)) - 1U)) != 0) return std::nullopt;
  return out;
}

std::string encode_base64url(std::string_view bytes) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      out.push_back(alphabet[(bits >> static_cast<unsigned>(count)) & 63U]);
    }
  }
  if (count > 0) out.push_back(alphabet[(bits << static_cast<unsigned>(6 - count)) & 63U]);
  return out;
}

}  // namespace argosy::access
