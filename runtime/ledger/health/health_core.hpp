// SPDX-License-Identifier: Apache-2.0
// The health_core knows how well nodes and queues do, from the ends of runs in the order of the
// log. It keeps two joint estimates: one of what machines did to runs, which is why nodes are
// quarantined, and one of what users' commands came to, which says nothing against nodes. It is
// pure; the COORDINATOR owns it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/ledger/health/joint_estimate.hpp"
#include "runtime/ledger/run_verdict.hpp"
#include "runtime/model/event.hpp"

namespace argosy::ledger {

struct health_config {
  /// An estimate whose last outcome is as old as this counts as unknown.
  boot_time memory = std::chrono::minutes{10};
  /// A queue's tokens for starts come at (1 - failure probability x this) of their rate, 0..1.
  double queue_slowdown = 0.5;
  /// The number of runs below which the queue's estimate slows nothing.
  std::uint32_t runs_min = 10;
};

/// The end of a run, as the QUEUE wrote it to the log.
struct run_outcome {
  model::queue_name queue;
  model::node_path node;
  run_verdict verdict = run_verdict::in_order;
  std::string why;                 ///< The reason that was given for a lost or refused run.
  model::log_position position{};  ///< The batch in the log that holds the end.
  std::int64_t time_ns = 0;        ///< Unix time of the end.
};

class health_core {
 public:
  explicit health_core(health_config config);

  /// Keeps the outcome until settle().
  void ended(run_outcome outcome);
  /// Takes what has ended in the order of the log. Returns the nodes about which more is known now.
  [[nodiscard]] std::set<model::node_path> settle();

  /// Returns the estimates of a node; they rest on no runs where nothing is known.
  [[nodiscard]] model::health_record node(const model::node_path& id, std::int64_t now_ns) const;
  /// The failure probability of the queue, 0..1; 0 while too few of its runs have ended.
  [[nodiscard]] double queue_failure(const model::queue_name& queue, std::int64_t now_ns) const;
  /// By how much, 0..1, the tokens for starts of queues come more slowly; the others do not.
  [[nodiscard]] std::map<model::queue_name, double> slowed(std::int64_t now_ns) const;

  /// The node is in quarantine now, or not any more if `what` says so. When a quarantine ends, the
  /// estimate of the machine begins anew, so that the node is judged by what it does from then on.
  void set_quarantine(const model::node_path& node, const model::quarantine& what);
  /// An operator has released the node at this Unix time: it is like one of which nothing is known,
  /// and what ended on it until then says nothing, also if it is heard of only later.
  void release(const model::node_path& node, std::int64_t now_ns);
  /// The node has left. All outcomes of its runs have been given before.
  void forget_node(const model::node_path& node);
  void forget_queue(const model::queue_name& queue);

  /// Returns the entries that changed since they were returned last, but no more than `count_max`.
  [[nodiscard]] std::vector<model::carried_entry> take_changes(std::size_t count_max = 10'000);
  /// Takes an entry that take_changes() of an earlier owner returned, if it is one of this core's.
  /// One that is gone comes with the next changes, since its record may still be there.
  void restore(const model::carried_entry& entry);

 private:
  struct node_notes {
    std::string last_failure;
    model::quarantine quarantine;
  };

  void take_waiting();
  [[nodiscard]] bool is_from_before_release(const run_outcome& outcome) const;
  void take(const run_outcome& outcome);
  [[nodiscard]] model::carried_entry entry_of(model::carried_entry::kind what,
                                              const std::string& name) const;

  health_config config_;
  joint_estimate machine_;
  joint_estimate results_;
  std::map<model::node_path, node_notes> notes_;
  std::map<model::node_path, std::int64_t>
      released_;                        ///< Unix times of the last releases of nodes.
  std::set<model::queue_name> queues_;  ///< Those of which something is known.
  std::vector<run_outcome> waiting_;
  std::set<model::node_path> touched_;  ///< What the next settle() returns.
  std::set<model::node_path> changed_nodes_;
  std::set<model::queue_name> changed_queues_;
};

}  // namespace argosy::ledger
