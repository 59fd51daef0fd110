// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/session/grpc_text.hpp"

#include <algorithm>
#include <charconv>

namespace argosy::rpc {

namespace {

/// Whoever allows more, such as clients that send the largest number for "no end", gets this. A
/// time that is counted from now on fits into 64 bits of nanoseconds then.
constexpr std::chrono::hours longest_timeout{24 * 365};
/// "%" and two digits.
constexpr std::size_t escaped_size = 3;

bool is_plain(char byte) {
  return byte >= ' ' && byte <= '~';
}

void append_escaped(std::string& out, char byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  out += '%';
  out += digits[value >> 4U];
  out += digits[value & 0xFU];
}

}  // namespace

std::optional<std::chrono::milliseconds> read_timeout(std::string_view text) {
  using std::chrono::milliseconds;
  // More digits are no time of the protocol.
  if (text.size() < 2 || text.size() > 9) return std::nullopt;
  std::int64_t value = 0;
  const auto* const end = text.data() + text.size() - 1;
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stop != end || value < 0) return std::nullopt;
  switch (text.back()) {
    case 'H':
      return std::min<milliseconds>(std::chrono::hours{value}, longest_timeout);
    case 'M':
      return std::min<milliseconds>(std::chrono::minutes{value}, longest_timeout);
    case 'S':
      return std::min<milliseconds>(std::chrono::seconds{value}, longest_timeout);
    case 'm':
      return milliseconds{value};
    case 'u':
      return milliseconds{value / 1'000};
    case 'n':
      return milliseconds{value / 1'000'000};
    default:
      return std::nullopt;
  }
}

std::string escape_message(std::string_view message) {
  std::string out;
  out.reserve(message.size());
  for (const auto byte : message)
    if (is_plain(byte) && byte != '%')
      out += byte;
    else
      append_escaped(out, byte);
  return out;
}

std::string as_metadata(std::string_view value) {
  std::string out;
  for (std::size_t at = 0; at < value.size();) {
    // An escape is not divided, and is longer than any other step.
    if (out.size() + escaped_size > metadata_value_max) break;
    if (value[at] == '%' && at + escaped_size <= value.size()) {
      out += value.substr(at, escaped_size);
      at += escaped_size;
      continue;
    }
    if (is_plain(value[at]))
      out += value[at];
    else
      append_escaped(out, value[at]);
    ++at;
  }
  return out;
}

message_head read_message_head(std::string_view from) noexcept {
  message_head out;
  out.flag = static_cast<std::uint8_t>(from[0]);
  for (std::size_t at = 1; at < message_head::size; ++at)
    out.bytes = (out.bytes << 8U) | static_cast<std::uint8_t>(from[at]);
  return out;
}

std::string with_head(std::string_view message, bool packed) {
  std::string out;
  out.reserve(message_head::size + message.size());
  out += packed ? '\1' : '\0';
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(message.size() >> static_cast<unsigned>(shift));
  out += message;
  return out;
}

}  // namespace argosy::rpc
