// SPDX-License-Identifier: Apache-2.0
#include "actors/root.hpp"

#include <algorithm>
#include <caf/sec.hpp>

#include "actors/caf_error.hpp"
#include "actors/root_state.hpp"
#include "messages/past/archive.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/live_actors.hpp"

namespace argosy::actors {

root_actor::behavior_type root_state::make_behavior(root_config cfg) {
  config = std::move(cfg);
  load = config.load
             ? config.load
             : std::make_shared<eventlog::log_load>(config.log_limits.waiting_bytes_max.bytes);
  if (config.safe_mode) load->set_safe_mode();
  probe = config.probes->get<probes::root_probe>();
  self->set_down_handler([this](const caf::down_msg& down) { child_down(down); });
  spawn_log_actors();
  return {
      [this](atom::find, const model::queue_name& queue) -> caf::result<queue_actor> {
        const auto found = queues.find(queue);
        if (found != queues.end()) return found->second;
        return to_caf({ec::not_found, "queue '" + queue.str() + "' does not exist"});
      },
      [this](atom::find, const model::cluster_name& cluster) -> caf::result<cluster_actor> {
        const auto found = clusters.find(cluster);
        if (found != clusters.end()) return found->second;
        return to_caf({ec::not_found, "cluster '" + cluster.str() + "' is not known"});
      },
      [this](atom::ensure, const model::queue_name& queue) -> caf::result<queue_actor> {
        if (epoch.is_zero() || stopping)
          return to_caf({ec::unavailable, "the server is starting or stopping"});
        // If the creation is refused, a QUEUE would have been spawned for nothing.
        if (!queues.contains(queue))
          if (auto ok = load->admit(); !ok) return to_caf(ok.error());
        return add_queue(queue, {});
      },
      [this](atom::ensure, const model::cluster_name& cluster) -> caf::result<cluster_actor> {
        if (epoch.is_zero() || stopping)
          return to_caf({ec::unavailable, "the server is starting or stopping"});
        return add_cluster(cluster, {});
      },
      [this](atom::list) {
        std::vector<queue_actor> all;
        for (const auto& [queue, handle] : queues) all.push_back(handle);
        return all;
      },
      [this](atom::list, atom::cluster) { return clusters; },
      [this](atom::goodbye, const model::queue_name& queue, const queue_actor& handle) {
        let_go(queue, handle);
        return atom::ok_v;
      },
      [this](atom::goodbye, const model::cluster_name& cluster, const cluster_actor& handle) {
        let_go(cluster, handle);
        return atom::ok_v;
      },
      [this](atom::settings, const ledger::retry_policies_ptr& all) {
        retry_policies = all;
        for (const auto& [queue, handle] : queues) self->send(handle, atom::settings_v, all);
        return atom::ok_v;
      },
      [this](atom::settings, const ledger::retention_config& rules) { keep_for(rules); },
      [this](atom::settings) {
        if (live_settings && !stopping) self->send(live_settings, atom::settings_v);
      },
      [this](atom::stand_down, const std::string& why) { fail_process(why); },
      [this](atom::verify, model::epoch seen) {
        if (leader) self->send(leader, atom::verify_v, seen);
      },
      [this](atom::claim, model::epoch raised) {
        epoch = raised;
        if (auto read = read_lineage(); !read) return fail_process(read.error().detail);
        for (const auto& [cluster, handle] : clusters) self->send(handle, atom::claim_v, raised);
      },
      [this](atom::shutdown) { begin_shutdown(); },
      [this](atom::tick, model::timer_generation generation) { end_stage(generation); },
      [this](atom::status, atom::figures) { return figures(); },
  };
}

/// CLUSTERs that come later are made by the new rule.
void root_state::keep_for(const ledger::retention_config& rules) {
  if (stopping) return;
  config.rules.cluster_rules.left_kept = rules.jobs;
  self->send(retention, atom::settings_v, rules);
  for (const auto& [cluster, handle] : clusters)
    self->send(handle, atom::settings_v, std::chrono::nanoseconds{rules.jobs});
}

/// From now on whoever asks for the queue gets another QUEUE.
void root_state::let_go(const model::queue_name& queue, const queue_actor& handle) {
  parting.insert(handle.address());
  const auto found = queues.find(queue);
  if (found == queues.end() || found->second != handle) return;
  queues.erase(found);
  probe->queues.set(static_cast<std::int64_t>(queues.size()));
}

/// From now on whoever asks for the cluster gets another CLUSTER.
void root_state::let_go(const model::cluster_name& cluster, const cluster_actor& handle) {
  parting.insert(handle.address());
  const auto found = clusters.find(cluster);
  if (found == clusters.end() || found->second != handle) return;
  clusters.erase(found);
  probe->clusters.set(static_cast<std::int64_t>(clusters.size()));
  for (const auto& [queue, actor] : queues) self->send(actor, atom::goodbye_v, cluster, handle);
}

metrics::figure_list root_state::figures() const {
  auto out = probe->figures();
  out.push_back({"epoch", static_cast<double>(epoch.value)});
  out.push_back({"stages_left", static_cast<double>(stages.size())});
  return out;
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
  probe->stopping.set(1);
  const auto add = [this](std::initializer_list<caf::strong_actor_ptr> handles) {
    auto& stage_handles = stages.emplace_back();
    for (const auto& handle : handles)
      if (handle) stage_handles.push_back(handle);
  };
  const auto ptr = [](const auto& handle) {
    return handle ? caf::actor_cast<caf::strong_actor_ptr>(handle) : caf::strong_actor_ptr{};
  };
  for (const auto& each : {bus, inner_bus})
    // It comes before answers that wait, each of which may be held up by a slow reader.
    if (each) self->send<caf::message_priority::high>(each, atom::shutdown_v);
  add({ptr(gateway), ptr(inner_gateway), ptr(agent_gateway), ptr(armada_gateway)});
  if (config.archive) config.archive->stop();
  add({ptr(coordinator), ptr(answers.of_now), ptr(retention), ptr(leader),
       ptr(answers.of_the_past)});
  auto& owners = stages.emplace_back();
  for (const auto& [queue, handle] : queues) owners.push_back(ptr(handle));
  for (const auto& [cluster, handle] : clusters) owners.push_back(ptr(handle));
  owners.push_back(ptr(policies));
  owners.push_back(ptr(live_settings));
  // It ends when the log has what the GATEWAYs told it.
  add({ptr(audit)});
  add({ptr(journal)});
  add({ptr(store), ptr(reader), ptr(list_reader), ptr(event_reader), ptr(tracer), ptr(bus),
       ptr(inner_bus)});
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
  probe->children.set(static_cast<std::int64_t>(children.size()));
  if (parting.erase(down.source) > 0 && !stopping) return;
  if (!stopping) {
    if (down.reason == caf::sec::runtime_error && config.on_crash) config.on_crash();
    fail_process("an actor ended unexpectedly: " + from_caf(down.reason).detail);
    return;
  }
  if (awaited.erase(down.source) > 0 && awaited.empty()) next_stage();
}

result<void> validate(const root_config& config) {
  if (!config.database || !config.log || !config.log_key || config.clock == nullptr ||
      !config.scheduling)
    return fail(ec::invalid_argument,
                "a root needs a store, a log with its key, a clock and a configuration");
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
