// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/coordinator.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "actors/caf_error.hpp"
#include "actors/rounds/round.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/plan_parts.hpp"
#include "runtime/base/check.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/scheduling/carry_over.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

/// A later round on the same snapshot could start more.
bool waits_for_time(const native::round_request& request, const scheduling::plan& plan) {
  using scheduling::reason;
  const auto& conf = *request.config;
  const auto left =
      request.params.preemption_tokens - static_cast<double>(plan.preemption_tokens_used);
  if (std::isfinite(conf.preemption_burst) && left < conf.preemption_burst &&
      !plan.refusals.empty())
    return true;
  const auto passes = [](const auto& entry) {
    switch (entry.code) {
      case reason::max_resources_per_round:
      case reason::global_rate_limit:
      case reason::gang_above_tokens:
      case reason::queue_rate_limit:
      case reason::gang_above_queue_tokens:
      case reason::round_time_limit:
      case reason::queue_time_limit:
      case reason::not_reached:
        return true;
      default:
        return false;
    }
  };
  return std::any_of(plan.refusals.begin(), plan.refusals.end(), passes) ||
         std::any_of(plan.skips.begin(), plan.skips.end(), passes);
}

}  // namespace

struct coordinator_state {
  static inline const logging::logger logger{"coordinator"};

  static inline const char* name = "argosy.coordinator";
  using pointer = traced_pointer<coordinator_actor, coordinator_state>;

  explicit coordinator_state(pointer self_) : self(self_) {}

  coordinator_actor::behavior_type make_behavior(coordinator_config cfg);
  void mark_dirty();
  void arm(std::chrono::milliseconds delay);
  void tick(std::uint64_t generation);
  void begin_cut();
  void take(const native::queue_delta_ptr& delta, const queue_actor& from);
  void take(const native::node_delta_ptr& delta, const node_actor& from);
  void cut_answered();
  template <class Source>
  void cut_failed(std::set<Source>& dirty, const Source& source, const caf::error& err);
  void cut_done();
  void next_pool();
  [[nodiscard]] const std::shared_ptr<const scheduling::config>& config_of(
      const std::string& pool) const;
  void begin_round(const std::string& pool);
  void round_done(const native::round_ptr& request, const native::plan_ptr& plan,
                  std::int64_t begun_ns);
  void round_failed(const std::string& pool, const error& why);
  void round_down(const caf::actor_addr& ended);
  void discard(const std::string& pool, const scheduling::plan& plan);
  void record_round(const native::round_request& request, const scheduling::plan& plan,
                    std::int64_t duration_ns);
  void place(const std::string& queue, const native::place_ptr& part);
  void placed(const std::string& queue, const native::place_reply& reply);
  void part_done();
  void end_cycle();
  void report_errors(const std::vector<error>& errors);
  [[nodiscard]] native::placement_ptr explain(const ulid& job) const;
  [[nodiscard]] native::reason_codes_ptr reasons(const std::vector<ulid>& jobs) const;
  [[nodiscard]] native::coordinator_status_ptr status() const;

  pointer self;
  coordinator_config config;
  std::unique_ptr<rounds::delta_fold> fold;
  std::set<queue_actor> dirty_queues;
  std::set<node_actor> dirty_nodes;
  std::map<std::string, queue_actor> queues;
  std::map<std::string, cluster_actor> clusters;
  std::uint64_t position = 0;

  // The cycle that is under way.
  bool busy = false;
  std::size_t answers_missing = 0;
  std::deque<std::string> pools;  ///< Whose turn is still to come.
  std::vector<std::pair<std::string, native::place_reply_ptr>> accepted;  ///< Of this plan.
  bool between_pools = false;  ///< The cut under way precedes a further pool of this cycle.
  bool cut_incomplete = false;
  caf::actor_addr worker;                  ///< The ROUND that may read the snapshot.
  std::function<void()> when_worker_ends;  ///< Only of a round that failed.
  bool armed_early = false;
  std::uint64_t generation = 0;

  boot_time last_cycle{-1'000'000'000};
  std::uint64_t rounds = 0;
  std::int64_t last_round_ns = 0;
  std::int64_t last_duration_ns = 0;
  std::map<std::string, rounds::round_memory> memory;  ///< By pool.
  std::map<std::string, std::string> discarded;        ///< By pool: why its last plan was.
  scheduling::carry_over carried;
  /// A job waits for nothing but time, such as a token, or a round failed.
  bool time_helps = false;
};

coordinator_actor::behavior_type coordinator_state::make_behavior(coordinator_config cfg) {
  config = std::move(cfg);
  position = config.position;
  rounds = config.rounds_before;
  fold = std::make_unique<rounds::delta_fold>(config.scheduling);
  self->set_down_handler([this](const caf::down_msg& down) { round_down(down.source); });
  arm(config.period);
  return {
      [this](atom::dirty, const queue_actor& source) {
        dirty_queues.insert(source);
        mark_dirty();
      },
      [this](atom::dirty, const node_actor& source) {
        dirty_nodes.insert(source);
        mark_dirty();
      },
      [this](atom::contact, const std::string& cluster, const cluster_actor& handle) {
        clusters[cluster] = handle;
      },
      [this](atom::place, const std::string& queue, const native::place_reply_ptr& reply) {
        position = std::max(position, reply->position);
        accepted.emplace_back(queue, reply);
        part_done();
      },
      [this](atom::committed, std::uint64_t at) { position = std::max(position, at); },
      [this](atom::tick, std::uint64_t gen) { tick(gen); },
      [this](atom::explain, const ulid& job) { return explain(job); },
      [this](atom::explain, const native::job_ids_ptr& jobs) { return reasons(*jobs); },
      [this](atom::status) { return status(); },
  };
}

/// Work arrived: the next cycle comes as soon as the gap allows.
void coordinator_state::mark_dirty() {
  if (busy || armed_early) return;
  armed_early = true;
  const auto since =
      std::chrono::duration_cast<std::chrono::milliseconds>(config.clock->boot() - last_cycle);
  arm(since >= config.gap_min ? std::chrono::milliseconds{0} : config.gap_min - since);
}

void coordinator_state::arm(std::chrono::milliseconds delay) {
  ++generation;
  if (delay.count() == 0)
    self->send(self, atom::tick_v, generation);
  else if (armed_early)
    trace::delayed_send(self, self, delay, atom::tick_v, generation);  // Belongs to what woke it.
  else
    trace::tick_send(self, self, delay, atom::tick_v, generation);
}

void coordinator_state::tick(std::uint64_t gen) {
  if (gen != generation || busy) return;
  armed_early = false;
  if (dirty_queues.empty() && dirty_nodes.empty() && !time_helps) return;
  busy = true;
  time_helps = false;
  last_cycle = config.clock->boot();
  begin_cut();
}

void coordinator_state::begin_cut() {
  const auto asked_queues = std::exchange(dirty_queues, {});
  const auto asked_nodes = std::exchange(dirty_nodes, {});
  answers_missing = asked_queues.size() + asked_nodes.size();
  for (const auto& source : asked_queues)
    self->request(source, config.cut_timeout, atom::cut_v, position)
        .then([this, source](const native::queue_delta_ptr& delta) { take(delta, source); },
              [this, source](const caf::error& err) { cut_failed(dirty_queues, source, err); });
  for (const auto& source : asked_nodes)
    self->request(source, config.cut_timeout, atom::cut_v, position)
        .then([this, source](const native::node_delta_ptr& delta) { take(delta, source); },
              [this, source](const caf::error& err) { cut_failed(dirty_nodes, source, err); });
  if (answers_missing == 0) cut_done();
}

void coordinator_state::take(const native::queue_delta_ptr& delta, const queue_actor& from) {
  queues[delta->queue] = from;
  const auto now = to_nanos(config.clock->wall());
  for (const auto& job : delta->removed)
    carried.leaves(fold->snapshot(), *config.scheduling, job, now);
  report_errors(fold->fold(*delta));
  self->send(from, atom::cut_v, atom::ok_v);
  cut_answered();
}

void coordinator_state::take(const native::node_delta_ptr& delta, const node_actor& from) {
  report_errors(fold->fold(*delta));
  self->send(from, atom::cut_v, atom::ok_v);
  cut_answered();
}

template <class Source>
void coordinator_state::cut_failed(std::set<Source>& dirty, const Source& source,
                                   const caf::error& err) {
  const auto why = from_caf(err);
  logger.warning("a cut was not answered", logging::kv("error", to_string(why)));
  // A late answer is dropped, but what stood in it comes with the next one.
  if (why.code == ec::timeout) dirty.insert(source);
  cut_incomplete = true;
  cut_answered();
}

void coordinator_state::cut_answered() {
  if (--answers_missing == 0) cut_done();
}

/// Without one of the answers a round could give room away that is taken.
void coordinator_state::cut_done() {
  fold->settle();
  const bool going_on = std::exchange(between_pools, false);
  if (std::exchange(cut_incomplete, false)) {
    time_helps = true;
    end_cycle();
    return;
  }
  if (!going_on) {
    auto all = fold->pools();
    for (const auto& [pool, own] : config.rules.pools)
      if (!own->away_pools.empty() && std::find(all.begin(), all.end(), pool) == all.end())
        all.push_back(pool);  // Without nodes of its own.
    pools.assign(all.begin(), all.end());
  }
  next_pool();
}

void coordinator_state::next_pool() {
  if (pools.empty() || !fold->has_jobs()) {
    end_cycle();
    return;
  }
  const auto pool = pools.front();
  pools.pop_front();
  begin_round(pool);
}

const std::shared_ptr<const scheduling::config>& coordinator_state::config_of(
    const std::string& pool) const {
  const auto own = config.rules.pools.find(pool);
  return own == config.rules.pools.end() ? config.scheduling : own->second;
}

void coordinator_state::begin_round(const std::string& pool) {
  auto request = std::make_shared<native::round_request>();
  request->snapshot = fold->share();
  request->config = config_of(pool);
  request->params.pool = pool;
  request->params.seed = config.seed + rounds;
  const auto begun_ns = to_nanos(config.clock->wall());
  request->params.round_time_ns = begun_ns;
  carried.open(*request->config, request->params);
  const auto round = spawn_round(self->system(), {rounds + 1, config.rules}, config.rounds_on);
  worker = round.address();
  self->monitor(round);
  const native::round_ptr shared = std::move(request);
  self->request(round, config.round_timeout, atom::round_v, shared)
      .then([this, shared,
             begun_ns](const native::plan_ptr& plan) { round_done(shared, plan, begun_ns); },
            [this, pool](const caf::error& err) { round_failed(pool, from_caf(err)); });
}

/// A round that takes too long still reads the snapshot, which must not change under it: the cycle
/// goes on when it has ended.
void coordinator_state::round_failed(const std::string& pool, const error& why) {
  auto go_on = [this, pool, why] {
    scheduling::plan none;
    none.error = "the round gave no plan: " + to_string(why);
    discard(pool, none);
  };
  if (!worker) {
    go_on();
    return;
  }
  logger.warning("a round gave no plan and has not ended yet", logging::kv("pool", pool),
                 logging::kv("error", to_string(why)));
  when_worker_ends = std::move(go_on);
}

void coordinator_state::round_down(const caf::actor_addr& ended) {
  if (ended != worker) return;
  worker = nullptr;
  if (const auto go_on = std::exchange(when_worker_ends, {})) go_on();
}

void coordinator_state::round_done(const native::round_ptr& request, const native::plan_ptr& plan,
                                   std::int64_t begun_ns) {
  const auto& pool = request->params.pool;
  const auto now = to_nanos(config.clock->wall());
  last_round_ns = begun_ns;
  last_duration_ns = now - begun_ns;
  if (!plan->error.empty() || !plan->violation.empty()) {
    discard(pool, *plan);
    return;
  }
  ++rounds;
  discarded.erase(pool);
  carried.close(*request->config, request->params, *plan);
  time_helps = time_helps || waits_for_time(*request, *plan);
  ++config.rules.counters->decided;
  config.rules.counters->leases += plan->leases.size();
  config.rules.counters->preemptions += plan->preemptions.size();
  memory[pool].remember(*plan, *request->snapshot, rounds, begun_ns);
  record_round(*request, *plan, last_duration_ns);
  const auto parts = rounds::split_plan(*plan, *request->snapshot, pool, rounds);
  answers_missing = 1 + parts.size();
  for (const auto& [queue, part] : parts) place(queue, part);
  part_done();
}

/// Another round comes after the period, with a number and a seed of its own.
void coordinator_state::discard(const std::string& pool, const scheduling::plan& plan) {
  const auto failed = plan.violation.empty();
  ++(failed ? config.rules.counters->failed : config.rules.counters->violations);
  const auto& why = discarded[pool] = failed ? plan.error : plan.violation;
  logger.error(failed ? "a round could not be decided"
                      : "the plan of a round failed its self-check and was discarded",
               logging::kv("pool", pool), logging::kv("error", why));
  ++rounds;
  time_helps = true;
  next_pool();
}

void coordinator_state::record_round(const native::round_request& request,
                                     const scheduling::plan& plan, std::int64_t duration_ns) {
  model::round_decided decided;
  decided.number = rounds;
  decided.snapshot_position = position;
  decided.pool = request.params.pool;
  decided.seed = request.params.seed;
  decided.config_version = config.config_version;
  decided.digest = plan.digest;
  decided.leases = static_cast<std::uint32_t>(plan.leases.size());
  decided.preemptions = static_cast<std::uint32_t>(plan.preemptions.size());
  decided.duration_ns = duration_ns;
  auto entry = std::make_shared<native::append_request>();
  const auto now = to_nanos(config.clock->wall());
  entry->events.push_back({now, {}, decided});
  entry->changes.push_back(ledger::put_round{now, decided});
  self->request(config.journal, config.record_timeout, atom::append_v,
                native::append_ptr{std::move(entry)})
      .then([](const native::append_ack&) {},
            [](const caf::error& err) {
              logger.warning("a round was not recorded",
                             logging::kv("error", to_string(from_caf(err))));
            });
}

/// The answer has no time limit: while it is not known whether the leases stand, no other plan may
/// be made, and those that stand must start.
void coordinator_state::place(const std::string& queue, const native::place_ptr& part) {
  const auto found = queues.find(queue);
  if (found == queues.end())
    part_done();
  else
    self->send(found->second, atom::place_v, part);
}

/// Durable now: the starts go out, one message for each cluster.
void coordinator_state::placed(const std::string& queue, const native::place_reply& reply) {
  for (const auto& [cluster, runs] : reply.start) {
    const auto found = clusters.find(cluster);
    if (found == clusters.end()) {
      logger.error("orders for an unknown cluster", logging::kv("cluster", cluster));
      continue;
    }
    auto orders = std::make_shared<native::queue_orders>();
    orders->queue = queue;
    orders->start = runs;
    self->send(found->second, atom::orders_v, native::queue_orders_ptr{std::move(orders)});
  }
}

void coordinator_state::part_done() {
  if (--answers_missing > 0) return;
  // Only now: every QUEUE has sent its stops before it answered, so that a CLUSTER hears of the run
  // that must go before it hears of the one that needs its room.
  for (const auto& [queue, reply] : std::exchange(accepted, {})) placed(queue, *reply);
  if (pools.empty()) {
    end_cycle();
    return;
  }
  // What this pool took must be seen by the next one.
  between_pools = true;
  begin_cut();
}

void coordinator_state::end_cycle() {
  busy = false;
  armed_early = false;
  if (dirty_queues.empty() && dirty_nodes.empty())
    arm(config.period);
  else
    mark_dirty();
}

void coordinator_state::report_errors(const std::vector<error>& errors) {
  for (const auto& err : errors)
    logger.error("left out of the snapshot", logging::kv("error", to_string(err)));
}

native::placement_ptr coordinator_state::explain(const ulid& job) const {
  auto report = std::make_shared<native::placement_report>();
  const auto key = fold->find(job);
  if (!key) return report;
  report->known = true;
  for (const auto& [pool, last] : memory) {
    const auto why = last.find(job, *key);
    if (!why) continue;
    const auto counts = scheduling::explain(fold->snapshot(), *config_of(pool), pool, key->shape);
    *report = rounds::describe(*why, counts, *config_of(pool), pool);
    report->known = true;
    report->round = last.round();
    report->time_ns = last.time_ns();
    return report;
  }
  if (fold->pools().empty()) report->reason = "no cluster has joined: there are no nodes";
  for (const auto& [pool, why] : discarded)
    report->reason = "the last plan for pool " + pool + " was discarded: " + why;
  return report;
}

native::reason_codes_ptr coordinator_state::reasons(const std::vector<ulid>& jobs) const {
  auto codes = std::make_shared<std::vector<std::string>>(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto key = fold->find(jobs[i]);
    if (!key) continue;
    for (const auto& [pool, last] : memory) {
      const auto why = last.find(jobs[i], *key);
      if (!why) continue;
      (*codes)[i] = to_string(*why);
      break;
    }
  }
  return codes;
}

native::coordinator_status_ptr coordinator_state::status() const {
  auto out = std::make_shared<native::coordinator_status>();
  out->position = position;
  out->rounds = rounds;
  out->last_round_ns = last_round_ns;
  out->last_duration_ns = last_duration_ns;
  for (const auto& [pool, last] : memory)
    for (const auto& [queue, share] : last.shares()) out->shares[queue] = share;
  return out;
}

result<void> validate(const coordinator_config& config) {
  if (!config.scheduling || !config.journal || config.clock == nullptr)
    return fail(ec::invalid_argument, "the coordinator needs a configuration, journal and clock");
  if (config.gap_min.count() < 1 || config.period < config.gap_min)
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
