// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/placer.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

placer::placer(world& w, const books& sums, trial& under_way, node_chooser& chooser,
               decisions& noted, preemption_budget& budget)
    : world_(w),
      books_(sums),
      trial_(under_way),
      chooser_(chooser),
      noted_(noted),
      budget_(budget) {}

reason placer::place(gang& g) {
  order_members(g, world_.nodes);
  if (g.offers.front().gang == none)
    return place_once(g, {}) ? reason::placed : reason::gang_does_not_fit;
  const auto if_none = list_pins(g, world_.nodes, world_.terms, g.large != g.offers.size(), pins_);
  return place_under(g, pins_, if_none);
}

members_placed placer::count_places(gang& g) {
  order_members(g, world_.nodes);
  const auto if_none = list_pins(g, world_.nodes, world_.terms, g.large != g.offers.size(), pins_);
  bool tried = false;
  members_placed best;
  best.next = g.member(0).job;
  for (const auto& common : pins_) {
    (void)attempt(g, common);
    const auto count = g.offers.size() - fit_of(g).left_out;
    trial_.undo();
    if (tried && count <= best.count) continue;
    tried = true;
    best.count = count;
    best.next = none;
    for (auto n = g.offers.size(); n-- > 0;)
      if (g.member(n).left_out) best.next = g.member(n).job;
    best.executor = common.executor;
    if (common.label == none) continue;
    const auto& values = world_.terms.values(common.label);
    const auto at = std::find(values.numbers.begin(), values.numbers.end(), common.value);
    best.value = values.texts[static_cast<std::size_t>(at - values.numbers.begin())];
  }
  best.label_carried = if_none != reason::no_node_has_label;
  return best;
}

bool placer::place_once(gang& g, const pin& common) {
  if (attempt(g, common)) {
    trial_.settle(noted_, budget_);
    return true;
  }
  trial_.undo();
  return false;
}

reason placer::place_under(gang& g, const std::vector<pin>& pins, reason if_none) {
  gang_fit best;
  const pin* winner = nullptr;
  for (const auto& common : pins) {
    if (attempt(g, common)) {
      const auto fit = fit_of(g);
      const auto is_better = winner == nullptr || fit < best;
      if (fit.is_perfect() || (is_better && &common == &pins.back())) {
        trial_.settle(noted_, budget_);
        return reason::placed;
      }
      if (is_better) {
        best = fit;
        winner = &common;
      }
    }
    trial_.undo();
    if (world_.is_stuck()) return reason::gang_does_not_fit;
  }
  if (winner == nullptr) return if_none;
  return place_once(g, *winner) ? reason::placed : reason::gang_does_not_fit;
}

bool placer::attempt(gang& g, const pin& common) {
  trial_.begin();
  if (evicted_ != nullptr && !evicted_->losses().empty() && !g.returning) {
    const auto queue = books_.of(g.offers.front().job);
    const auto debt = books_.queues[queue].capped - books_.cost(trial_.held().amounts(queue));
    evicted_->losses().allow(world_.nodes.conf.gang_loss_factor * std::max(0.0, debt));
  }
  // The number of members that the gang can start without.
  const auto least = g.counted ? 0 : least_members(g, world_.nodes.t, world_.nodes.conf);
  auto spare = g.offers.size() - least;
  for (std::size_t n = 0; n < g.offers.size(); ++n) {
    auto& o = g.member(n);
    o.roomiest = common.spread && n >= g.large;
    const auto node = chooser_.choose(o, g, common);
    o.left_out = node == none;
    if (o.left_out && spare-- == 0) return false;
    if (o.left_out) continue;
    trial_.bind(o, node);
    chooser_.placed(o);
  }
  return true;
}

}  // namespace argosy::scheduling::engine
