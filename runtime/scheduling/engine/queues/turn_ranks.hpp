// SPDX-License-Identifier: Apache-2.0
// When a queue has its turn: the rank of the gang that it offers, and the earliest rank that any
// new job can have.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/turns.hpp"

namespace argosy::scheduling::engine {

/// What a rank is of.
struct offered_gang {
  const std::int64_t* total = nullptr;  ///< What its jobs need together.
  std::int32_t priority = 0;
  bool returning = false;  ///< All of them were evicted.
};

class turn_ranks {
 public:
  turn_ranks(const tables& t, const config& conf, const books& sums)
      : t_(t), conf_(conf), books_(sums) {}

  /// The rank of a gang of the queue, which uses that much without it.
  [[nodiscard]] turn_rank of(std::uint32_t queue, const std::int64_t* used,
                             const offered_gang& offered);
  /// No new job of the pool has an earlier turn than this; nothing if none waits.
  [[nodiscard]] std::optional<turn_rank> first_new(std::uint32_t pool);

 private:
  [[nodiscard]] std::optional<turn_rank> first_new_of(std::uint32_t queue, std::uint32_t pool);

  const tables& t_;
  const config& conf_;
  const books& books_;
  std::vector<std::int64_t> penalised_;  ///< What a queue uses plus its penalty.
};

}  // namespace argosy::scheduling::engine
