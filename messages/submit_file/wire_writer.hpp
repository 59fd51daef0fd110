// SPDX-License-Identifier: Apache-2.0
// Writes protobuf's wire format.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace argosy::submit_file {

inline void put_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

inline void put_tag(int field, unsigned wire_type, std::string& out) {
  put_varint(static_cast<std::uint64_t>(field) << 3 | wire_type, out);
}

/// Writes a field of whole numbers, booleans or enumerators. Negative ones take 64 bits, as in
/// protobuf.
inline void put_number(int field, std::uint64_t value, std::string& out) {
  put_tag(field, 0, out);
  put_varint(value, out);
}

inline void put_double(int field, double value, std::string& out) {
  put_tag(field, 1, out);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(bits >> shift));
}

/// Writes a field of text, bytes, or an encoded message.
inline void put_bytes(int field, std::string_view value, std::string& out) {
  put_tag(field, 2, out);
  put_varint(value.size(), out);
  out.append(value);
}

}  // namespace argosy::submit_file
