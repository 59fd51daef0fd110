// SPDX-License-Identifier: Apache-2.0
// This file defines the start of the ROOT, which spawns its children and gives each what it needs.
#include <algorithm>
#include <cmath>
#include <utility>

#include "actors/api/bus.hpp"
#include "actors/api/gateway.hpp"
#include "actors/caf_error.hpp"
#include "actors/leader.hpp"
#include "actors/link/agent_gateway.hpp"
#include "actors/link/armada_gateway.hpp"
#include "actors/log/audit.hpp"
#include "actors/log/journal.hpp"
#include "actors/log/reader.hpp"
#include "actors/log/retention.hpp"
#include "actors/log/store.hpp"
#include "actors/root_state.hpp"
#include "actors/rounds/archive.hpp"
#include "actors/rounds/coordinator.hpp"
#include "actors/rounds/explainer.hpp"
#include "actors/rounds/settings.hpp"
#include "actors/state/cluster.hpp"
#include "actors/state/policies.hpp"
#include "actors/state/queue.hpp"
#include "actors/tracer.hpp"
#include "messages/codec/log/record_parts.hpp"
#include "messages/probes/cluster_probe.hpp"
#include "messages/view/progress.hpp"

namespace argosy::actors {

/// Spawns the actors that are needed to claim the lead.
void root_state::spawn_log_actors() {
  auto& system = self->system();
  const auto blocking = config.blocking_on;
  tracer = supervise(spawn_tracer(
      system, {.drain_period = config.trace_collect_period, .probes = config.probes}, blocking));
  store_config for_store;
  for_store.database = config.database;
  for_store.clock = config.clock;
  for_store.mark = config.mark_clock;
  for_store.load = load;
  if (const auto usage = config.database->usage())
    for_store.tail = eventlog::tail_rules_for(usage->limit_bytes);
  for_store.probes = config.probes;
  store = supervise(spawn_store(system, std::move(for_store), blocking));
  reader_config for_reader;
  for_reader.database = config.database;
  for_reader.probes = config.probes;
  for (auto* each : {&reader, &list_reader, &event_reader})
    *each = supervise(spawn_reader(system, for_reader, blocking));
  load->intake().set_record_bytes_max(config.log->max_record_bytes());
  journal_config for_journal;
  for_journal.log = config.log;
  for_journal.store = store;
  for_journal.key = config.log_key;
  for_journal.clock = config.clock;
  for_journal.start = config.recovered.position;
  for_journal.planes = config.planes;
  for_journal.load = load;
  for_journal.probes = config.probes;
  for_journal.batch_bytes_max = config.log_limits.batch_bytes_max.bytes;
  for_journal.on_rival = config.on_rival;
  journal = supervise(spawn_journal(system, std::move(for_journal), blocking));
  if (config.on_journal) config.on_journal(journal);
  leader_config for_leader;
  for_leader.holder = config.holder;
  for_leader.nonce = config.claim_nonce;
  // The id stays for the whole life of a control plane.
  if (const auto& known = config.recovered.position.control_plane; !known.empty())
    config.control_plane = known;
  for_leader.control_plane = config.control_plane;
  for_leader.before = {config.recovered.position.epoch, config.recovered.position.holder};
  for_leader.granted = config.granted;
  for_leader.journal = journal;
  for_leader.root = me();
  for_leader.clock = config.clock;
  for_leader.times = config.leader;
  for_leader.probes = config.probes;
  leader = supervise(spawn_leader(system, std::move(for_leader)));
  self->request(leader, std::chrono::seconds{60}, atom::claim_v)
      .then(
          [this](model::epoch granted) { lead(granted); },
          [this](const caf::error& err) { fail_process("cannot lead: " + from_caf(err).detail); });
}

result<void> root_state::read_lineage() {
  auto txn = config.database->begin_read();
  if (!txn) return fail(txn.error());
  auto known = view::read_lineage(**txn);
  if (!known) return fail(known.error());
  lineage->set(std::move(*known));
  return {};
}

void root_state::lead(model::epoch granted) {
  if (stopping) return;
  lineage = std::make_shared<lineage_board>(load);
  if (auto read = read_lineage(); !read) return fail_process(read.error().detail);
  epoch = granted;
  config.rounds.counters = config.probes->get<probes::round_probe>();
  config.rounds.shares = config.probes->get<probes::pool_probe>();
  config.probes->get<probes::cluster_probe>(config.contacts, *config.clock);
  answers.of_now = supervise(spawn_explainer(
      self->system(), {config.scheduling, config.rounds, config.rules.queue_rules.unfit},
      config.blocking_on));
  coordinator_config settings;
  settings.explainer = answers.of_now;
  settings.scheduling = config.scheduling;
  settings.rules = config.rounds;
  settings.config_version = config.config_version;
  settings.journal = journal;
  settings.root = me();
  settings.clock = config.clock;
  settings.position = config.recovered.position.position;
  settings.rounds_before = config.recovered.last_round;
  for (const auto& [queue, core] : config.recovered.queues) settings.first_queues.insert(queue);
  settings.carried = std::exchange(config.recovered.carried, {});
  settings.health = config.health;
  settings.unfit = config.rules.queue_rules.unfit;
  // Tokens that come without end cannot come more slowly.
  if (std::isinf(config.scheduling->queue_rate)) settings.health.queue_slowdown = 0;
  settings.safe_mode = config.safe_mode;
  settings.seed = config.seed;
  settings.times = config.cycle;
  settings.rounds_on = config.blocking_on;
  coordinator = supervise(spawn_coordinator(self->system(), std::move(settings)));
  self->send(journal, atom::watch_v, caf::actor_cast<commit_listener_actor>(coordinator));
  spawn_policies_actor();
  for (auto& [queue, core] : config.recovered.queues) add_queue(queue, core);
  for (auto& [cluster, core] : config.recovered.clusters) add_cluster(cluster, core);
  config.recovered.queues.clear();
  config.recovered.clusters.clear();
  spawn_settings_actor();
  spawn_audit_actor();
  spawn_retention_actor();
  answers.of_the_past =
      supervise(spawn_archive(self->system(), archive_config{config.archive}, config.blocking_on));
  const auto& most = config.request_limits;
  slow_questions =
      std::make_shared<border::shares>(border::share_limits{most.slow_per_user_max, most.slow_max});
  if (config.connection) spawn_gateways();
  if (config.inner_connection) spawn_inner_gateway();
  logger.info("leading", logging::kv("epoch", epoch.value));
  if (config.on_ready) config.on_ready(epoch);
}

void root_state::spawn_policies_actor() {
  retry_policies = config.recovered.retry_policies.policies();
  policies_config settings;
  settings.book = std::exchange(config.recovered.retry_policies, {});
  settings.root = me();
  settings.journal = journal;
  settings.clock = config.clock;
  settings.load = load;
  settings.request_timeout = config.request_timeout;
  policies = supervise(spawn_policies(self->system(), std::move(settings)));
}

void root_state::spawn_settings_actor() {
  settings_config made{config.settings,
                       std::exchange(config.recovered.settings_changes, {}),
                       me(),
                       journal,
                       coordinator,
                       config.clock,
                       load,
                       config.contacts};
  live_settings = supervise(spawn_settings(self->system(), std::move(made), config.blocking_on));
}

void root_state::spawn_audit_actor() {
  audit_config settings;
  settings.core = ledger::audit_core{{}, config.recovered.last_call};
  settings.root = me();
  settings.journal = journal;
  settings.clock = config.clock;
  settings.load = load;
  settings.part_bytes_max = std::min(settings.part_bytes_max, config.log->max_record_bytes() / 4);
  settings.probes = config.probes;
  audit = supervise(spawn_audit(self->system(), std::move(settings)));
}

void root_state::spawn_retention_actor() {
  retention_actor_config settings;
  settings.rules = config.retention;
  settings.reader = reader;
  settings.journal = journal;
  settings.clock = config.clock;
  settings.request_timeout = config.request_timeout;
  settings.probes = config.probes;
  retention = supervise(spawn_retention(self->system(), std::move(settings)));
}

std::vector<std::string> root_state::preemptible_classes() const {
  std::vector<std::string> out;
  for (const auto& each : config.scheduling->classes)
    if (each.fair_share_preemptible || each.urgency_preemptible) out.push_back(each.name);
  return out;
}

gateway_config root_state::common_gateway_config() const {
  gateway_config settings;
  settings.settings = live_settings;
  settings.archive = answers.of_the_past;
  settings.contacts = config.contacts;
  settings.lineage = lineage;
  settings.load = load;
  settings.root = me();
  settings.reader = reader;
  settings.list_reader = list_reader;
  settings.event_reader = event_reader;
  settings.store = store;
  settings.coordinator = coordinator;
  settings.explainer = answers.of_now;
  settings.policies = policies;
  settings.tracer = tracer;
  if (config.audit) settings.audit = audit;
  settings.clock = config.clock;
  settings.limits = config.limits;
  settings.preemptible_classes = preemptible_classes();
  settings.request_timeout = config.request_timeout;
  settings.request_limits = config.request_limits;
  settings.slow_questions = slow_questions;
  settings.version = config.version;
  settings.commit = config.commit;
  settings.preset = to_string(config.scheduling->base);
  settings.epoch = epoch;
  settings.probes = config.probes;
  settings.metrics_text = config.metrics_text;
  settings.concerns = config.concerns;
  settings.journal = journal;
  settings.holder = config.holder;
  settings.plane = config.planes.own;
  settings.hand_over = config.on_hand_over;
  return settings;
}

void root_state::spawn_gateways() {
  bus = supervise(spawn_bus(self->system(), {config.connection, config.probes, false, true},
                            config.blocking_on));
  auto settings = common_gateway_config();
  settings.bus = bus;
  settings.connection = config.connection;
  settings.users = config.users;
  settings.prove = config.prove;
  settings.seed = config.seed ^ (epoch.value << 32);
  gateway = supervise(spawn_gateway(self->system(), std::move(settings)));
  agent_gateway_config for_agents;
  for_agents.bus = bus;
  for_agents.root = me();
  for_agents.tracer = tracer;
  for_agents.by = {epoch, config.claim_nonce, config.control_plane};
  for_agents.cluster_rules = config.rules.cluster_rules;
  for_agents.probes = config.probes;
  for_agents.signer = config.order_signer;
  agent_gateway = supervise(spawn_agent_gateway(self->system(), std::move(for_agents)));
}

/// The GATEWAYs share no state, so that callers of one transport cannot hold up those of another.
void root_state::spawn_inner_gateway() {
  inner_bus = supervise(spawn_bus(self->system(), {config.inner_connection, config.probes, true},
                                  config.blocking_on));
  auto settings = common_gateway_config();
  settings.bus = inner_bus;
  settings.connection = config.inner_connection;
  settings.callers_in_header = true;
  armada_gateway_config for_executors{
      me(), config.clock,          config.armada_clusters, preemptible_classes(),
      {},   config.request_timeout};
  for (const auto& each : config.scheduling->floating)
    for_executors.floating_resources.push_back(each.name);
  armada_gateway = supervise(spawn_armada_gateway(self->system(), std::move(for_executors)));
  settings.armada = armada_gateway;
  // Two GATEWAYs with one seed would make the same job ids.
  settings.seed = ~(config.seed ^ (epoch.value << 32));
  inner_gateway = supervise(spawn_gateway(self->system(), std::move(settings)));
}

queue_actor root_state::add_queue(const model::queue_name& queue,
                                  std::shared_ptr<ledger::queue_core> core) {
  auto& handle = queues[queue];
  if (handle) return handle;
  if (!core) core = std::make_shared<ledger::queue_core>(queue, config.rules.queue_rules);
  queue_actor_config settings;
  settings.core = std::move(core);
  settings.root = me();
  if (config.set_aside && settings.core->find(config.set_aside->job) != nullptr)
    settings.set_aside = config.set_aside;
  settings.journal = journal;
  settings.coordinator = coordinator;
  settings.clock = config.clock;
  settings.load = load;
  const auto record_bytes_max = config.log->max_record_bytes();
  settings.part_bytes_max = std::min(settings.part_bytes_max, record_bytes_max / 4);
  settings.policies = retry_policies;
  settings.gang_members_max = codec::gang_members_max(record_bytes_max);
  settings.position = config.recovered.position.position;
  settings.probes = config.probes;
  probe->queues.set(static_cast<std::int64_t>(queues.size()));
  handle = supervise(spawn_queue(self->system(), std::move(settings)));
  for (const auto& [cluster, actor] : clusters) self->send(handle, atom::contact_v, cluster, actor);
  return handle;
}

cluster_actor root_state::add_cluster(const model::cluster_name& cluster,
                                      std::shared_ptr<ledger::cluster_core> core) {
  auto& handle = clusters[cluster];
  if (handle) return handle;
  if (!core) core = std::make_shared<ledger::cluster_core>(cluster, config.rules.cluster_rules);
  core->set_other_servers([board = config.contacts, cluster](const std::string& name_space) {
    return board->serving(name_space, cluster);
  });
  cluster_actor_config settings;
  settings.core = std::move(core);
  settings.by = {epoch, config.claim_nonce, config.control_plane};
  settings.node_rules = config.node_rules;
  settings.preemptible_classes = preemptible_classes();
  settings.contacts = config.contacts;
  settings.root = me();
  settings.journal = journal;
  settings.coordinator = coordinator;
  settings.clock = config.clock;
  settings.load = load;
  settings.part_bytes_max = std::min(settings.part_bytes_max, config.log->max_record_bytes() / 4);
  settings.probes = config.probes;
  probe->clusters.set(static_cast<std::int64_t>(clusters.size()));
  handle = supervise(spawn_cluster(self->system(), std::move(settings)));
  for (const auto& [queue, actor] : queues) self->send(actor, atom::contact_v, cluster, handle);
  return handle;
}

}  // namespace argosy::actors
