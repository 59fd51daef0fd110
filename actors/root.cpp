// SPDX-License-Identifier: Apache-2.0
#include "actors/root.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "actors/api/bus.hpp"
#include "actors/api/gateway.hpp"
#include "actors/caf_error.hpp"
#include "actors/leader.hpp"
#include "actors/link/agent_gateway.hpp"
#include "actors/log/journal.hpp"
#include "actors/log/reader.hpp"
#include "actors/log/retention.hpp"
#include "actors/log/store.hpp"
#include "actors/rounds/coordinator.hpp"
#include "actors/state/cluster.hpp"
#include "actors/state/queue.hpp"
#include "actors/tracer.hpp"
#include "messages/codec/log/record_parts.hpp"
#include "runtime/base/check.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/live_actors.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct root_state {
  static inline const logging::logger logger{"root"};

  static inline const char* name = "argosy.root";
  using pointer = traced_pointer<root_actor, root_state>;

  explicit root_state(pointer self_) : self(self_) {}

  root_actor::behavior_type make_behavior(root_config cfg);

  // The steps of the start.
  void spawn_log_actors();
  void lead(std::uint64_t granted);
  void spawn_retention_actor();
  void spawn_gateways();
  queue_actor add_queue(const std::string& queue, std::shared_ptr<ledger::queue_core> core);
  cluster_actor add_cluster(const std::string& cluster, std::shared_ptr<ledger::cluster_core> core);
  template <class Handle>
  const Handle& supervise(const Handle& handle);

  // The steps of the shutdown.
  void fail_process(const std::string& why);
  void begin_shutdown();
  void next_stage();
  void end_stage(model::timer_generation generation);
  void child_down(const caf::down_msg& down);

  [[nodiscard]] root_actor me() const { return caf::actor_cast<root_actor>(self); }

  pointer self;
  root_config config;
  std::uint64_t epoch = 0;  ///< The epoch that this process holds; 0 when it does not lead yet.

  store_actor store;
  journal_actor journal;
  reader_actor reader;
  tracer_actor tracer;
  std::shared_ptr<eventlog::log_load> load;
  leader_actor leader;
  coordinator_actor coordinator;
  retention_actor retention;
  bus_actor bus;
  frame_handler_actor gateway;
  frame_handler_actor agent_gateway;
  std::map<std::string, queue_actor> queues;
  cluster_map clusters;

  std::map<caf::actor_addr, caf::strong_actor_ptr> children;
  bool stopping = false;
  std::deque<std::vector<caf::strong_actor_ptr>> stages;
  std::set<caf::actor_addr> awaited;
  model::timer_generation stage;
};

root_actor::behavior_type root_state::make_behavior(root_config cfg) {
  config = std::move(cfg);
  load = config.load
             ? config.load
             : std::make_shared<eventlog::log_load>(config.log_limits.waiting_bytes_max.bytes);
  self->set_down_handler([this](const caf::down_msg& down) { child_down(down); });
  spawn_log_actors();
  return {
      [this](atom::find, const model::queue_name& queue) -> caf::result<queue_actor> {
        const auto found = queues.find(queue.str());
        if (found != queues.end()) return found->second;
        return to_caf({ec::not_found, "queue '" + queue.str() + "' does not exist"});
      },
      [this](atom::find, const model::cluster_name& cluster) -> caf::result<cluster_actor> {
        const auto found = clusters.find(cluster.str());
        if (found != clusters.end()) return found->second;
        return to_caf({ec::not_found, "cluster '" + cluster.str() + "' is not known"});
      },
      [this](atom::ensure, const model::queue_name& queue) -> caf::result<queue_actor> {
        if (epoch == 0 || stopping)
          return to_caf({ec::unavailable, "the server is starting or stopping"});
        // If the creation is refused, a QUEUE would have been spawned for nothing.
        if (!queues.contains(queue.str()))
          if (auto ok = load->admit(); !ok) return to_caf(ok.error());
        return add_queue(queue.str(), {});
      },
      [this](atom::ensure, const model::cluster_name& cluster) -> caf::result<cluster_actor> {
        if (epoch == 0 || stopping)
          return to_caf({ec::unavailable, "the server is starting or stopping"});
        return add_cluster(cluster.str(), {});
      },
      [this](atom::list) {
        std::vector<queue_actor> all;
        for (const auto& [queue, handle] : queues) all.push_back(handle);
        return all;
      },
      [this](atom::list, atom::cluster) { return clusters; },
      [this](atom::stand_down, const std::string& why) { fail_process(why); },
      [this](atom::shutdown) { begin_shutdown(); },
      [this](atom::tick, model::timer_generation generation) { end_stage(generation); },
  };
}

template <class Handle>
const Handle& root_state::supervise(const Handle& handle) {
  self->monitor(handle);
  children[handle.address()] = caf::actor_cast<caf::strong_actor_ptr>(handle);
  return handle;
}

/// Spawns the actors that are needed to claim the lead.
void root_state::spawn_log_actors() {
  auto& system = self->system();
  const auto blocking = config.blocking_on;
  tracer_config for_tracer;
  for_tracer.drain_period = config.trace_collect_period;
  tracer = supervise(spawn_tracer(system, std::move(for_tracer), blocking));
  store_config for_store;
  for_store.database = config.database;
  for_store.clock = config.clock;
  store = supervise(spawn_store(system, std::move(for_store), blocking));
  reader_config for_reader;
  for_reader.database = config.database;
  reader = supervise(spawn_reader(system, std::move(for_reader), blocking));
  journal_config for_journal;
  for_journal.log = config.log;
  for_journal.store = store;
  for_journal.clock = config.clock;
  for_journal.start = config.recovered.position;
  for_journal.load = load;
  for_journal.batch_bytes_max = std::min<std::size_t>(config.log_limits.batch_bytes_max.bytes,
                                                      config.log->max_record_bytes() / 2);
  journal = supervise(spawn_journal(system, std::move(for_journal), blocking));
  leader_config for_leader;
  for_leader.holder = config.holder;
  for_leader.nonce = config.claim_nonce;
  for_leader.before = {config.recovered.position.epoch, config.recovered.position.holder};
  for_leader.journal = journal;
  for_leader.root = me();
  for_leader.clock = config.clock;
  for_leader.times = config.leader;
  leader = supervise(spawn_leader(system, std::move(for_leader)));
  self->request(leader, std::chrono::seconds{60}, atom::claim_v)
      .then(
          [this](model::epoch granted) { lead(granted.value); },
          [this](const caf::error& err) { fail_process("cannot lead: " + from_caf(err).detail); });
}

void root_state::lead(std::uint64_t granted) {
  if (stopping) return;
  epoch = granted;
  coordinator_config settings;
  settings.scheduling = config.scheduling;
  settings.rules = config.rounds;
  settings.config_version = config.config_version;
  settings.journal = journal;
  settings.clock = config.clock;
  settings.position = config.recovered.position.position;
  settings.rounds_before = config.recovered.last_round;
  settings.seed = config.seed;
  settings.times = config.cycle;
  settings.rounds_on = config.blocking_on;
  coordinator = supervise(spawn_coordinator(self->system(), std::move(settings)));
  self->send(journal, atom::watch_v, caf::actor_cast<commit_listener_actor>(coordinator));
  for (auto& [queue, core] : config.recovered.queues) add_queue(queue, core);
  for (auto& [cluster, core] : config.recovered.clusters) add_cluster(cluster, core);
  config.recovered.queues.clear();
  config.recovered.clusters.clear();
  spawn_retention_actor();
  if (config.connection) spawn_gateways();
  logger.info("leading", logging::kv("epoch", epoch));
  if (config.on_ready) config.on_ready(epoch);
}

/// The period is short enough that nothing is kept for much longer than it should be.
void root_state::spawn_retention_actor() {
  const auto& rules = config.retention;
  const auto shortest = std::min({rules.events, rules.jobs, rules.client_ids});
  retention_actor_config settings;
  settings.rules = rules;
  settings.reader = reader;
  settings.journal = journal;
  settings.clock = config.clock;
  settings.request_timeout = config.request_timeout;
  settings.period = std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(shortest / 10),
                               std::chrono::milliseconds{1'000}, std::chrono::milliseconds{60'000});
  retention = supervise(spawn_retention(self->system(), std::move(settings)));
}

void root_state::spawn_gateways() {
  bus = supervise(spawn_bus(self->system(), {config.connection}, config.blocking_on));
  gateway_config settings;
  settings.bus = bus;
  settings.connection = config.connection;
  settings.contacts = config.contacts;
  settings.root = me();
  settings.reader = reader;
  settings.store = store;
  settings.coordinator = coordinator;
  settings.tracer = tracer;
  settings.clock = config.clock;
  settings.limits = config.limits;
  settings.request_timeout = config.request_timeout;
  settings.request_limits = config.request_limits;
  settings.version = config.version;
  settings.commit = config.commit;
  settings.preset = to_string(config.scheduling->base);
  settings.epoch = epoch;
  settings.seed = config.seed ^ (epoch << 32);
  gateway = supervise(spawn_gateway(self->system(), std::move(settings)));
  agent_gateway = supervise(spawn_agent_gateway(self->system(), {bus, me(), tracer}));
}

queue_actor root_state::add_queue(const std::string& queue,
                                  std::shared_ptr<ledger::queue_core> core) {
  auto& handle = queues[queue];
  if (handle) return handle;
  if (!core) core = std::make_shared<ledger::queue_core>(queue, config.rules.queue_rules);
  queue_actor_config settings;
  settings.core = std::move(core);
  settings.root = me();
  settings.journal = journal;
  settings.coordinator = coordinator;
  settings.clock = config.clock;
  settings.load = load;
  const auto record_bytes_max = config.log->max_record_bytes();
  settings.record_bytes_max = std::min(settings.record_bytes_max, record_bytes_max / 8 * 7);
  settings.part_bytes_max = std::min(settings.part_bytes_max, record_bytes_max / 4);
  settings.gang_members_max = codec::gang_members_max(record_bytes_max);
  settings.position = config.recovered.position.position;
  handle = supervise(spawn_queue(self->system(), std::move(settings)));
  for (const auto& [cluster, actor] : clusters)
    self->send(handle, atom::contact_v, model::cluster_name{cluster}, actor);
  return handle;
}

cluster_actor root_state::add_cluster(const std::string& cluster,
                                      std::shared_ptr<ledger::cluster_core> core) {
  auto& handle = clusters[cluster];
  if (handle) return handle;
  if (!core) core = std::make_shared<ledger::cluster_core>(cluster, config.rules.cluster_rules);
  cluster_actor_config settings;
  settings.core = std::move(core);
  settings.epoch = epoch;
  settings.node_rules = config.node_rules;
  settings.contacts = config.contacts;
  settings.root = me();
  settings.journal = journal;
  settings.coordinator = coordinator;
  settings.clock = config.clock;
  settings.load = load;
  settings.part_bytes_max = std::min(settings.part_bytes_max, config.log->max_record_bytes() / 4);
  handle = supervise(spawn_cluster(self->system(), std::move(settings)));
  for (const auto& [queue, actor] : queues)
    self->send(actor, atom::contact_v, model::cluster_name{cluster}, handle);
  return handle;
}

void root_state::fail_process(const std::string& why) {
  if (stopping) return;
  logger.error("cannot go on", logging::kv("error", why));
  if (config.on_failure) config.on_failure(why);
  begin_shutdown();
}

/// Ends the intake first, then the actors that decide, then those that write.
void root_state::begin_shutdown() {
  if (stopping) return;
  stopping = true;
  const auto add = [this](std::initializer_list<caf::strong_actor_ptr> handles) {
    auto& stage_handles = stages.emplace_back();
    for (const auto& handle : handles)
      if (handle) stage_handles.push_back(handle);
  };
  const auto ptr = [](const auto& handle) {
    return handle ? caf::actor_cast<caf::strong_actor_ptr>(handle) : caf::strong_actor_ptr{};
  };
  if (bus) self->send(bus, atom::shutdown_v);
  add({ptr(gateway), ptr(agent_gateway)});
  add({ptr(coordinator), ptr(retention), ptr(leader)});
  auto& owners = stages.emplace_back();
  for (const auto& [queue, handle] : queues) owners.push_back(ptr(handle));
  for (const auto& [cluster, handle] : clusters) owners.push_back(ptr(handle));
  add({ptr(journal)});
  add({ptr(store), ptr(reader), ptr(tracer), ptr(bus)});
  next_stage();
}

void root_state::next_stage() {
  stage = stage.next();
  awaited.clear();
  if (stages.empty()) {
    // This ends NODEs, GANGs, FEEDs and all others that depend on the actors that have ended.
    const auto own = self->id();
    for (const auto& actor : trace::live_actors(self->system()))
      if (actor.handle && actor.handle->id() != own)
        caf::anon_send_exit(actor.handle, caf::exit_reason::user_shutdown);
    self->quit();
    return;
  }
  const auto handles = std::move(stages.front());
  stages.pop_front();
  for (const auto& handle : handles) {
    if (!children.contains(handle->address())) continue;
    awaited.insert(handle->address());
    caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
  }
  if (awaited.empty())
    next_stage();
  else
    trace::tick_send(self, self, config.stop_deadline, atom::tick_v, stage);
}

void root_state::end_stage(model::timer_generation generation) {
  if (!stopping || generation != stage) return;
  for (const auto& address : awaited) {
    const auto found = children.find(address);
    if (found == children.end()) continue;
    logger.warning("an actor did not stop in time");
    caf::anon_send_exit(found->second, caf::exit_reason::kill);
  }
  next_stage();
}

void root_state::child_down(const caf::down_msg& down) {
  children.erase(down.source);
  if (!stopping) {
    fail_process("an actor ended unexpectedly: " + from_caf(down.reason).detail);
    return;
  }
  if (awaited.erase(down.source) > 0 && awaited.empty()) next_stage();
}

result<void> validate(const root_config& config) {
  if (!config.database || !config.log || config.clock == nullptr || !config.scheduling)
    return fail(ec::invalid_argument, "a root needs a store, a log, a clock and a configuration");
  if (!config.contacts) return fail(ec::invalid_argument, "a root needs a board of contacts");
  if (config.holder.empty()) return fail(ec::invalid_argument, "a root needs a holder's name");
  for (const auto& [pool, own] : config.rounds.pools)
    if (auto ok = scheduling::validate(*own); !ok) return ok;
  return scheduling::validate(*config.scheduling);
}

namespace {

root_actor::behavior_type root_behavior(traced_pointer<root_actor, root_state> self,
                                        root_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

root_actor spawn_root(caf::actor_system& system, root_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, root_behavior, std::move(config));
}

}  // namespace argosy::actors
