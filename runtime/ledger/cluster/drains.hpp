// SPDX-License-Identifier: Apache-2.0
// The drains of one cluster that go on: of the whole of it, or of single nodes. Pure.
#pragma once

#include <map>
#include <string>

#include "runtime/ledger/change.hpp"

namespace argosy::ledger {

/// What an operator asks for who wants nothing to run on a cluster or a node.
struct drain_request {
  ulid id;                ///< The id of the operation if this begins one.
  model::node_name node;  ///< Empty: the whole cluster.
  std::string by;
  std::string reason;
  /// After this time the runs that are left are preempted, of any priority class; 0: never.
  std::int64_t deadline_after_ns = 0;
  bool preempts = true;  ///< The runs whose priority class allows it are preempted at once.
};
struct drain_reply {
  model::operation drain;
  bool joined = false;  ///< It had begun before.
};

/// How a drain has asked the QUEUE to end a run.
enum class asked : std::uint8_t { never, if_preemptible, by_any_means };

/// So often at most the log is told how far a drain is, besides its begin and end.
inline constexpr std::int64_t drain_progress_ns = 2'000'000'000;

class drains {
 public:
  /// Restores what the stored view has.
  void restore(const model::operation& known) { of_[known.node] = {known, known.begun_ns}; }

  /// Changes the state by one event about this cluster, and notes what the store has to write.
  void apply(const model::operation& now, std::int64_t time_ns, change_list& changes);
  /// Forgets all drains.
  void clear() { of_.clear(); }

  /// The drain of the node, or of the whole cluster for an empty name; null if none goes on.
  [[nodiscard]] const model::operation* find(const model::node_name& node) const;
  /// The drain that goes on for the node: its own, or that of the whole cluster.
  [[nodiscard]] const model::operation* holds_for(const model::node_name& node) const;
  [[nodiscard]] bool empty() const noexcept { return of_.empty(); }

  struct entry {
    model::operation drain;
    std::int64_t told_ns = 0;  ///< Unix time of the last event about it.
  };
  /// The drains by node; that of the whole cluster has the empty name.
  [[nodiscard]] const std::map<model::node_name, entry>& all() const noexcept { return of_; }

 private:
  std::map<model::node_name, entry> of_;
};

/// The drain when so many runs are left. Runs that have come since it began are added to its total.
[[nodiscard]] model::operation with_left(model::operation drain, std::size_t left);

}  // namespace argosy::ledger
