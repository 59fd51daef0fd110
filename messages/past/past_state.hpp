// SPDX-License-Identifier: Apache-2.0
// This file declares the state of queues and clusters at one position of the past, which events
// make, with what rounds had handed on until then.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "messages/rounds/delta_fold.hpp"
#include "messages/view/recovery/recovered_state.hpp"
#include "runtime/scheduling/between/carry_over.hpp"
#include "runtime/scheduling/between/closed_nodes.hpp"

namespace argosy::past {

class past_state {
 public:
  /// Goes on from the state of a store, or from an empty one. `rules` outlives the object.
  past_state(view::recovered_state begin, const view::state_rules& rules);

  /// Takes from an event what no round looks at, as view_part::for_rounds does. Returns false if
  /// nothing of it is needed.
  [[nodiscard]] static bool make_lean(model::event& event);
  /// Takes an event that is lean.
  void apply(const model::event& event);
  /// Takes entries that the record of a round handed on.
  void hand_on(const std::vector<model::carried_entry>& entries);

  /// Returns all that rounds have handed on, as the next round finds it.
  [[nodiscard]] scheduling::carry_over carried() const;
  /// Folds everything into an empty snapshot, and settles it. Returns what was left out.
  std::vector<error> fold_into(rounds::delta_fold& fold);
  /// The text of the settings with this version; empty if it is not known.
  [[nodiscard]] std::string settings_text(std::uint64_t version) const;

  [[nodiscard]] view::recovered_state& state() noexcept { return state_; }

 private:
  using entry_key =
      std::tuple<model::carried_entry::kind, std::string, std::string, ulid, std::string>;

  void note_departures(const model::event& event);
  void fold_queues(rounds::delta_fold& fold, std::vector<error>& errors);
  void fold_nodes(rounds::delta_fold& fold, std::vector<error>& errors) const;
  void fold_node(const model::cluster_name& cluster, const model::pool_name& pool,
                 const model::node_info& info, const scheduling::closed_nodes& closed,
                 rounds::delta_fold& fold, std::vector<error>& errors) const;

  view::recovered_state state_;
  const view::state_rules& rules_;
  std::map<entry_key, model::carried_entry> carried_;
  /// Nodes that left while they may have had runs, by id, with their cluster and pool: rounds see
  /// them until their last run has ended.
  struct departed_node {
    model::cluster_name cluster;
    model::pool_name pool;
    model::node_info info;
  };
  std::map<std::string, departed_node> departed_;
};

}  // namespace argosy::past
