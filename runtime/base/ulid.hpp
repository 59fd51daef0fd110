// SPDX-License-Identifier: Apache-2.0
// ULIDs: 48 bits of Unix milliseconds, 80 random bits, written as 26 lower-case Crockford
// characters, so that ids sort by time and are valid DNS labels.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/random.hpp"
#include "runtime/base/result.hpp"

namespace argosy {

struct ulid {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const ulid&, const ulid&) = default;

  /// The milliseconds since the Unix epoch that stand in the id.
  [[nodiscard]] std::uint64_t unix_millis() const noexcept;
  [[nodiscard]] bool is_nil() const noexcept { return bytes == decltype(bytes){}; }
};

/// 26 characters of [0-9a-hjkmnp-tv-z].
[[nodiscard]] std::string to_string(const ulid& id);

/// Accepts upper and lower case. ec::invalid_argument for anything else than a ULID.
[[nodiscard]] result<ulid> parse_ulid(std::string_view text);

/// Makes ids that increase strictly, also within one millisecond. One owner; not thread-safe.
class ulid_factory {
 public:
  explicit ulid_factory(random_source& random) : random_(random) {}

  [[nodiscard]] ulid make(std::uint64_t unix_millis);

 private:
  random_source& random_;
  ulid last_{};
};

/// The id that follows from 128 hash bits and a time: the same input gives the same id.
[[nodiscard]] ulid ulid_from_hash(std::uint64_t unix_millis, std::uint64_t high, std::uint64_t low);

}  // namespace argosy

template <>
struct std::hash<argosy::ulid> {
  std::size_t operator()(const argosy::ulid& id) const noexcept;
};
