// SPDX-License-Identifier: Apache-2.0
// The jobs that a round has bound, by node. Those of trials that were undone stay in the lists, so
// that a reader has to ask whether a job is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/zeros.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling::engine {

class newcomers {
 public:
  /// Begins to take notes, of so many nodes.
  void open(std::size_t nodes) {
    newest_ = zeros<std::uint32_t>(nodes);
    is_open_ = true;
  }
  [[nodiscard]] bool is_open() const { return is_open_; }

  void note(std::uint32_t node, std::uint32_t job) {
    entries_.push_back({job, newest_[node]});
    newest_[node] = static_cast<std::uint32_t>(entries_.size());
  }
  /// Calls visit(job) for each job that was noted on the node, the newest first.
  template <class Visit>
  void visit(std::uint32_t node, Visit&& visit) const {
    if (!is_open_) return;
    for (auto at = newest_[node]; at != 0; at = entries_[at - 1].older) visit(entries_[at - 1].job);
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
    std::uint32_t older;  ///< As in newest_.
  };
  /// For each node, the place of its last entry + 1; 0: it has none.
  zeros<std::uint32_t> newest_{0};
  bool is_open_ = false;
  std::vector<entry> entries_;
};

}  // namespace argosy::scheduling::engine
