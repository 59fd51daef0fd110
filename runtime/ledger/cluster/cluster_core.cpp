// SPDX-License-Identifier: Apache-2.0
// This file defines recovery, nodes and the session of a cluster. Hellos, and who may speak for it,
// are in cluster_admission.cpp, its leases in cluster_leases.cpp, its runs in cluster_runs.cpp,
// reports on them in cluster_reports.cpp, and its end by an operator's word in cluster_forget.cpp.
#include "runtime/ledger/cluster/cluster_core.hpp"

#include <utility>

#include "runtime/ledger/cluster/node_changes.hpp"

namespace argosy::ledger {

cluster_core::cluster_core(model::cluster_name name, cluster_config config) : config_(config) {
  info_.name = std::move(name);
}

void cluster_core::restore(const model::cluster_info& info, bool present, std::int64_t left_ns) {
  info_ = info;
  present_ = present;
  left_ns_ = left_ns;
}

void cluster_core::restore(const model::node_info& node) {
  nodes_[node.name] = node;
}

void cluster_core::restore(desired_run run) {
  track(std::move(run), true);
}

cluster_step cluster_core::lead(const model::leadership& by, boot_time now) {
  by_ = by;
  contact_ = present_ ? contact_state::expected : contact_state::gone;
  session_ = false;
  left_ = false;
  last_grant_ = now + config_.predecessor_max;
  inherited_until_ = grants_longer(info_) ? last_grant_ + longest_span() : boot_time{};
  last_contact_ = now;
  reports_.reset();
  early_stops_.clear();
  lapsing_.clear();
  tell_again_.clear();
  trouble_ = {};
  hello_.incarnation = info_.incarnation;
  closures_.restore(info_.closed);
  cluster_step step;
  if (!nodes_.empty()) {
    set_nodes all;
    for (const auto& [name, node] : nodes_) all.nodes.push_back(seen(node));
    step.effects.emplace_back(std::move(all));
  }
  step.effects.emplace_back(set_contact{false});
  for (auto& [key, run] : runs_) {
    run.finished = false;
    run.lapsed = lapse::none;
    if (unconfirmed(run)) unconfirmed_.insert(key);
    // The log does not say to which incarnation each run was sent.
    if (info_.unsettled) let_lapse(key, lease_horizon(), {});
    step.effects.emplace_back(bind_run{run.desired.start.node, key, run.desired.start.requests});
  }
  if (is_forgotten()) settle_forgotten(now, step.effects);
  return step;
}

void cluster_core::heard(boot_time now, effect_list& effects) {
  const auto silence = now - std::exchange(last_contact_, now);
  if (contact_ == contact_state::connected) return;
  for (auto& [key, run] : runs_) {
    if (run.lapsed == lapse::taken) run.lapsed = lapse::none;
    if (run.lapsed == lapse::told) run.lapsed = lapse::overtaken;
  }
  effects.emplace_back(set_contact{trouble_.why.empty()});
  set_contact_state(contact_state::connected, silence, effects);
}

/// NODEs that were spawned by the same hello take work until they are told.
void cluster_core::set_trouble(const model::backend_trouble& to, effect_list& effects) {
  const bool is_known = to.why == trouble_.why && to.since_ns == trouble_.since_ns;
  if (!is_known) effects.emplace_back(trouble_changed{trouble_, to});
  trouble_ = to;
  if (is_known && to.why.empty()) return;
  effects.emplace_back(set_contact{takes_work()});
}

void cluster_core::set_contact_state(contact_state to, boot_time silence, effect_list& effects) {
  effects.emplace_back(contact_changed{std::exchange(contact_, to), to, silence});
}

void cluster_core::plan_nodes(const model::cluster_info& info,
                              const std::vector<model::node_info>& set,
                              const std::vector<model::node_name>& removed, std::int64_t now_ns,
                              std::vector<model::event>& events, effect_list& effects) const {
  // Every node carries the pool of its cluster, so that a new pool concerns all nodes.
  const bool all_told = info.pool != info_.pool || info.namespaces != info_.namespaces || !present_;
  auto news = compare_nodes(nodes_, set, removed, all_told);
  for (auto& node : news.told)
    node = with_namespaces(cordons_.seen(std::move(node)), namespaces_value(info.namespaces));
  if (!news.told.empty()) effects.emplace_back(set_nodes{std::move(news.told)});
  if (!news.gone.empty()) effects.emplace_back(remove_nodes{news.gone});
  for (auto& part : divide_nodes(info_.name, news.fresh, news.gone))
    events.push_back({now_ns, {}, std::move(part)});
}

cluster_answer<model::heartbeat_ack> cluster_core::heartbeat(const model::agent_heartbeat& message,
                                                             boot_time now) {
  cluster_answer<model::heartbeat_ack> out;
  auto ok = check_sender(message.cluster, message.incarnation);
  if (ok) ok = check_process(message.incarnation, message.process);
  if (!ok) {
    out.reply = fail(std::move(ok.error()));
    return out;
  }
  // Orders from before the lapse may still be under way. The agent tells them from later orders by
  // the hello that lies between them.
  if (now >= lease_horizon()) session_ = false;
  const bool known = session_ && message.incarnation == info_.incarnation;
  if (known) {
    last_grant_ = now;
    heard(now, out.effects);
  }
  out.reply =
      model::heartbeat_ack{by_.epoch, config_.lease.count(), !known, config_.kill_grace.count(),
                           by_.nonce, by_.control_plane};
  return out;
}

cluster_answer<bool> cluster_core::nodes(const model::agent_nodes& message, std::int64_t now_ns,
                                         boot_time now) {
  cluster_answer<bool> out;
  auto ok = check_session(message.cluster, message.incarnation, message.process);
  if (ok) ok = check_nodes(message.set);
  if (!ok) {
    out.reply = fail(std::move(ok.error()));
    return out;
  }
  heard(now, out.effects);
  plan_nodes(info_, message.set, message.removed, now_ns, out.events, out.effects);
  out.reply = !out.events.empty();
  return out;
}

bool cluster_core::is_unknown() const noexcept {
  return info_.incarnation.is_zero() && runs_.empty() && early_stops_.empty() && cordons_.empty();
}

void cluster_core::remove_all_nodes(effect_list& effects) const {
  remove_nodes all;
  for (const auto& [name, node] : nodes_) all.nodes.push_back(name);
  if (!all.nodes.empty()) effects.emplace_back(std::move(all));
}

void cluster_core::leave_if_idle(std::int64_t now_ns, std::vector<model::event>& events,
                                 effect_list& effects) {
  if (!left_ || !present_ || !runs_.empty()) return;
  left_ = false;
  remove_all_nodes(effects);
  effects.emplace_back(retire_cluster{});
  events.push_back({now_ns, {}, model::cluster_left{info_.name, goodbye_reason_}});
}

cluster_step cluster_core::tick(std::int64_t now_ns, boot_time now) {
  auto step = drain_on(now_ns);
  if (by_.epoch.is_zero()) return step;
  if (is_forgotten()) {
    settle_forgotten(now, step.effects);
    erase_if_due(now_ns, step.events);
    return step;
  }
  const bool counted_on =
      contact_ == contact_state::connected || contact_ == contact_state::expected;
  if (const auto silence = now - last_contact_; counted_on && silence > config_.silence_max) {
    step.effects.emplace_back(set_contact{false});
    set_contact_state(contact_state::silent, silence, step.effects);
  }
  expire(now_ns, now, step.effects);
  if (closures_.tick(now)) tell_all_nodes(step.effects);
  resend(now, step.effects);
  release_held(now, step.effects);
  give_back_shut(step.effects);
  settle(now_ns, now, step.events);
  leave_if_idle(now_ns, step.events, step.effects);
  erase_if_due(now_ns, step.events);
  return step;
}

/// Records that nothing of an older incarnation, or of a longer lease, is left, so that the next
/// leader need not wait for it, and which namespaces it shall not find closed by many runs again.
void cluster_core::settle(std::int64_t now_ns, boot_time now,
                          std::vector<model::event>& events) const {
  if (!present_) return;
  auto info = info_;
  info.unsettled = info_.unsettled && !lapsing_.empty();
  if (grants_longer(info)) note_leases(info, info_.lapse_since_ns != 0, now_ns, now);
  info.closed = closures_.record(info_.closed);
  if (info == info_) return;
  events.push_back({now_ns, {}, model::cluster_joined{std::move(info)}});
}

change_list cluster_core::apply(const model::event& e) {
  change_list changes;
  if (const auto* joined = std::get_if<model::cluster_joined>(&e.payload)) {
    if (joined->cluster.name != info_.name || joined->cluster.incarnation < info_.incarnation)
      return changes;
    info_ = joined->cluster;
    present_ = true;
    if (contact_ == contact_state::gone) contact_ = contact_state::expected;
    changes.emplace_back(put_cluster{info_, true});
  } else if (const auto* left = std::get_if<model::cluster_left>(&e.payload)) {
    if (left->cluster != info_.name || !present_) return changes;
    present_ = false;
    left_ns_ = e.time_ns;
    contact_ = contact_state::gone;
    session_ = false;
    changes.emplace_back(put_cluster{info_, false, left_ns_});
    for (const auto& [name, node] : nodes_) changes.emplace_back(erase_node{info_.name, name});
    nodes_.clear();
    refusing_.clear();
  } else if (const auto* erased = std::get_if<model::cluster_erased>(&e.payload)) {
    if (erased->cluster != info_.name || !may_be_erased(erased->incarnation, e.time_ns))
      return changes;
    info_ = {};
    info_.name = erased->cluster;
    hello_.incarnation = {};
    changes.emplace_back(erase_cluster{info_.name});
    cordons_.drop_nodes(info_.name, changes);
    drains_.clear();
  } else if (const auto* cordon = std::get_if<model::cordon_changed>(&e.payload)) {
    if (cordon->cluster == info_.name) cordons_.apply(*cordon, e.time_ns, changes);
  } else if (const auto* drain = std::get_if<model::operation_changed>(&e.payload)) {
    if (drain->now.cluster != info_.name || !drain->now.queue.empty()) return changes;
    const auto* known = drains_.find(drain->now.node);
    if (known == nullptr || !drain->now.is_running()) forget_asked(drain->now.node);
    drains_.apply(drain->now, e.time_ns, changes);
  } else if (const auto* changed = std::get_if<model::nodes_changed>(&e.payload)) {
    if (changed->cluster != info_.name || !present_) return changes;
    for (const auto& node : changed->set) {
      nodes_[node.name] = node;
      changes.emplace_back(put_node{info_.name, node});
    }
    for (const auto& name : changed->removed) {
      refusing_.erase(name);
      if (nodes_.erase(name) == 0) continue;
      changes.emplace_back(erase_node{info_.name, name});
      // A node that comes anew under the name is not judged by what an older one did.
      changes.emplace_back(put_carried{{model::carried_entry::kind::node_health,
                                        {},
                                        model::node_id(info_.name, name),
                                        {},
                                        true}});
    }
  }
  return changes;
}

}  // namespace argosy::ledger
