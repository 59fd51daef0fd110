// SPDX-License-Identifier: Apache-2.0
// Victims of urgency, named at once: which jobs of lower classes leave which node for a job, so
// that the least harm is done and no job loses its place in vain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/recently_used.hpp"
#include "runtime/scheduling/engine/steps/node_order.hpp"
#include "runtime/scheduling/engine/steps/preemption_budget.hpp"
#include "runtime/scheduling/engine/steps/returning_order.hpp"
#include "runtime/scheduling/engine/steps/trial.hpp"
#include "runtime/scheduling/engine/steps/victim_picker.hpp"
#include "runtime/scheduling/engine/steps/victim_sizes.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class urgency_victims {
 public:
  urgency_victims(world& w, const books& sums, const trial& under_way, node_order& order,
                  const preemption_budget& budget);

  /// Begins once the evicted jobs are lined up.
  void open(const returning_order& evicted) { picker_.open(evicted); }

  /// The node for a job where others give way, with the highest priority of these; the node is
  /// `none` if there is none. Who leaves is then in victims(), the mates of gangs not among them.
  [[nodiscard]] victim_choice choose(const offer& o, std::uint32_t query, std::uint32_t matcher);
  [[nodiscard]] const std::vector<std::uint32_t>& victims() const { return picker_.victims(); }
  /// The job is bound on the node that was chosen for it last.
  void placed(std::uint32_t job) { picker_.placed(job); }

 private:
  /// What each node would cost a query, with a tree of the best ones. It is kept up to date like
  /// the results of the search.
  struct node_costs {
    std::size_t position = 0;
    std::vector<victim_choice> choices;  ///< The choice for each node.
    std::vector<std::uint32_t> tree;     ///< The best node below each vertex.
    std::vector<std::uint32_t> shared;   ///< The nodes that have to be judged again each time.
    /// How many of them a round keeps, which grow with the number of nodes.
    [[nodiscard]] static std::size_t most(std::size_t nodes);
  };

  [[nodiscard]] victim_choice choose_among(const offer& o, std::uint32_t matcher,
                                           const std::vector<std::uint32_t>& nodes);
  [[nodiscard]] bool could_take(const offer& o, std::uint32_t matcher, std::uint32_t node);
  [[nodiscard]] victim_choice judge(const offer& o, std::uint32_t matcher, std::uint32_t node);
  /// What the node costs at least, if that can be told without judging it.
  [[nodiscard]] victim_choice estimate(const offer& o, std::uint32_t matcher, std::uint32_t node);
  void choose_again(node_costs& c, const victim_choice& choice, std::uint32_t node);
  /// The best node; its victims are known then.
  [[nodiscard]] std::uint32_t judge_best(node_costs& c, const offer& o, std::uint32_t matcher);
  void follow(node_costs& c, const offer& o, std::uint32_t matcher);
  [[nodiscard]] std::uint32_t better_node(const node_costs& c, std::uint32_t a,
                                          std::uint32_t b) const;

  world& world_;
  const trial& trial_;
  node_order& order_;
  victim_picker picker_;
  victim_sizes sizes_;
  /// The costs for a query and priority.
  recently_used<node_costs> remembered_;
};

}  // namespace argosy::scheduling::engine
