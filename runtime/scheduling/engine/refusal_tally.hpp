// SPDX-License-Identifier: Apache-2.0
// Counts the jobs that a round refuses. Jobs of one queue that ask for the same and are refused for
// the same reason are told together, so that the plan grows with what is asked for and not with the
// number of jobs.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/zeros.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling::engine {

class refusal_tally {
 public:
  explicit refusal_tally(const tables& t) : t_(t), first_(t.queues.size()) {}

  void add(const refusal& refused);
  /// In the order in which the first jobs of each kind were refused; those are the ones named.
  [[nodiscard]] const std::vector<refusal>& all() const { return all_; }

 private:
  /// Queue, shape, terms of the gang, and reason.
  using kind = std::array<std::uint32_t, 4>;

  [[nodiscard]] kind kind_of(const refusal& refused) const;

  const tables& t_;
  std::vector<refusal> all_;
  /// For each of them, the place + 1 of the next one of its queue; 0: there is none.
  std::vector<std::uint32_t> next_;
  zeros<std::uint32_t> first_;  ///< By queue, the place + 1 of its first one; 0: it has none.
  /// The places of those that stand behind the first few of their queue.
  absl::flat_hash_map<kind, std::uint32_t> far_;
};

}  // namespace argosy::scheduling::engine
