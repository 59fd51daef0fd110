// SPDX-License-Identifier: Apache-2.0
// Builds keys that sort as their parts do. Numbers are eight bytes, big-endian; text ends with a
// zero byte unless it is the last part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace argosy::store {

/// The longest key that every implementation takes, in bytes.
inline constexpr std::size_t max_key_bytes = 511;

/// Builds a key from left to right: `key_builder{}.text(job_set).number(seq).take()`.
class key_builder {
 public:
  /// Appends a number as eight bytes, big-endian.
  key_builder& number(std::uint64_t value);
  /// Appends a text that is not the last part. It must have no zero byte, or keys would not sort by
  /// parts.
  key_builder& text(std::string_view value);
  /// Appends bytes as they are, for the last part or one of fixed length.
  key_builder& bytes(std::string_view value);

  [[nodiscard]] std::string_view view() const noexcept { return data_; }
  [[nodiscard]] std::string take() { return std::move(data_); }

 private:
  std::string data_;
};

/// A key of one number.
[[nodiscard]] inline std::string number_key(std::uint64_t value) {
  return key_builder{}.number(value).take();
}

/// Takes a key apart in the order in which it was built. Functions return nothing when the rest of
/// the key does not fit.
class key_reader {
 public:
  explicit key_reader(std::string_view data) : rest_(data) {}
  [[nodiscard]] std::optional<std::uint64_t> number();
  [[nodiscard]] std::optional<std::string_view> text();
  [[nodiscard]] std::optional<std::string_view> bytes(std::size_t count);
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace argosy::store
