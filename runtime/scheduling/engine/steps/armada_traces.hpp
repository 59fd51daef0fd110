// SPDX-License-Identifier: Apache-2.0
// Under `current` alone a job of urgency overdraws its node, and its victims are found afterwards:
// jobs of oversubscribed nodes are evicted, and a second pass lets those return for whom there is
// room, as Armada does. This keeps what that needs to know of the pass before.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/gang.hpp"
#include "runtime/scheduling/engine/steps/decisions.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class armada_traces {
 public:
  explicit armada_traces(const world& w);

  /// The job takes the room of others on the node.
  void overdraw(std::uint32_t node, std::uint32_t job) { last_urgent_[node] = job; }
  /// The last job that did; `none` if there was none.
  [[nodiscard]] std::uint32_t last_urgent(std::uint32_t node) const { return last_urgent_[node]; }
  /// The jobs on nodes that are oversubscribed at the jobs' priority.
  [[nodiscard]] std::vector<found_job> oversubscribed(const books& sums,
                                                      const decisions& made) const;

  /// From now on returns are those of the second pass.
  void begin_second_pass() { second_ = true; }
  void note_return(const offer& o);
  /// Whether Armada is known to give out more of the node than there is.
  [[nodiscard]] bool may_overcommit(std::uint32_t node, const books& sums) const;

 private:
  const world& world_;
  bool second_ = false;
  std::vector<std::uint32_t> last_urgent_;
  /// For each node, whether a job returned in the second pass after one of a lower priority, which
  /// its row does not see, and the lowest priority of one that returned.
  std::vector<std::uint8_t> reshuffled_;
  std::vector<std::int32_t> lowest_return_;
};

/// Whether Armada's round would fail, which it does when jobs of a queue that request nothing are
/// lost.
[[nodiscard]] bool books_contradict(const plan& made, const tables& t);

}  // namespace argosy::scheduling::engine
