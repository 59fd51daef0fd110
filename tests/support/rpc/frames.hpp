// SPDX-License-Identifier: Apache-2.0
// Frames of HTTP/2 as bytes, for tests that send what no library would.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::testing::http2 {

inline constexpr const char* preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
inline constexpr std::size_t head_bytes = 9;

enum type : char {
  data = 0,
  headers = 1,
  priority = 2,
  rst_stream = 3,
  settings = 4,
  ping = 6,
  goaway = 7,
  window_update = 8,
  continuation = 9,
};
inline constexpr char end_stream = 1;
inline constexpr char ack = 1;
inline constexpr char end_headers = 4;

inline std::string number(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> static_cast<unsigned>(shift)));
  return out;
}

inline std::string frame(char type, char flags, std::uint32_t stream, const std::string& payload) {
  return number(static_cast<std::uint32_t>(payload.size())).substr(1) + type + flags +
         number(stream) + payload;
}

/// A header whose name is this one of HPACK's static table, and whose value is short.
inline std::string header(const std::string& index, const std::string& value) {
  return index + static_cast<char>(value.size()) + value;
}

/// A header with a name of its own; both are short.
inline std::string named(const std::string& name, const std::string& value) {
  return std::string(1, '\0') + static_cast<char>(name.size()) + name +
         static_cast<char>(value.size()) + value;
}

/// The headers of a call, up to those that a test adds.
inline std::string call_block(const std::string& path) {
  const std::string method_and_scheme = "\x83\x86";
  return method_and_scheme + header("\x01", "localhost") + header("\x04", path) +
         header("\x0f\x10", "application/grpc") + named("te", "trailers");
}

/// The preface and settings that change nothing.
inline std::string greeting() {
  return preface + frame(settings, 0, 0, {}) + frame(settings, ack, 0, {});
}

/// The message of a call, with its five bytes.
inline std::string message(const std::string& bytes) {
  return std::string(1, '\0') + number(static_cast<std::uint32_t>(bytes.size())) + bytes;
}

struct seen {
  char type = 0;
  char flags = 0;
  std::uint32_t stream = 0;
  std::string payload{};
};

/// The frames of these bytes, as far as they are whole.
inline std::vector<seen> parse(std::string_view bytes) {
  const auto at = [&](std::size_t index) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[index]));
  };
  std::vector<seen> out;
  while (bytes.size() >= head_bytes) {
    const std::size_t size = (at(0) << 16U) | (at(1) << 8U) | at(2);
    if (bytes.size() < head_bytes + size) break;
    out.push_back({bytes[3], bytes[4], (at(5) << 24U) | (at(6) << 16U) | (at(7) << 8U) | at(8),
                   std::string{bytes.substr(head_bytes, size)}});
    bytes.remove_prefix(head_bytes + size);
  }
  return out;
}

}  // namespace argosy::testing::http2
