// SPDX-License-Identifier: Apache-2.0
// This file keeps lists of ids as ranges. Ids that were made within one millisecond follow one
// another, so that those of a thousand jobs take as little room as that of one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/ulid.hpp"

namespace argosy {

struct ulid_range {
  ulid first;
  std::uint32_t count = 0;

  /// The id that is `index` behind the first.
  [[nodiscard]] ulid at(std::uint32_t index) const noexcept;

  friend bool operator==(const ulid_range&, const ulid_range&) = default;
};

/// The ids in the same order, in as few ranges as possible.
[[nodiscard]] std::vector<ulid_range> ranges_of(std::span<const ulid> ids);
[[nodiscard]] std::vector<ulid> ids_of(std::span<const ulid_range> ranges);

}  // namespace argosy
