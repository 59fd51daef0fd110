// SPDX-License-Identifier: Apache-2.0
#include "runtime/store/key.hpp"

#include "runtime/base/check.hpp"

namespace argosy::store {

key_builder& key_builder::number(std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8)
    data_.push_back(static_cast<char>((value >> shift) & 0xff));
  return *this;
}

key_builder& key_builder::text(std::string_view value) {
  ARGOSY_CHECK(value.find('\0') == std::string_view::npos);
  data_.append(value).push_back('\0');
  return *this;
}

key_builder& key_builder::bytes(std::string_view value) {
  data_.append(value);
  return *this;
}

std::optional<std::uint64_t> key_reader::number() {
  const auto raw = bytes(8);
  if (!raw) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : *raw) value = (value << 8) | static_cast<unsigned char>(c);
  return value;
}

std::optional<std::string_view> key_reader::text() {
  const auto end = rest_.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const auto out = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return out;
}

std::optional<std::string_view> key_reader::bytes(std::size_t count) {
  if (rest_.size() < count) return std::nullopt;
  const auto out = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return out;
}

}  // namespace argosy::store
