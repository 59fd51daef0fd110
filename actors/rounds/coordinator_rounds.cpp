// SPDX-License-Identifier: Apache-2.0
// This file defines how the COORDINATOR begins rounds, and what it does with their plans.
#include <string>
#include <utility>

#include "actors/caf_error.hpp"
#include "actors/rounds/coordinator_state.hpp"
#include "actors/rounds/round.hpp"
#include "messages/rounds/plan_parts.hpp"
#include "runtime/scheduling/between/wake.hpp"

namespace argosy::actors {

/// The record of the next round has what changed since the last one. With that and the events
/// before its position the round can be decided again.
void coordinator_state::note_changes_before() {
  constexpr auto most = scheduling::carried_changes_max;
  for (auto& entry : carried.take_changes(most - before.size())) before.push_back(std::move(entry));
  for (auto& entry : closed.take_changes(most - before.size())) before.push_back(std::move(entry));
}

void coordinator_state::act(const ledger::start_round& effect) {
  auto request = std::make_shared<native::round_request>();
  request->snapshot = fold->share();
  request->config = history->config_of(effect.pool);
  request->params.pool = effect.pool;
  request->params.seed = config.seed + effect.number - 1;
  const auto begun_ns = wall();
  request->params.round_time_ns = begun_ns;
  note_changes_before();
  carried.open(*request->config, request->params);
  const auto round = spawn_round(self->system(), {effect.number, config.rules}, config.rounds_on);
  worker = round.address();
  self->monitor(round);
  const native::round_ptr shared = std::move(request);
  self->request(round, config.times.round_timeout, atom::round_v, shared)
      .then([this, shared,
             begun_ns](const native::plan_ptr& plan) { plan_arrived(shared, plan, begun_ns); },
            [this](const caf::error& err) { round_failed(from_caf(err)); });
}

void coordinator_state::round_failed(const error& why) {
  ++config.rules.counters->failed;
  const auto effects = cycle->round_failed("the round gave no plan: " + to_string(why), now());
  if (cycle->phase() == ledger::cycle_phase::stuck)
    logger.warning("a round gave no plan and has not ended yet",
                   logging::kv("error", to_string(why)));
  carry_out(effects);
}

void coordinator_state::plan_arrived(const native::round_ptr& request, const native::plan_ptr& plan,
                                     std::int64_t begun_ns) {
  const auto& pool = request->params.pool;
  last_round_ns = begun_ns;
  last_duration_ns = wall() - begun_ns;
  // A ROUND that has answered does not read the snapshot any more.
  carry_out(cycle->round_ended(now()));
  if (!plan->error.empty() || !plan->violation.empty()) {
    const bool failed = plan->violation.empty();
    ++(failed ? config.rules.counters->failed : config.rules.counters->violations);
    carry_out(cycle->round_failed(
        failed ? plan->error : "the plan failed its self-check: " + plan->violation, now()));
    return;
  }
  carried.close(*request->config, request->params, *plan);
  config.rules.decided(*request, *plan, begun_ns, last_duration_ns);
  history->decided(pool, *plan, *request->snapshot, cycle->round(), begun_ns);
  trends.decided(pool, *plan, begun_ns, last_duration_ns);
  model::round_decided decided;
  decided.number = cycle->round();
  decided.snapshot_position = cut_position.value;
  decided.began_ns = request->params.round_time_ns;
  decided.duration_ns = last_duration_ns;
  decided.before = std::exchange(before, {});
  decided.cuts = std::exchange(odd_cuts, {});
  decided.carried = carried.take_changes();
  health->add_changes(decided.carried);
  record->append(*request, *plan, std::move(decided));
  const auto parts = rounds::split_plan(*plan, *request->snapshot, pool, cycle->round());
  std::vector<std::pair<queue_actor, native::place_ptr>> to_place;
  for (const auto& [queue, part] : parts)
    if (const auto* found = sources->find_queue(queue)) to_place.emplace_back(*found, part);
  auto wake = scheduling::wake_after(*request->config, request->params, *plan,
                                     carried.first_penalty_end(pool));
  if (fold->decided(pool)) wake = std::chrono::nanoseconds{0};
  carry_out(cycle->round_decided(to_place.size(), wake, now()));
  // The answers have no time limit: while it is not known whether the leases stand, no other plan
  // may be made, and those that stand must start.
  for (const auto& [queue, part] : to_place) self->send(queue, atom::place_v, part);
}

/// Another round follows after the period, with a number and a seed of its own.
void coordinator_state::act(const ledger::give_up_round& effect) {
  history->discarded(effect.pool, effect.why);
  logger.error("a round came to nothing; another follows after the period",
               logging::kv("pool", effect.pool), logging::kv("error", effect.why));
}

}  // namespace argosy::actors
