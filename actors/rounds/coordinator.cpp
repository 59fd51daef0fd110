// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/coordinator.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "actors/rounds/coordinator_state.hpp"
#include "messages/rounds/label_note.hpp"
#include "messages/rounds/node_answers.hpp"
#include "runtime/base/check.hpp"

namespace argosy::actors {

coordinator_actor::behavior_type coordinator_state::make_behavior(coordinator_config cfg) {
  config = std::move(cfg);
  position = {config.position};
  cycle.emplace(config.times, config.rounds_before);
  fold = std::make_unique<rounds::delta_fold>(config.scheduling);
  history.emplace(config.scheduling, config.rules.pools);
  health.emplace(config.health,
                 [this](const auto& id, native::node_health_ptr what, bool restored) {
                   if (const auto* node = sources->find_node(id))
                     self->send(*node, atom::health_v, std::move(what), restored);
                 });
  restore(std::exchange(config.carried, {}));
  planned.emplace(self, config.root, config.times.cut_timeout);
  record.emplace(self, config);
  sources.emplace(self, config.times.cut_timeout,
                  cuts::receiver{[this](const native::queue_delta& delta) { take(delta); },
                                 [this](const native::node_delta& delta) { take(delta); },
                                 [this](bool came) { carry_out(cycle->cut_answered(came)); }});
  self->set_down_handler([this](const caf::down_msg& down) {
    if (down.source == worker) carry_out(cycle->round_ended(now()));
  });
  carry_out(cycle->start());
  return {
      [this](atom::dirty, const queue_actor& source) { changed(source); },
      [this](atom::dirty, const node_actor& source) { changed(source); },
      [this](atom::contact, const model::cluster_name& cluster, const cluster_actor& handle) {
        planned->know(cluster, handle);
      },
      [this](atom::goodbye, const model::cluster_name& cluster, const cluster_actor& handle) {
        planned->forget(cluster, handle);
        return atom::ok_v;
      },
      [this](atom::place, const model::queue_name& queue, const native::place_reply_ptr& reply) {
        position = std::max(position, model::log_position{reply->position});
        planned->accepted(queue, reply);
        carry_out(cycle->part_placed(now()));
      },
      [this](atom::ended, const native::run_outcomes_ptr& outcomes) { health->ended(*outcomes); },
      [this](atom::release, const model::cluster_name& cluster, const model::node_name& node,
             std::int64_t at_ns) {
        health->release(model::node_id(cluster, node), at_ns);
        return atom::ok_v;
      },
      [this](atom::committed, model::log_position at) { position = std::max(position, at); },
      [this](atom::settings, const native::round_settings_ptr& fresh) {
        new_settings = fresh;
        use_new_settings();
      },
      [this](atom::tick, model::timer_generation timer) {
        use_new_settings();
        carry_out(cycle->tick(timer.value, now()));
      },
      [this](atom::explain, const ulid& job) { return explain(job); },
      [this](atom::explain, const native::job_on_node_question_ptr& asked) {
        return explain(*asked);
      },
      [this](atom::explain, const native::node_question_ptr& asked) { return explain(*asked); },
      [this](atom::explain, const native::job_ids_ptr& jobs) -> native::waiting_reasons_ptr {
        return std::make_shared<std::vector<native::waiting_reason>>(
            history->reasons(*fold, *jobs));
      },
      [this](atom::explain, const native::gang_labels_ptr& labels) {
        return rounds::label_note(fold->snapshot(), *config.scheduling, *labels);
      },
      [this](atom::explain) { return report(); },
      [this](atom::status) { return status(); },
      [this](atom::status, atom::figures) { return figures(); },
  };
}

void coordinator_state::restore(const std::vector<model::carried_entry>& entries) {
  for (const auto& entry : entries) {
    carried.restore(entry);
    health->restore(entry);
    closed.restore(entry);
  }
}

void coordinator_state::carry_out(const ledger::cycle_effects& effects) {
  note_phase();
  if (config.safe_mode) return;
  for (const auto& effect : effects) std::visit([this](const auto& what) { act(what); }, effect);
}

/// Shows since when a round is due. In safe mode none is wanted.
void coordinator_state::note_due() {
  const auto since = config.safe_mode ? std::nullopt : cycle->due_since();
  if (since == due_shown) return;
  due_shown = since;
  auto& shown = config.rules.counters->due_since;
  if (since)
    shown.set_time(config.clock->wall() - (config.clock->boot() - *since));
  else
    shown.set(0);
}

/// The core has moved on before its effects are carried out.
void coordinator_state::note_phase() {
  note_due();
  if (cycle->phase() == phase) return;
  const auto at = config.clock->boot();
  if (phase != ledger::cycle_phase::waiting)
    config.rules.shares->phases.add(to_string(phase), at - phase_begun);
  phase = cycle->phase();
  phase_begun = at;
}

void coordinator_state::act(const ledger::ask_for_cuts&) {
  cut_before = std::exchange(cut_position, position);
  carry_out(cycle->cuts_asked(sources->ask(position)));
}

void coordinator_state::take(const native::node_delta& delta) {
  using scheduling::node_openness;
  const bool held = health->take(delta, wall());
  auto how = node_openness::open;
  if (delta.present && (delta.quarantined || held))
    how = node_openness::quarantined;
  else if (delta.present && delta.info.unschedulable)
    how = node_openness::closed;
  closed.see(model::node_id(delta.cluster, delta.info.name), how);
  report_errors(fold->fold(delta, held));
}

void coordinator_state::take(const native::queue_delta& delta) {
  const auto& [since, until] = delta.range;
  const bool odd = since != 0 && (since <= cut_before.value || until > cut_position.value);
  // While no round takes place nothing is recorded; what a later one lacks then is not so exact.
  if (odd && odd_cuts.size() < scheduling::carried_changes_max)
    odd_cuts.push_back({delta.queue, since, until});
  const auto time = wall();
  for (const auto& job : delta.jobs->removed)
    carried.leaves(fold->snapshot(), *config.scheduling, job, time);
  health->take(delta);
  report_errors(fold->fold(delta));
}

/// All rounds of a cycle, and what follows from their plans, go by the same settings, so that they
/// change only while none is under way. The timer comes after each cycle.
void coordinator_state::use_new_settings() {
  if (!new_settings || cycle->phase() != ledger::cycle_phase::waiting) return;
  const auto fresh = std::exchange(new_settings, {});
  config.scheduling = fresh->common;
  config.rules.pools = fresh->pools;
  config.config_version = fresh->version;
  history->configure(fresh->common, fresh->pools);
  carry_out(cycle->settings_changed(config.clock->boot()));
}

/// Puts the queues in order, which deltas that came in have not been given yet. A question between
/// two rounds needs that order, and no round reads the snapshot then.
void coordinator_state::settle() {
  if (!fold->snapshot().settled()) history->renumber(fold->settle());
}

native::placement_ptr coordinator_state::explain(const ulid& job) {
  settle();
  return std::make_shared<native::placement_report>(history->explain(*fold, job));
}

native::job_on_node_ptr coordinator_state::explain(const native::job_on_node_question& asked) {
  settle();
  return std::make_shared<native::job_on_node>(rounds::answer(*history, *fold, asked));
}

native::round_report_ptr coordinator_state::report() const {
  return history->report(*fold, health->slowed(), trends.all());
}

native::node_answer_ptr coordinator_state::explain(const native::node_question& asked) {
  settle();
  return std::make_shared<native::node_answer>(rounds::answer(*history, *fold, asked));
}

void coordinator_state::act(const ledger::finish_fold&) {
  history->renumber(fold->settle());
  if (fold->let_try()) history->renumber(fold->settle());
  if (const auto time = wall(); health->settle(time))
    carried.slow(*config.scheduling, health->slowed(), time);
  const auto worth_it = fold->has_jobs() ? history->pools(*fold) : std::vector<std::string>{};
  history->keep_only(worth_it);
  trends.keep_only(history->pools(*fold));
  config.rules.shares->keep_only(worth_it);
  carried.rest(
      worth_it, [this](const auto& pool) -> const auto& { return *history->config_of(pool); },
      wall());
  carry_out(cycle->folded(worth_it, now()));
}

/// The starts go out only when all parts of the plan are durable.
void coordinator_state::act(const ledger::hand_over_starts&) {
  planned->hand_over();
}

void coordinator_state::report_errors(const std::vector<error>& errors) {
  for (const auto& err : errors)
    logger.error("left out of the snapshot", logging::kv("error", to_string(err)));
}

native::coordinator_status_ptr coordinator_state::status() const {
  auto out = std::make_shared<native::coordinator_status>();
  out->position = position.value;
  out->rounds = cycle->round();
  out->last_round_ns = last_round_ns;
  out->last_duration_ns = last_duration_ns;
  out->shares = history->shares();
  out->slowed = health->slowed();
  return out;
}

metrics::figure_list coordinator_state::figures() const {
  auto out = config.rules.counters->figures();
  out.push_back({"number", static_cast<double>(cycle->round())});
  out.push_back({"position", static_cast<double>(position.value)});
  out.push_back({"last_duration_seconds", static_cast<double>(last_duration_ns) / 1e9});
  out.push_back({"dirty_queues", static_cast<double>(sources->changed_queues())});
  out.push_back({"dirty_nodes", static_cast<double>(sources->changed_nodes())});
  return out;
}

result<void> validate(const coordinator_config& config) {
  if (!config.scheduling || !config.journal || config.clock == nullptr)
    return fail(ec::invalid_argument, "the coordinator needs a configuration, journal and clock");
  if (config.times.gap_min.count() < 1 || config.times.period < config.times.gap_min)
    return fail(ec::invalid_argument, "cycle.period must be at least cycle.gap_min");
  return {};
}

namespace {

coordinator_actor::behavior_type coordinator_behavior(
    traced_pointer<coordinator_actor, coordinator_state> self, coordinator_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

coordinator_actor spawn_coordinator(caf::actor_system& system, coordinator_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, coordinator_behavior, std::move(config));
}

}  // namespace argosy::actors
