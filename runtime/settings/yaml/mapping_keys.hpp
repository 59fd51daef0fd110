// SPDX-License-Identifier: Apache-2.0
// While a mapping is read, mapping_keys finds keys that stand in it twice. Small mappings are
// walked; those with many keys get a set, so that a file of 100,000 keys does not take their
// square.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/settings/yaml/document.hpp"

namespace argosy::yaml {

class mapping_keys {
 public:
  /// Notes the next key of a mapping, which is not in its tree yet. `index` is the node of the
  /// mapping, and `depth` says how many nodes are open with it. Returns the line where the mapping
  /// has the key already, or nothing if it is new.
  [[nodiscard]] std::optional<std::uint32_t> add(const node& mapping, std::uint32_t index,
                                                 std::size_t depth, std::string_view key);
  /// Another tree begins.
  void clear() { large_.clear(); }

 private:
  using key_set = absl::flat_hash_set<std::string>;

  key_set& keys_of(const node& mapping, std::uint32_t index, std::size_t depth);

  /// The keys so far of a mapping that has many.
  struct large_mapping {
    std::size_t depth;
    std::uint32_t index;
    key_set keys;
  };
  std::vector<large_mapping> large_;  ///< Those that are open, the outermost first.
};

}  // namespace argosy::yaml
