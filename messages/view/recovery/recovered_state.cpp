// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/recovered_state.hpp"

#include <algorithm>
#include <utility>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/call_table.hpp"
#include "messages/view/operation_table.hpp"
#include "messages/view/settings_table.hpp"
#include "runtime/base/planted.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

result<void> load_queues(store::read_txn& txn, const state_rules& rules, recovered_state& state,
                         view_part what) {
  auto loaded =
      store::each(txn, store::table::queues, [&](const store::entry& entry) -> result<void> {
        auto settings = view::decode_queue(entry.value);
        if (!settings) return fail(settings.error());
        state.queue(settings->name, rules).restore(*settings);
        return {};
      });
  if (!loaded) return loaded;
  loaded =
      store::each(txn, store::table::queue_totals, [&](const store::entry& entry) -> result<void> {
        auto known = view::decode_queue_totals(entry);
        if (!known) return fail(known.error());
        state.queue(known->queue, rules).restore(known->totals, known->sums);
        return {};
      });
  if (!loaded || what == view_part::for_rounds) return loaded;
  if (is_planted(planted_fault::forgets_client_ids)) return {};
  return store::each(txn, store::table::client_ids, [&](const store::entry& entry) -> result<void> {
    auto used = view::decode_client_id(entry);
    if (!used) return fail(used.error());
    state.queue(used->queue, rules).restore(*used);
    return {};
  });
}

result<void> load_jobs(store::read_txn& txn, const state_rules& rules, recovered_state& state,
                       const std::function<bool()>& give_up, view_part what) {
  return store::each(txn, store::table::jobs_live, [&](const store::entry& entry) -> result<void> {
    if (give_up && give_up()) return fail(ec::cancelled, "the reading of jobs was given up");
    auto job = view::decode_job(txn, entry.value, what == view_part::everything);
    if (!job) return fail(job.error());
    state.queue(job->header->queue, rules).restore(std::move(*job));
    return {};
  });
}

result<void> load_retry_policies(store::read_txn& txn, recovered_state& state) {
  return store::each(txn, store::table::retry_policies,
                     [&](const store::entry& entry) -> result<void> {
                       auto policy = view::decode_retry_policy(entry.value);
                       if (!policy) return fail(policy.error());
                       state.retry_policies.restore(std::move(*policy));
                       return {};
                     });
}

result<void> load_clusters(store::read_txn& txn, const state_rules& rules, recovered_state& state) {
  auto loaded =
      store::each(txn, store::table::clusters, [&](const store::entry& entry) -> result<void> {
        auto known = view::decode_cluster(entry.value);
        if (!known) return fail(known.error());
        state.cluster(known->cluster.name, rules)
            .restore(known->cluster, known->present, known->left_ns);
        return {};
      });
  if (!loaded) return loaded;
  loaded = store::each(txn, store::table::cordons, [&](const store::entry& entry) -> result<void> {
    auto known = view::decode_cordon(entry);
    if (!known) return fail(known.error());
    state.cluster(known->cluster, rules).restore(*known);
    return {};
  });
  if (!loaded) return loaded;
  return store::each(txn, store::table::nodes, [&](const store::entry& entry) -> result<void> {
    auto known = view::decode_node(entry);
    if (!known) return fail(known.error());
    state.cluster(known->cluster, rules).restore(known->node);
    return {};
  });
}

result<void> load_operations(store::read_txn& txn, const state_rules& rules,
                             recovered_state& state) {
  auto running = running_operations(txn);
  if (!running) return fail(running.error());
  for (const auto& each : *running)
    if (each.queue.empty())
      state.cluster(each.cluster, rules).restore(each);
    else
      state.queue(each.queue, rules).restore(each);
  return {};
}

/// The newest batch of the tail has the newest time, whether or not the view has applied it.
/// Records behind it are foreign.
result<void> find_newest_time(store::read_txn& txn, const codec::log_key& key,
                              recovered_state& state) {
  result<void> outcome;
  auto scanned = store::scan_reverse(txn, store::table::tail, {}, [&](const store::entry& entry) {
    const auto record = view::decode_tail(entry);
    if (!record) {
      outcome = fail(record.error());
      return false;
    }
    if (state.position.key_print != 0 && !key.signed_by_this(record->data)) return true;
    const auto batch = codec::decode_batch(record->data);
    if (!batch) return true;
    for (const auto& event : batch->events)
      state.newest_ns = std::max(state.newest_ns, event.time_ns);
    return false;
  });
  return scanned ? outcome : scanned;
}

}  // namespace

ledger::queue_core& recovered_state::queue(const model::queue_name& name,
                                           const state_rules& rules) {
  auto& core = queues[name];
  if (!core) core = std::make_shared<ledger::queue_core>(name, rules.queue_rules);
  return *core;
}

ledger::cluster_core& recovered_state::cluster(const model::cluster_name& name,
                                               const state_rules& rules) {
  auto& core = clusters[name];
  if (!core) core = std::make_shared<ledger::cluster_core>(name, rules.cluster_rules);
  return *core;
}

ledger::change_list recovered_state::apply(const model::event& event, const state_rules& rules) {
  newest_ns = std::max(newest_ns, event.time_ns);
  replayed_claims += std::holds_alternative<model::leader_elected>(event.payload);
  if (const auto* round = std::get_if<model::round_decided>(&event.payload))
    last_round = std::max(last_round, round->number);
  if (const auto* call = std::get_if<model::call_recorded>(&event.payload))
    last_call = std::max(last_call, call->number);
  if (const auto* settings = std::get_if<model::settings_changed>(&event.payload)) {
    settings_changes.push_back({event.time_ns, *settings});
    if (settings_changes.size() > model::settings_changes_kept)
      settings_changes.erase(settings_changes.begin());
  }
  if (!event.queue.empty()) return queue(event.queue, rules).apply(event);
  if (const auto* joined = std::get_if<model::cluster_joined>(&event.payload))
    return cluster(joined->cluster.name, rules).apply(event);
  if (const auto* left = std::get_if<model::cluster_left>(&event.payload))
    return cluster(left->cluster, rules).apply(event);
  if (const auto* erased = std::get_if<model::cluster_erased>(&event.payload))
    return cluster(erased->cluster, rules).apply(event);
  if (const auto* nodes = std::get_if<model::nodes_changed>(&event.payload))
    return cluster(nodes->cluster, rules).apply(event);
  if (const auto* cordon = std::get_if<model::cordon_changed>(&event.payload))
    return cluster(cordon->cluster, rules).apply(event);
  if (const auto* drain = std::get_if<model::operation_changed>(&event.payload))
    return cluster(drain->now.cluster, rules).apply(event);
  if (auto changes = retry_policies.apply(event); !changes.empty()) return changes;
  return ledger::control_changes(event);
}

result<std::vector<model::carried_entry>> load_carried(store::database& database) {
  auto txn = database.begin_read();
  if (!txn) return fail(txn.error());
  std::vector<model::carried_entry> out;
  auto loaded =
      store::each(**txn, store::table::carried, [&](const store::entry& row) -> result<void> {
        auto entry = view::decode_carried(row.value);
        if (!entry) return fail(entry.error());
        out.push_back(std::move(*entry));
        return {};
      });
  if (!loaded) return fail(loaded.error());
  return out;
}

result<void> load_view(store::database& database, const state_rules& rules,
                       const codec::log_key& key, recovered_state& state,
                       const std::function<bool()>& give_up, view_part what) {
  auto txn = database.begin_read();
  if (!txn) return fail(txn.error());
  auto position = view::read_position(**txn);
  if (!position) return fail(position.error());
  if (*position) state.position = **position;
  if (*position && state.position.key_print != key.print() && !rules.accept_loss)
    return fail(ec::conflict, "the key in " + key.place() +
                                  " is not the one with which this store's log was written; put "
                                  "that one back from a backup, or see 'argosyd recover'");
  if (auto done = load_queues(**txn, rules, state, what); !done) return done;
  if (auto done = load_jobs(**txn, rules, state, give_up, what); !done) return done;
  if (auto done = load_clusters(**txn, rules, state); !done) return done;
  if (auto done = load_retry_policies(**txn, state); !done) return done;
  if (auto done = load_operations(**txn, rules, state); !done) return done;
  const auto last_call = view::last_call(**txn);
  if (!last_call) return fail(last_call.error());
  state.last_call = *last_call;
  auto settings_changes = view::read_settings_changes(**txn);
  if (!settings_changes) return fail(settings_changes.error());
  state.settings_changes = std::move(*settings_changes);
  auto clock = view::read_clock(**txn);
  if (!clock) return fail(clock.error());
  state.clock = std::move(*clock);
  if (auto done = find_newest_time(**txn, key, state); !done) return done;
  auto newest = store::last(**txn, store::table::rounds);
  if (!newest) return fail(newest.error());
  if (*newest)
    if (const auto number = store::key_reader{(*newest)->key}.number()) state.last_round = *number;
  return {};
}

/// The nodes of the members that have a run, by the gang and by the job.
using gang_nodes = std::map<std::string, std::map<ulid, model::node_name>>;

gang_nodes gangs_at_work(const ledger::queue_core& core) {
  gang_nodes out;
  for (const auto& roll : core.gangs())
    for (const auto& member : roll.members)
      if (const auto* run = core.find(member.job)->live_run())
        out[roll.gang->id][member.job] = run->node;
  return out;
}

/// As rounds::start_orders() does.
void name_nodes(const gang_nodes& gangs, const model::job_record& job, model::start_run& order) {
  const auto found = job.header->gang ? gangs.find(job.header->gang->id) : gangs.end();
  if (found == gangs.end()) return;
  for (const auto& [member, node] : found->second) {
    if (member == job.header->id)
      order.gang_rank = static_cast<std::uint32_t>(order.gang_nodes.size());
    order.gang_nodes.push_back(node);
  }
}

void attach_runs(recovered_state& state, const state_rules& rules) {
  for (auto& [name, core] : state.queues) {
    state.live_jobs += core->live_count();
    const auto gangs = gangs_at_work(*core);
    core->for_each([&](const model::job_record& job) {
      const auto* run = job.live_run();
      if (run == nullptr) return;
      ledger::desired_run desired;
      desired.start = ledger::make_start(*job.header, run->number, run->node);
      name_nodes(gangs, job, desired.start);
      desired.start.leased_ns = run->leased_ns;
      desired.stopping = job.stopping;
      desired.stop_reason = job.reason;
      desired.reported = run->state != model::run_state::leased;
      state.cluster(run->cluster, rules).restore(std::move(desired));
    });
  }
  std::erase_if(state.queues, [](const auto& item) { return item.second->is_over(); });
  std::erase_if(state.clusters, [](const auto& item) { return item.second->is_unknown(); });
}

void forget_departed(recovered_state& state) {
  using kind = model::carried_entry::kind;
  const auto is_there = [&](const model::carried_entry& entry) {
    if (entry.what == kind::queue_health) {
      const auto queue = state.queues.find(model::queue_name{entry.name});
      return queue != state.queues.end() && queue->second->exists();
    }
    if (entry.what != kind::node_health && entry.what != kind::closed_node) return true;
    const auto slash = entry.name.find('/');
    const auto cluster = state.clusters.find(model::cluster_name{entry.name.substr(0, slash)});
    return slash != std::string::npos && cluster != state.clusters.end() &&
           cluster->second->node_infos().contains(model::node_name{entry.name.substr(slash + 1)});
  };
  for (auto& entry : state.carried) entry.gone = entry.gone || !is_there(entry);
}

}  // namespace argosy::view
