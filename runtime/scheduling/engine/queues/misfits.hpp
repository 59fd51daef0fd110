// SPDX-License-Identifier: Apache-2.0
// Which jobs fitted nowhere in this round, so that others like them need not be tried.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace argosy::scheduling::engine {

class misfits {
 public:
  explicit misfits(std::size_t shapes) : known_(shapes, of::nobody) {}

  /// A single job of the shape fitted nowhere, whatever its queue is.
  void note(std::uint32_t shape) { known_[shape] = of::everybody; }
  /// A single job of the shape fitted nowhere, but one of another queue may be owed what this one
  /// was not.
  void note_for(std::uint32_t queue, std::uint32_t shape);
  [[nodiscard]] bool has(std::uint32_t queue, std::uint32_t shape) const {
    return known_[shape] != of::nobody && (known_[shape] == of::everybody || is_of(queue, shape));
  }

 private:
  enum class of : std::uint8_t { nobody, some, everybody };

  [[nodiscard]] bool is_of(std::uint32_t queue, std::uint32_t shape) const;

  std::vector<of> known_;  ///< For jobs of which queues, by shape.
  absl::flat_hash_set<std::uint64_t> of_queues_;
};

}  // namespace argosy::scheduling::engine
