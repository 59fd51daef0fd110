// SPDX-License-Identifier: Apache-2.0
// A report_window counts the sequences of an agent's reports for a CLUSTER: which have been taken,
// which are on their way to a QUEUE, and up to which all are committed. An agent always sends from
// the head of its outbox, so that the first sequence says where the outbox begins. A cluster_core
// owns it.
#pragma once

#include <absl/container/btree_set.h>

#include <cstdint>
#include <vector>

namespace argosy::ledger {

enum class report_place : std::uint8_t {
  next,          ///< It is the next report, which is taken now.
  taken_before,  ///< It was sent again.
  behind_a_gap,  ///< A report before it is missing. It has to be sent again.
};

class report_window {
 public:
  /// Another agent speaks, or this one to another leader: its outbox may begin with any sequence.
  void reset();

  /// Takes the report with this sequence, unless it was taken before or one before it is missing.
  [[nodiscard]] report_place take(std::uint64_t sequence);
  /// The report, which was taken, is on its way to its QUEUE.
  void forwarded(std::uint64_t sequence) { in_flight_.insert(sequence); }
  void commit(const std::vector<std::uint64_t>& sequences);
  /// These were not committed: they and all behind them are awaited again.
  void lose(const std::vector<std::uint64_t>& sequences);

  /// The highest sequence taken, with no gaps below it.
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }
  /// Every report up to this sequence is committed or goes to no QUEUE.
  [[nodiscard]] std::uint64_t committed() const noexcept;
  /// Whether more is committed than was acknowledged.
  [[nodiscard]] bool has_news() const noexcept { return committed() > acknowledged_; }
  /// Returns committed(), which the agent is told.
  [[nodiscard]] std::uint64_t acknowledge() noexcept { return acknowledged_ = committed(); }

 private:
  std::uint64_t received_ = 0;
  bool base_known_ = false;  ///< It is known where the outbox began.
  absl::btree_set<std::uint64_t> in_flight_;
  std::uint64_t acknowledged_ = 0;
};

}  // namespace argosy::ledger
