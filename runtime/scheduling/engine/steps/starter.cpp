// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/starter.hpp"

#include <algorithm>

#include "runtime/base/at_work.hpp"

namespace argosy::scheduling::engine {

starter::starter(world& w, books& sums, trial& under_way, placer& places, decisions& noted,
                 preemption_budget& budget, armada_traces& traces, misfits& known)
    : world_(w),
      t_(w.nodes.t),
      conf_(w.nodes.conf),
      books_(sums),
      trial_(under_way),
      placer_(places),
      noted_(noted),
      budget_(budget),
      traces_(traces),
      misfits_(known),
      gate_(w, sums, under_way, budget) {}

bool starter::is_rationed() const {
  return budget_.is_spent() && !conf_.hard_preemption_budget;
}

bool starter::discarded(const gang& g) const {
  return std::any_of(g.offers.begin(), g.offers.end(), [&](const offer& o) {
    return o.home != none && world_.bound.was_pushed_out(o.job);
  });
}

reason starter::give_turn(gang& g, std::uint32_t queue) {
  const auto outcome = discarded(g) ? reason::gang_incomplete : attempt(g, queue);
  if (outcome == reason::placed)
    accept(g, queue);
  else
    refuse(g, outcome);
  return outcome;
}

reason starter::attempt(gang& g, std::uint32_t queue) {
  const at_job noted{t_.jobs[g.offers.front().job].id};
  if (!g.returning && books_.over_round_cap()) return reason::max_resources_per_round;
  // From here on the gang counts as if it ran already.
  for (const auto& o : g.offers) books_.charge(queue, o.shape, +1, o.home == none);
  auto outcome = g.returning ? reason::placed : gate_.barred(g, queue);
  if (!g.returning && budget_.watches()) budget_.find_at_stake();
  if (outcome == reason::placed && gate_.lacks_floating(g, queue)) outcome = reason::resource_limit;
  if (outcome == reason::placed) outcome = placer_.place(g);
  if (outcome == reason::placed) return outcome;
  for (const auto& o : g.offers) books_.charge(queue, o.shape, -1, o.home == none);
  if (g.returning && conf_.return_room_only) give_up_room(g);
  if (outcome != reason::gang_does_not_fit || g.offers.size() != 1) return outcome;
  // Where a gang was spared, a queue that is owed more may find room.
  const auto shape = g.offers.front().shape;
  if (!g.returning && evicted_->losses().spares_any())
    misfits_.note_for(queue, shape);
  else if (!g.returning)
    misfits_.note(shape);
  return reason::job_does_not_fit;
}

void starter::give_up_room(const gang& g) {
  for (const auto& o : g.offers) {
    trial_.give_up(o.job, o.shape);
    noted_.note_cause(o.job, preemption_cause::not_returned, none);
  }
  budget_.spend(g.offers.size());
}

void starter::accept(const gang& g, std::uint32_t queue) {
  if (!g.returning) gate_.start(g, queue);
  for (const auto& o : g.offers) {
    if (o.home != none) {
      noted_.bring_back(1);
      traces_.note_return(o);
      continue;
    }
    if (o.left_out) {
      books_.charge(queue, o.shape, -1, true);
      noted_.leave_out(o.job);
      continue;
    }
    books_.take_tokens(queue, o.shape);
    const auto away = o.priority != conf_.classes[t_.shapes[o.shape].class_index].priority;
    noted_.place({o.job, o.shape, away});
  }
}

void starter::refuse(const gang& g, reason why) {
  for (const auto& o : g.offers)
    if (o.home == none) noted_.refuse(o.job, why);
}

void compete(contest& streams, starter& turns, trial& under_way) {
  std::vector<std::uint32_t> lightened;
  bool rationed = false;
  bool resumed = false;
  bool ended = false;
  while (!turns.is_stuck()) {
    if (!rationed && turns.is_rationed()) {
      rationed = true;  // All evicted jobs that can come back do so first.
      streams.close(reason::not_reached);
    }
    auto* g = streams.head();
    if (g == nullptr) {
      if (!rationed || resumed || ended) break;
      resumed = true;
      streams.reopen();
      continue;
    }
    const auto queue = streams.head_rank().queue;
    const auto outcome = turns.give_turn(*g, queue);
    streams.advance();
    under_way.take_lightened(lightened);
    for (const auto lighter : lightened) streams.lighten(lighter);
    if (ends_round(outcome)) {
      ended = true;
      streams.close(outcome);
    } else if (ends_queue(outcome)) {
      streams.close_queue(queue, outcome);
    }
  }
}

}  // namespace argosy::scheduling::engine
