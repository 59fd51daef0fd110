// SPDX-License-Identifier: Apache-2.0
// A number of bytes, told apart from other numbers.
#pragma once

#include <compare>
#include <cstdint>

namespace argosy::model {

/// Settings write it with a unit: "512KiB", "8MB", "4Gi", "1000".
struct byte_size {
  std::uint64_t bytes = 0;
  friend auto operator<=>(const byte_size&, const byte_size&) = default;
};

}  // namespace argosy::model
