// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/ulid.hpp"

#include <cstring>

namespace argosy {

namespace {

__extension__ using uint128 = unsigned __int128;

constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

constexpr std::array<std::int8_t, 256> make_decode_table() {
  std::array<std::int8_t, 256> table{};
  for (auto& entry : table) entry = -1;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    const auto c = static_cast<unsigned char>(alphabet[i]);
    table[c] = static_cast<std::int8_t>(i);
    if (c >= 'a') table[c - 'a' + 'A'] = static_cast<std::int8_t>(i);
  }
  return table;
}

constexpr auto decode_table = make_decode_table();

void put_millis(ulid& id, std::uint64_t millis) {
  for (int i = 5; i >= 0; --i) {
    id.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(millis & 0xff);
    millis >>= 8;
  }
}

/// Adds one to the random part; false when it overflowed.
bool increment(ulid& id) {
  for (std::size_t i = 16; i-- > 6;) {
    if (++id.bytes[i] != 0) return true;
  }
  return false;
}

}  // namespace

std::uint64_t ulid::unix_millis() const noexcept {
  std::uint64_t millis = 0;
  for (std::size_t i = 0; i < 6; ++i) millis = (millis << 8) | bytes[i];
  return millis;
}

std::string to_string(const ulid& id) {
  // 128 bits are read as 26 groups of five, the first of which holds only three.
  std::string text(26, '0');
  uint128 value = 0;
  for (auto byte : id.bytes) value = (value << 8) | byte;
  for (std::size_t i = 26; i-- > 0;) {
    text[i] = alphabet[static_cast<std::size_t>(value & 31)];
    value >>= 5;
  }
  return text;
}

result<ulid> parse_ulid(std::string_view text) {
  if (text.size() != 26)
    return fail(ec::invalid_argument,
                "an id has 26 characters, this has " + std::to_string(text.size()));
  uint128 value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = decode_table[static_cast<unsigned char>(text[i])];
    if (digit < 0 || (i == 0 && digit > 7))
      return fail(ec::invalid_argument, "not an id: character " + std::to_string(i + 1) +
                                            " is outside [0-9a-hjkmnp-tv-z]");
    value = (value << 5) | static_cast<unsigned>(digit);
  }
  ulid id;
  for (std::size_t i = 16; i-- > 0;) {
    id.bytes[i] = static_cast<std::uint8_t>(value & 0xff);
    value >>= 8;
  }
  return id;
}

ulid ulid_factory::make(std::uint64_t unix_millis) {
  if (unix_millis <= last_.unix_millis() && increment(last_)) return last_;
  put_millis(last_, unix_millis);
  const auto high = random_.next();
  const auto low = random_.next();
  std::memcpy(last_.bytes.data() + 6, &high, 2);
  std::memcpy(last_.bytes.data() + 8, &low, 8);
  return last_;
}

ulid ulid_from_hash(std::uint64_t unix_millis, std::uint64_t high, std::uint64_t low) {
  ulid id;
  put_millis(id, unix_millis);
  for (std::size_t i = 0; i < 2; ++i) id.bytes[6 + i] = static_cast<std::uint8_t>(high >> (8 * i));
  for (std::size_t i = 0; i < 8; ++i) id.bytes[8 + i] = static_cast<std::uint8_t>(low >> (8 * i));
  return id;
}

}  // namespace argosy

std::size_t std::hash<argosy::ulid>::operator()(const argosy::ulid& id) const noexcept {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::memcpy(&high, id.bytes.data(), 8);
  std::memcpy(&low, id.bytes.data() + 8, 8);
  // Ids of one request differ in their last bytes alone; every bit of the hash must feel them.
  std::uint64_t mixed = (high * 0x9e3779b97f4a7c15ULL) ^ low;
  mixed ^= mixed >> 32;
  mixed *= 0xd6e8feb86659fd93ULL;
  mixed ^= mixed >> 32;
  return static_cast<std::size_t>(mixed);
}
