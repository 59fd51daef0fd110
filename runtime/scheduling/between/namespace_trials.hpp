// SPDX-License-Identifier: Apache-2.0
// Who tries a namespace that a cluster has closed. The cluster says by a taint of its nodes that so
// many runs may try; as many waiting jobs, and gangs as a whole, are let in there, and rounds place
// them like others. Nobody else is leased in vain. Who is of several parts that are tried there, as
// a job with services is of its namespace too, tries all of them at once, or waits. Who was let in
// and found no place gives way to a job of another kind. Pure; whoever folds changes into the
// snapshot owns it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/model/served_namespaces.hpp"
#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/terms.hpp"

namespace argosy::scheduling {

class namespace_trials {
 public:
  /// What a node says now; without taints if it is gone.
  void see(const std::string& node, const std::string& pool, const std::vector<taint>& taints);
  /// Something has changed since the last round, so that who found no place may find one.
  void note_change();

  /// Withdraws those whose time is over, and lets others in. Both return the jobs for which
  /// clusters_of() is another now; that has to be in the snapshot before let_in() reads it. The
  /// snapshot is settled. The cost grows with all queued jobs while somebody is wanted.
  [[nodiscard]] std::set<ulid> withdraw(const snapshot& from);
  [[nodiscard]] std::set<ulid> let_in(const snapshot& from);
  /// The clusters in which the job may try its namespace, in the order of their names.
  [[nodiscard]] const std::vector<std::string>& clusters_of(const ulid& job) const;

  /// A round of the pool was decided.
  void decided(const std::string& pool);
  /// Whether another round of the pool could place a job of another kind, though nothing changes.
  [[nodiscard]] bool wants_round(const std::string& pool) const;

 private:
  /// Jobs that are equal to rounds. Gangs come last, since they cost more.
  struct kind {
    bool gang = false;
    std::string queue;
    shape_id shape = 0;

    friend auto operator<=>(const kind&, const kind&) = default;
  };
  /// A job, or the members of a gang that are in the namespace.
  using unit = std::vector<ulid>;
  using unit_map = std::map<kind, std::vector<unit>>;
  struct attempt {
    std::vector<unit> units;
    bool is_under_way = false;  ///< One of them has a run in the cluster.
    bool was_looked_at = false;
    std::size_t in_vain = 0;  ///< So many rounds placed none of them since the last change.
    std::size_t kinds = 0;    ///< How many kinds of jobs wait.
  };
  struct sight {
    std::string pool;
    std::size_t nodes = 0;
  };

  void index_units();
  /// All trials of the cluster to which the unit belongs, with its members in each.
  using parts_tried = std::vector<std::pair<model::namespace_trial, unit>>;
  [[nodiscard]] parts_tried parts_of(const tables& t, const std::string& cluster,
                                     const unit& jobs) const;
  [[nodiscard]] bool is_let_in(const parts_tried& parts) const;
  /// Those who wait and are not let in to all that they would try.
  [[nodiscard]] std::set<ulid> let_in_by_half(const tables& t) const;
  void count(const std::string& node_taint, const std::string& pool, bool comes);
  /// The first of each kind that wait in these namespaces or parts of some, at most so many.
  [[nodiscard]] static std::map<std::string, unit_map> waiting(
      const snapshot& from, const std::map<std::string, std::size_t>& of_each_max);
  void let_in(const tables& t, const model::namespace_trial& trial, const unit_map& found,
              std::set<ulid>& out);
  /// Returns whether there was room for the unit in all these trials.
  bool let_in(const parts_tried& parts, const kind& of);

  std::map<std::string, std::pair<std::string, std::string>> nodes_;  ///< Pool and taint of some.
  std::map<model::namespace_trial, sight> seen_;
  std::map<model::namespace_trial, attempt> attempts_;
  /// What clusters_of() says of those who may try.
  absl::flat_hash_map<ulid, std::vector<std::string>> clusters_;
  /// Cluster and namespace, and the kind that was let in last, which others follow.
  std::map<std::pair<std::string, std::string>, kind> last_;
};

}  // namespace argosy::scheduling
