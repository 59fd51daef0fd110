// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/heads.hpp"

namespace argosy::scheduling::engine {

heads::heads(space& nodes, matching& terms, node_search& search)
    : nodes_(nodes),
      matching_(terms),
      asked_(nodes.conf.feasible_heads),
      judge_(nodes, terms, search),
      misfits_(nodes.t.shapes.size()),
      shown_to_(asked_ ? nodes.t.shapes.size() : 0, none) {}

bool heads::is_misfit(std::uint32_t queue, std::uint32_t shape, std::uint32_t job) const {
  if (!misfits_.has(queue, shape)) return false;
  const auto& record = nodes_.t.jobs[job];
  if (record.gang == none || !nodes_.conf.minimum_cardinality) return true;
  const auto& declared = nodes_.t.gang_terms[record.gang_terms];
  return declared.minimum == declared.cardinality;
}

bool heads::refuse(std::uint32_t job, std::uint32_t shape, std::uint32_t queue) {
  if (numbering_) return true;
  auto& first = shown_to_[shape];
  if (first == queue) return false;
  if (first == none)
    first = queue;
  else if (!shown_.insert((std::uint64_t{queue} << 32) | shape).second)
    return false;
  refusals_.push_back({job, reason::job_does_not_fit});
  return true;
}

void heads::refuse(const gang& g, reason why) {
  if (numbering_) return;
  std::vector<pin> pins;
  if (why == reason::placed) why = list_pins(g, nodes_, matching_, false, pins);
  for (const auto& o : g.offers) refusals_.push_back({o.job, why});
}

void heads::begin_numbering(bool any_evicted) {
  numbering_ = true;
  judge_.room().begin_numbering(any_evicted);
}

void heads::end_numbering() {
  numbering_ = false;
  judge_.room().end_numbering();
}

}  // namespace argosy::scheduling::engine
