// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/gatekeeper.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

gatekeeper::gatekeeper(const world& w, books& sums, const trial& under_way,
                       const preemption_budget& budget)
    : t_(w.nodes.t), conf_(w.nodes.conf), books_(sums), trial_(under_way), budget_(budget) {}

reason gatekeeper::lacks_tokens(const gang& g, const queue_book& book) const {
  const auto size = static_cast<double>(g.offers.size());
  // A gang may take more tokens than there are. In Armada it waits for all that it takes, and
  // whether it ever can is asked after that.
  const auto in_debt = conf_.base != preset::current;
  if (in_debt && size > 1 && conf_.burst < size) return reason::gang_exceeds_burst;
  if (in_debt && size > 1 && conf_.queue_burst < size) return reason::gang_exceeds_queue_burst;
  if (books_.tokens < 1) return reason::global_rate_limit;
  if (conf_.burst < size) return reason::gang_exceeds_burst;
  if (!in_debt && books_.tokens < size) return reason::gang_above_tokens;
  if (book.tokens < 1) return reason::queue_rate_limit;
  if (conf_.queue_burst < size) return reason::gang_exceeds_queue_burst;
  if (!in_debt && book.tokens < size) return reason::gang_above_queue_tokens;
  return reason::placed;
}

reason gatekeeper::barred(const gang& g, std::uint32_t queue) {
  auto& book = books_.queues[queue];
  // Such a queue is closed for new jobs, but an evicted mate that comes later may complete a gang.
  if (book.cordoned) return reason::queue_cordoned;
  if (const auto why = lacks_tokens(g, book); why != reason::placed) return why;
  // Nearly all rounds have none of these limits.
  if (!books_.resource_tokens.empty() || !book.resource_tokens.empty() || !book.total_limit.empty())
    sum_new_amounts(g);
  if (books::lacks_tokens(books_.resource_tokens, more_)) return reason::resource_rate_limit;
  if (books::lacks_tokens(book.resource_tokens, more_)) return reason::queue_resource_rate_limit;
  if (conf_.max_new_decisions != 0 && decisions_ >= conf_.max_new_decisions)
    return reason::round_time_limit;
  if (conf_.max_new_decisions_queue != 0 && book.decisions >= conf_.max_new_decisions_queue)
    return reason::queue_time_limit;
  ++decisions_;
  ++book.decisions;
  const auto class_name = t_.shapes[g.offers.front().shape].class_name;
  if (books_.over_limit(queue, class_name)) return reason::queue_limit;
  // Evicted jobs that may return count as well: their return is not asked for the limit again.
  if (!book.total_limit.empty() && books_.over_total(queue, trial_.totals().amounts(queue), more_))
    return reason::queue_total_limit;
  return reason::placed;
}

void gatekeeper::sum_new_amounts(const gang& g) {
  more_.assign(t_.dims, 0);
  for (const auto& o : g.offers)
    for (std::uint32_t d = 0; d < t_.dims && o.home == none; ++d)
      more_[d] += t_.amounts(o.shape)[d];
}

bool gatekeeper::lacks_floating(const gang& g, std::uint32_t queue) const {
  if (t_.dims == t_.node_dims || books_.queues[queue].away) return false;
  const auto floats = std::any_of(g.total.begin() + t_.node_dims, g.total.end(),
                                  [](auto amount) { return amount != 0; });
  if (!floats) return false;
  // What there is may be less than what runs: that alone takes nothing away.
  if (g.returning && conf_.return_room_only) return books_.floating_lost();
  return books_.floating_short() || budget_.exceeded_by_stake();
}

void gatekeeper::start(const gang& g, std::uint32_t queue) {
  const auto size = static_cast<double>(g.offers.size());
  books_.tokens -= size;
  books_.queues[queue].tokens -= size;
  tokens_used_ += g.offers.size();
  books_.queues[queue].tokens_used += g.offers.size();
}

}  // namespace argosy::scheduling::engine
