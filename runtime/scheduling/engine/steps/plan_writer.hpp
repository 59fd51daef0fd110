// SPDX-License-Identifier: Apache-2.0
// Writes the plan from what the steps of a round noted.
#pragma once

#include <cstdint>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/queues/contest.hpp"
#include "runtime/scheduling/engine/queues/heads.hpp"
#include "runtime/scheduling/engine/steps/decisions.hpp"
#include "runtime/scheduling/engine/world.hpp"
#include "runtime/scheduling/engine/zeros.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling::engine {

class plan_writer {
 public:
  plan_writer(const world& w, const books& sums);

  /// What became of the jobs that had no turn, or were refused before theirs. Call this when the
  /// contest is over.
  void report_rest(contest& streams, const heads& admission, decisions& noted);
  /// The plan of what was decided. Call this once.
  [[nodiscard]] plan write(decisions& made);

 private:
  void write_queues();
  void write_leases(decisions& made);
  /// Refuses a job that was placed in this round, or whose gang was, and that then lost its place.
  void refuse_displaced(decisions& made, std::uint32_t job);
  void write_preemptions(const decisions& made);
  /// Preempts the members of a guest's gang in other pools, since the gang ends as a whole.
  void write_mates_elsewhere();
  [[nodiscard]] std::uint64_t hash_of_node(std::uint32_t slot);

  const world& world_;
  const tables& t_;
  const books& books_;
  plan plan_;
  /// The hash of the id of each node of the snapshot; 0 if not computed yet.
  zeros<std::uint64_t> node_hashes_;
};

}  // namespace argosy::scheduling::engine
