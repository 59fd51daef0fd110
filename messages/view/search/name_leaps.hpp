// SPDX-License-Identifier: Apache-2.0
// This file defines how the different names in the keys of a table are found, by leaping from one
// to the next over all other keys that have it.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// How much is done to find the prefixes of keys under which jobs of several names stand.
struct prefix_bounds {
  std::size_t prefixes = 64;   ///< More than this are not worth joining.
  std::size_t steps = 10'000;  ///< So many keys are looked at to find them.
};

/// Calls `visit` with each name that stands behind `before` in keys of the table, up to a NUL, if
/// it begins with `begin`. Returns false when there are more than `most`.
template <class Visit>
result<bool> each_name(store::read_txn& txn, store::table in, const std::string& before,
                       const std::string& begin, std::size_t most, Visit visit) {
  auto cursor = txn.open_cursor(in);
  if (!cursor) return fail(cursor.error());
  const auto all = before + begin;
  auto from = all;
  for (std::size_t steps = 0;; ++steps) {
    const auto at = (*cursor)->seek(from);
    if (!at) return fail(at.error());
    if (!*at || !(*at)->key.starts_with(all)) return true;
    if (steps == most) return false;
    const auto rest = (*at)->key.substr(before.size());
    const std::string name{rest.substr(0, rest.find('\0'))};
    if (auto visited = visit(name); !visited) return fail(visited.error());
    from = before + name + '\x01';
  }
}

}  // namespace argosy::view
