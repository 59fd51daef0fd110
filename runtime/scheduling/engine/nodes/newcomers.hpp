// SPDX-License-Identifier: Apache-2.0
// The jobs that a round has bound, by node. Those of trials that were undone stay in the lists, so
// that a reader has to ask whether a job is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling::engine {

class newcomers {
 public:
  /// Begins to take notes, of so many nodes.
  void open(std::size_t nodes) { newest_.assign(nodes, none); }
  [[nodiscard]] bool is_open() const { return !newest_.empty(); }

  void note(std::uint32_t node, std::uint32_t job) {
    entries_.push_back({job, newest_[node]});
    newest_[node] = static_cast<std::uint32_t>(entries_.size() - 1);
  }
  /// Calls visit(job) for each job that was noted on the node, the newest first.
  template <class Visit>
  void visit(std::uint32_t node, Visit&& visit) const {
    if (newest_.empty()) return;
    for (auto at = newest_[node]; at != none; at = entries_[at].older) visit(entries_[at].job);
  }
  /// Calls visit(job) for each job that was noted after the first `seen` ones, and returns how many
  /// were noted in all.
  template <class Visit>
  std::size_t visit_from(std::size_t seen, Visit&& visit) const {
    for (; seen < entries_.size(); ++seen) visit(entries_[seen].job);
    return seen;
  }

 private:
  struct entry {
    std::uint32_t job;
    std::uint32_t older;
  };
  std::vector<std::uint32_t> newest_;  ///< For each node, the place of its last entry.
  std::vector<entry> entries_;
};

}  // namespace argosy::scheduling::engine
