// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/coordinator.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/caf_error.hpp"
#include "actors/interfaces/atoms.hpp"
#include "actors/rounds/cuts.hpp"
#include "actors/rounds/deciders.hpp"
#include "actors/rounds/node_health.hpp"
#include "actors/rounds/round_log.hpp"
#include "actors/rounds/starts.hpp"
#include "actors/rounds/unfit_watch.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/plan_parts.hpp"
#include "messages/rounds/pool_configs.hpp"
#include "messages/rounds/round_view.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ledger/cycle_core.hpp"
#include "runtime/logging/line.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/model/identifiers.hpp"
#include "runtime/scheduling/between/carry_over.hpp"
#include "runtime/scheduling/between/closed_nodes.hpp"
#include "runtime/scheduling/between/wake.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

/// The Unix time of a time since boot.
std::int64_t wall_of(const clock_source& clock, boot_time at) {
  return to_nanos(clock.wall() - (clock.boot() - at));
}

/// Sends the actor a tick of this generation after the delay. A tick that somebody's change has
/// brought about belongs to the trace of that change.
template <class Self>
void arm_cycle_timer(Self self, const ledger::arm_timer& effect) {
  const auto delay = std::chrono::ceil<std::chrono::milliseconds>(effect.delay);
  const model::timer_generation generation{effect.number};
  if (delay.count() == 0)
    self->send(self, atom::tick_v, generation);
  else if (effect.woken)
    trace::delayed_send(self, self, delay, atom::tick_v, generation);
  else
    trace::tick_send(self, self, delay, atom::tick_v, generation);
}

}  // namespace

struct coordinator_state {
  static inline const char* name = "argosy.coordinator";
  static inline const logging::logger logger{"coordinator"};
  using pointer = traced_pointer<coordinator_actor, coordinator_state>;

  explicit coordinator_state(pointer self_) : self(self_) {}

  coordinator_actor::behavior_type make_behavior(coordinator_config cfg);

  void changed() { carry_out(cycle->changed(config.clock->boot())); }
  void restore(const std::vector<model::carried_entry>& entries);
  void carry_out(const ledger::cycle_effects& effects);
  void act(const ledger::arm_timer& effect) { arm_cycle_timer(self, effect); }
  void act(const ledger::ask_for_cuts&);
  void act(const ledger::finish_fold& effect);
  void act(const ledger::start_round& effect);
  void act(const ledger::give_up_round& effect);
  void act(const ledger::hand_over_starts&) { planned->hand_over(); }
  void act(const ledger::stop_waiting&);

  void note_due();
  void note_phase();
  void note_changes_before();
  void take(const native::queue_delta_ptr& all);
  void take(const native::node_delta_ptr& all);
  void leave(const model::queue_name& queue, const native::place_ptr& part);
  void accepted(const model::queue_name& queue, const native::place_reply_ptr& reply);
  void tell_explainer();
  void use_new_settings();
  void plan_arrived(const native::round_ptr& request, const native::plan_ptr& plan);
  void round_failed(const error& why);
  void report_errors(const std::vector<error>& errors);
  [[nodiscard]] ledger::cycle_now now() const {
    return {config.clock->boot(), sources->any_changed()};
  }
  [[nodiscard]] std::int64_t wall() const { return to_nanos(config.clock->wall()); }
  [[nodiscard]] native::coordinator_status_ptr status() const;
  [[nodiscard]] metrics::figure_list figures() const;

  pointer self;
  coordinator_config config;
  std::unique_ptr<rounds::delta_fold> fold;
  std::optional<cuts> sources;
  std::optional<starts> planned;
  std::optional<round_log> record;
  model::log_position position;      ///< Up to here the log is committed.
  model::log_position cut_position;  ///< The position of the last cuts.
  model::log_position cut_before;    ///< The position of the cuts before them.

  std::optional<ledger::cycle_core> cycle;
  std::optional<boot_time> due_shown;  ///< The probe shows this as the core's due_since().
  deciders rounds_of_pools;

  ledger::cycle_phase phase = ledger::cycle_phase::waiting;  ///< The phase that was noted last.
  boot_time phase_begun{};
  std::int64_t last_begun_ns = 0;  ///< The Unix time of the last round that gave a plan.
  std::int64_t last_took_ns = 0;
  std::optional<rounds::pool_configs> configs;
  rounds::view_steps steps;  ///< The EXPLAINER was not told of these yet.
  std::optional<unfit_watch> unfit;
  scheduling::carry_over carried;
  scheduling::closed_nodes closed;
  model::round_decided next_record;  ///< Has what is known of it before its round.
  std::optional<node_health> health;
  native::round_settings_ptr new_settings;  ///< For the next cycle; null: those that run.
};

namespace {

cuts::receiver receiver_of(coordinator_state& state) {
  return {[&](const native::queue_delta_ptr& delta) { state.take(delta); },
          [&](const native::node_delta_ptr& delta) { state.take(delta); },
          [&](const auto& queue, const native::place_ptr& part) { state.leave(queue, part); },
          [&](const model::node_path& node) {
            state.fold->set_aside(node);
            state.steps.emplace_back(rounds::node_left{node});
          },
          [&](bool came) { state.carry_out(state.cycle->cut_answered(came)); },
          [&] { state.changed(); }};
}

}  // namespace

coordinator_actor::behavior_type coordinator_state::make_behavior(coordinator_config cfg) {
  config = std::move(cfg);
  position = {config.position};
  cycle.emplace(config.times, config.rounds_before);
  fold = std::make_unique<rounds::delta_fold>(config.scheduling, config.rules.pools);
  configs.emplace(config.scheduling, config.rules.pools);
  health.emplace(config.health,
                 [this](const auto& id, native::node_health_ptr what, bool restored) {
                   if (const auto* node = sources->find_node(id))
                     self->send(*node, atom::health_v, std::move(what), restored);
                 });
  restore(std::exchange(config.carried, {}));
  planned.emplace(self, config.root, config.times.cut_timeout);
  rounds_of_pools = {config.rules, config.clock, config.rounds_on};
  record.emplace(self, config);
  sources.emplace(self, config.times.cut_timeout, std::exchange(config.first_queues, {}),
                  receiver_of(*this));
  unfit.emplace(unfit_watch::neighbours{self, fold.get(), &*configs, &*sources, config.clock},
                config.unfit);
  self->set_down_handler([this](const caf::down_msg& down) {
    if (rounds_of_pools.ended(down.source)) carry_out(cycle->round_ended(now()));
  });
  carry_out(cycle->start());
  return {
      [this](atom::dirty, const model::queue_name& queue, const queue_actor& source) {
        sources->changed(queue, source);
        changed();
      },
      [this](atom::dirty, const node_actor& source) {
        sources->changed(source);
        changed();
      },
      [this](atom::contact, const model::cluster_name& cluster, const cluster_actor& handle) {
        planned->know(cluster, handle);
      },
      [this](atom::goodbye, const model::cluster_name& cluster, const cluster_actor& handle) {
        planned->forget(cluster, handle);
        return atom::ok_v;
      },
      [this](atom::place, const model::queue_name& queue, const native::place_reply_ptr& reply) {
        accepted(queue, reply);
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
      [this](atom::tick, atom::hold) { unfit->look_again(); },
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
    shown.set_time(from_nanos(wall_of(*config.clock, *since)));
  else
    shown.set(0);
}

/// The core has moved on before its effects are carried out.
void coordinator_state::note_phase() {
  note_due();
  if (cycle->phase() == phase) return;
  const auto silent_since = sources->longest_silence();
  config.rules.counters->silent_since.set_time(
      silent_since ? from_nanos(wall_of(*config.clock, *silent_since)) : wall_time{});
  const auto at = config.clock->boot();
  if (phase != ledger::cycle_phase::waiting)
    config.rules.shares->phases.add(to_string(phase), at - phase_begun);
  phase = cycle->phase();
  phase_begun = at;
}

void coordinator_state::act(const ledger::ask_for_cuts&) {
  cut_before = std::exchange(cut_position, position);
  carry_out(cycle->cuts_asked(sources->ask(position, config.clock->boot())));
}

void coordinator_state::take(const native::node_delta_ptr& all) {
  const auto& delta = *all;
  using scheduling::node_openness;
  const bool held = health->take(delta, wall());
  auto how = node_openness::open;
  if (delta.present && (delta.quarantined || held))
    how = node_openness::quarantined;
  else if (delta.present && delta.info.unschedulable)
    how = node_openness::closed;
  closed.see(model::node_id(delta.cluster, delta.info.name), how);
  report_errors(fold->fold(delta, held));
  steps.emplace_back(rounds::node_folded{all, held});
}

void coordinator_state::take(const native::queue_delta_ptr& all) {
  const auto& delta = *all;
  const auto& [since, until] = delta.range;
  const bool odd = !since.is_zero() && (since <= cut_before || until > cut_position);
  // While no round takes place nothing is recorded; what a later one lacks then is not so exact.
  if (odd && next_record.cuts.size() < scheduling::carried_changes_max)
    next_record.cuts.push_back({delta.queue, since, until});
  const auto time = wall();
  for (const auto& job : delta.jobs->removed)
    carried.leaves(fold->snapshot(), *config.scheduling, job, time);
  health->take(delta);
  report_errors(fold->fold(delta));
  steps.emplace_back(all);
}

/// All rounds of a cycle, and what follows from their plans, go by the same settings, so that they
/// change only while none is under way. The timer comes after each cycle.
void coordinator_state::use_new_settings() {
  if (!new_settings || cycle->phase() != ledger::cycle_phase::waiting) return;
  const auto fresh = std::exchange(new_settings, {});
  config.scheduling = fresh->common;
  config.rules.pools = fresh->pools;
  config.config_version = fresh->version;
  configs = rounds::pool_configs{fresh->common, fresh->pools};
  steps.emplace_back(fresh);
  fold->configure(fresh->common, fresh->pools);
  carry_out(cycle->settings_changed(config.clock->boot()));
}

/// The EXPLAINER repeats these steps with a snapshot of its own, and so keeps no cycle waiting.
void coordinator_state::tell_explainer() {
  const native::view_steps_ptr told =
      std::make_shared<const rounds::view_steps>(std::exchange(steps, {}));
  self->send(config.explainer, atom::changed_v, told);
}

void coordinator_state::act(const ledger::finish_fold&) {
  static_cast<void>(fold->settle_for_round());
  const auto& slowed = health->slowed();
  if (const auto time = wall(); health->settle(time))
    carried.slow(*config.scheduling, {slowed.begin(), slowed.end()}, time);
  const auto& jobs = fold->snapshot();
  const bool may_decide = sources->is_whole() && jobs.queued_count() + jobs.running_count() > 0;
  auto worth_it = configs->pools(*fold);
  rounds_of_pools.keep(self, worth_it);
  if (!may_decide) worth_it.clear();
  steps.emplace_back(rounds::cut_settled{worth_it, slowed});
  tell_explainer();
  const std::vector<std::string> pools(worth_it.begin(), worth_it.end());
  carried.rest(
      pools,
      [this](const auto& pool) -> const auto& { return *configs->of(model::pool_name{pool}); },
      wall());
  if (!config.safe_mode) unfit->look();
  const auto in_turn = carried.in_turn(pools);
  carry_out(cycle->folded({in_turn.begin(), in_turn.end()}, now()));
}

/// The cycle goes on without those who are silent. What they did is not known, so that rounds leave
/// their jobs where they run, and what a plan asked of them counts as done.
void coordinator_state::act(const ledger::stop_waiting&) {
  const bool cutting = cycle->phase() == ledger::cycle_phase::cutting;
  for (auto missing = sources->stop_waiting(); missing > 0; --missing)
    carry_out(cutting ? cycle->cut_answered(true) : cycle->part_placed(now()));
}

/// If a plan is being made durable, starts where this part makes room have to wait until the queue
/// has sent its stops.
void coordinator_state::leave(const model::queue_name& queue, const native::place_ptr& part) {
  auto freed = fold->set_aside(queue, part ? *part : ledger::place_request{});
  if (cycle->phase() == ledger::cycle_phase::placing) planned->hold_back(queue, std::move(freed));
  const auto* since = sources->silent_since(queue);
  const auto since_ns = since == nullptr ? wall() : wall_of(*config.clock, *since);
  steps.emplace_back(rounds::queue_left{queue, part,
                                        "its queue has not answered the rounds since " +
                                            logging::utc_text(from_nanos(since_ns)) +
                                            "; none of its jobs starts before it does"});
}

void coordinator_state::accepted(const model::queue_name& queue,
                                 const native::place_reply_ptr& reply) {
  position = std::max(position, reply->position);
  planned->accepted(queue, reply);
  if (sources->accepted(queue)) return carry_out(cycle->part_placed(now()));
  if (cycle->phase() != ledger::cycle_phase::placing) planned->hand_over();
  changed();
}

void coordinator_state::report_errors(const std::vector<error>& errors) {
  for (const auto& err : errors)
    logger.error("left out of the snapshot", logging::kv("error", to_string(err)));
}

native::coordinator_status_ptr coordinator_state::status() const {
  auto out = std::make_shared<native::coordinator_status>();
  out->position = position;
  out->rounds = cycle->round();
  out->last_round_ns = last_begun_ns;
  out->last_duration_ns = last_took_ns;
  for (const auto& [who, since] : sources->silent())
    out->silent.push_back({who, wall_of(*config.clock, since)});
  return out;
}

metrics::figure_list coordinator_state::figures() const {
  auto out = config.rules.counters->figures();
  out.push_back({"number", static_cast<double>(cycle->round())});
  out.push_back({"position", static_cast<double>(position.value)});
  out.push_back({"last_duration_seconds", static_cast<double>(last_took_ns) / 1e9});
  out.push_back({"dirty_queues", static_cast<double>(sources->changed_queues())});
  out.push_back({"dirty_nodes", static_cast<double>(sources->changed_nodes())});
  return out;
}

result<void> validate(const coordinator_config& config) {
  if (!config.scheduling || !config.journal || !config.explainer || config.clock == nullptr)
    return fail(ec::invalid_argument,
                "the coordinator needs a configuration, journal, EXPLAINER and clock");
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

/// The record of the next round has what changed since the last one. With that and the events
/// before its position the round can be decided again.
void coordinator_state::note_changes_before() {
  constexpr auto most = scheduling::carried_changes_max;
  auto& before = next_record.before;
  for (auto& entry : carried.take_changes(most - before.size())) before.push_back(std::move(entry));
  for (auto& entry : closed.take_changes(most - before.size())) before.push_back(std::move(entry));
}

void coordinator_state::act(const ledger::start_round& effect) {
  auto request = std::make_shared<native::round_request>();
  request->snapshot = fold->share();
  request->config = configs->of(effect.pool);
  request->params.pool = effect.pool;
  request->params.seed = config.seed + effect.number - 1;
  request->params.round_time_ns = wall();
  note_changes_before();
  carried.open(*request->config, request->params);
  request->number = effect.number;
  const auto& round = rounds_of_pools.of(self, effect.pool);
  const native::round_ptr shared = std::move(request);
  self->request(round, config.times.round_timeout, atom::round_v, shared)
      .then([this, shared](const native::plan_ptr& plan) { plan_arrived(shared, plan); },
            [this](const caf::error& err) { round_failed(from_caf(err)); });
}

void coordinator_state::round_failed(const error& why) {
  ++config.rules.counters->failed;
  rounds_of_pools.give_up_last(self);
  const auto effects = cycle->round_failed("the round gave no plan: " + to_string(why), now());
  if (cycle->phase() == ledger::cycle_phase::stuck)
    logger.warning("a round gave no plan and has not ended yet",
                   logging::kv("error", to_string(why)));
  carry_out(effects);
}

void coordinator_state::plan_arrived(const native::round_ptr& request,
                                     const native::plan_ptr& plan) {
  const model::pool_name pool{request->params.pool};
  last_begun_ns = request->params.round_time_ns;
  last_took_ns = wall() - last_begun_ns;
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
  config.rules.counters->count(*plan);
  steps.emplace_back(rounds::round_done{plan, request->params, cycle->round(), last_took_ns});
  tell_explainer();
  auto decided = std::exchange(next_record, {});
  decided.number = cycle->round();
  decided.snapshot_position = cut_position;
  decided.began_ns = last_begun_ns;
  decided.duration_ns = last_took_ns;
  decided.carried = carried.take_changes();
  health->add_changes(decided.carried);
  record->append(*request, *plan, std::move(decided));
  // While it is not known whether its leases stand, they count in all rounds.
  std::size_t given = 0;
  for (const auto& [queue, part] :
       rounds::split_plan(*plan, *request->snapshot, pool, cycle->round()))
    if (sources->give(queue, part, config.clock->boot())) ++given;
  auto wake = scheduling::wake_after(*request->config, request->params, *plan,
                                     carried.first_penalty_end(pool));
  if (fold->decided(pool)) wake = std::chrono::nanoseconds{0};
  carry_out(cycle->round_decided(given, wake, now()));
}

/// Another round follows after the period, with a number and a seed of its own.
void coordinator_state::act(const ledger::give_up_round& effect) {
  steps.emplace_back(rounds::round_discarded{effect.pool, effect.why});
  tell_explainer();
  logger.error("a round came to nothing; another follows after the period",
               logging::kv("pool", effect.pool), logging::kv("error", effect.why));
}

}  // namespace argosy::actors
