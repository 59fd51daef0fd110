// SPDX-License-Identifier: Apache-2.0
// Folds what QUEUEs and NODEs report as changed into the scheduling snapshot. It knows no actor.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "messages/native/cluster.hpp"
#include "messages/native/queue.hpp"
#include "messages/rounds/job_pools.hpp"
#include "messages/rounds/pool_nodes.hpp"
#include "runtime/scheduling/between/namespace_trials.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::rounds {

/// The namespace of a job with the parts of it to which the job belongs (model::entry_of()), and
/// the clusters in which the job may try them.
struct admission {
  std::string entry;
  std::vector<std::string> tries_in;

  friend auto operator<=>(const admission&, const admission&) = default;
};

/// Owns the snapshot between rounds. While a round reads it, nothing may be folded.
class delta_fold {
 public:
  using config_ptr = std::shared_ptr<const scheduling::config>;

  /// `by_pool` has the pools with another configuration than `common`.
  explicit delta_fold(config_ptr common, std::map<std::string, config_ptr> by_pool = {});

  /// Other configurations hold from now on, for the same resources and classes.
  void configure(config_ptr common, std::map<std::string, config_ptr> by_pool) {
    pools_.configure(std::move(common), std::move(by_pool));
  }

  /// Each error names a job or node, which then keeps its former state; the rest of the delta is
  /// folded.
  std::vector<error> fold(const native::queue_delta& delta);
  /// A node that is `held` takes no new work, whatever it says of itself.
  std::vector<error> fold(const native::node_delta& delta, bool held = false);
  /// Rounds start and preempt none of the queue's jobs until its next delta, and what `part` asked
  /// of it counts as done. Returns the nodes on which the part preempts.
  std::set<std::string> set_aside(const model::queue_name& queue,
                                  const ledger::place_request& part);
  /// The node takes no new jobs until its next delta.
  void set_aside(const std::string& node) { scheduling::close_node(*snapshot_, node); }
  /// Finishes what was folded. When much of the snapshot may be of no use any more, it is made
  /// compact: then the result has for each old number of a shape the new one, or `none`. Otherwise
  /// the result is empty.
  std::vector<scheduling::shape_id> settle();

  /// Finishes what was folded, and lets jobs try what let_try() says. Each entry is as the result
  /// of settle().
  std::vector<std::vector<scheduling::shape_id>> settle_for_round();

  /// Lets some jobs try the namespaces that clusters have closed. Returns whether that changed the
  /// snapshot, which has to be settled before and after.
  bool let_try();
  /// A round of the pool was decided. Returns whether another one could let other jobs try, though
  /// nothing changes.
  bool decided(const model::pool_name& pool);

  [[nodiscard]] std::shared_ptr<const scheduling::snapshot> share() const { return snapshot_; }
  [[nodiscard]] const scheduling::snapshot& snapshot() const { return *snapshot_; }
  /// The pools that have nodes, in the order of names.
  [[nodiscard]] std::vector<model::pool_name> pools() const { return nodes_.pools(); }

  struct job_key {
    model::queue_name queue;
    scheduling::shape_id shape = 0;
    const model::job_header* header = nullptr;  ///< As it was submitted; null if it has a run.
  };
  /// Finds out where a live job is; nothing for any other job.
  [[nodiscard]] std::optional<job_key> find(const ulid& job) const;
  /// The pools in whose rounds the waiting jobs take part.
  [[nodiscard]] job_pools& placing() noexcept { return pools_; }
  [[nodiscard]] const job_pools& placing() const noexcept { return pools_; }
  /// A snapshot of the jobs alone, for scheduling::pool_capacity; those that cannot be folded are
  /// not in it.
  [[nodiscard]] scheduling::snapshot trial_of(
      const std::vector<std::shared_ptr<const model::job_header>>& jobs) const;
  /// Whether it is known already that some pool could take such a job by itself.
  [[nodiscard]] bool is_known_to_fit(const model::job_header& job) const;

 private:
  result<scheduling::shape_id> intern(const std::shared_ptr<const model::job_shape>& shape,
                                      const admission& to);
  /// Gives waiting jobs the shapes that say what they may enter and try now.
  void admit(const std::set<ulid>& jobs);
  [[nodiscard]] std::string entry_of(const model::job_header& header) const;
  /// Takes note of owners whose jobs a cluster has closed. Those that wait learn of it as well.
  void see_owners(const scheduling::taint& spot);
  result<void> upsert(const model::queue_name& queue, const ledger::job_upsert& job);
  /// A job whose part of a plan counts as done, as it was before that.
  struct assumed_job {
    scheduling::job_row before;
    std::shared_ptr<const model::job_header> header;  ///< Null: it had a run.
  };
  void assume(const model::queue_name& queue, assumed_job job, const scheduling::run_row& run);
  void take_back(const model::queue_name& queue);

  std::shared_ptr<scheduling::snapshot> snapshot_;
  /// The numbers of each shape by what its jobs may enter. The map holds the shapes, so that no
  /// other shape can get one of their addresses.
  absl::flat_hash_map<std::shared_ptr<const model::job_shape>,
                      std::map<admission, scheduling::shape_id>>
      shapes_;
  scheduling::namespace_trials trials_;
  job_pools pools_;
  /// The parts of owners that clusters have closed: other owners need no shapes of their own.
  std::set<std::string> parts_of_owners_;
  /// The jobs that wait, since such a part may be closed after they came.
  absl::flat_hash_map<ulid, std::shared_ptr<const model::job_header>> waiting_;
  /// The waiting jobs of such a part whose shapes do not say so yet.
  std::set<ulid> unaware_;
  std::map<model::queue_name, std::vector<assumed_job>> assumed_;  ///< By queue that is set aside.
  /// How many entries were left when the snapshot was made compact last.
  std::size_t entries_left_ = 0;
  pool_nodes nodes_;
};

}  // namespace argosy::rounds
