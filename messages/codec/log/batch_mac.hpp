// SPDX-License-Identifier: Apache-2.0
// The keyed MAC by which a control plane knows its own batches. It is the last field of an encoded
// batch and covers all bytes before it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::codec {

/// The key of a log. All control planes that may lead on it have the same one.
class log_key {
 public:
  static constexpr std::size_t size = 32;

  /// Takes exactly `size` bytes, or fails with ec::corrupt. `place` names for people where the key
  /// is kept.
  [[nodiscard]] static result<log_key> from_bytes(std::string_view bytes, std::string place);

  /// A number that differs from key to key, is never 0, and says nothing about the key.
  [[nodiscard]] std::uint64_t print() const noexcept { return print_; }
  [[nodiscard]] const std::string& place() const noexcept { return place_; }

  /// Appends the MAC to an encoded batch that has none.
  void sign(std::string& batch) const;
  /// Whether the bytes end with the MAC of this key over all that stands before it.
  [[nodiscard]] bool signed_by_this(std::string_view batch) const;

 private:
  static constexpr std::size_t mac_size = 16;
  using mac = std::array<unsigned char, mac_size>;

  log_key() = default;
  [[nodiscard]] mac mac_of(std::string_view bytes) const;

  std::array<unsigned char, size> bytes_{};
  std::uint64_t print_ = 0;
  std::string place_;
};

}  // namespace argosy::codec
