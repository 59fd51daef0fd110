// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/heads.hpp"

namespace argosy::scheduling::engine {

heads::heads(world& w) : nodes_(w.nodes), misfits_(nodes_.t.shapes.size()), refusals_(nodes_.t) {
  if (!nodes_.conf.feasible_heads) return;
  judge_.emplace(w);
  shown_to_.assign(nodes_.t.shapes.size(), none);
}

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
  refusals_.add({job, reason::job_does_not_fit});
  return true;
}

void heads::refuse(const gang& g, bool is_feasible) {
  if (numbering_) return;
  const auto why = is_feasible ? reason::gang_does_not_fit : judge_->why_not();
  for (const auto& o : g.offers) refusals_.add({o.job, why});
}

void heads::begin_numbering(bool any_evicted) {
  numbering_ = true;
  if (judge_) judge_->best().begin_numbering(any_evicted);
}

void heads::end_numbering() {
  numbering_ = false;
  if (judge_) judge_->best().end_numbering();
}

}  // namespace argosy::scheduling::engine
