// SPDX-License-Identifier: Apache-2.0
// The runs of a cluster: the comparison of what should be there with what the agent says, and the
// orders that wait or are repeated.
#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/model/amounts.hpp"

namespace argosy::ledger {

using model::run_key;
using model::stop_cause;

void cluster_core::track(desired_run run, bool sent) {
  const auto key = run.start.run;
  by_node_[run.start.node].insert(key);
  tracked item;
  item.desired = std::move(run);
  item.sent = sent;
  runs_.try_emplace(key, std::move(item));
}

bool cluster_core::unconfirmed(const tracked& run) const {
  return !run.finished && (!run.desired.reported || run.desired.stopping != stop_cause::none);
}

cluster_step cluster_core::start(std::vector<model::start_run> runs, boot_time now) {
  cluster_step step;
  model::agent_orders orders;
  report_map disowned;
  for (auto& order : runs) {
    const auto key = order.run;
    if (runs_.contains(key)) continue;
    step.effects.emplace_back(bind_run{order.node, key, order.requests});
    desired_run desired;
    desired.start = std::move(order);
    track(std::move(desired), false);
    auto& run = runs_.at(key);
    if (const auto early = early_stops_.find(key); early != early_stops_.end()) {
      run.desired.stopping = early->second.cause;
      run.desired.stop_reason = early->second.reason;
      early_stops_.erase(early);
      disown(key, run, disowned);
      continue;
    }
    // The plan is from before the record was erased, so that no agent will be given the run.
    if (info_.incarnation.is_zero()) {
      disown(key, run, disowned);
      continue;
    }
    unconfirmed_.insert(key);
    if (online()) order_start(key, run, now, orders);
  }
  if (is_forgotten()) settle_forgotten(now, step.effects);
  emit(std::move(orders), step.effects);
  emit(std::move(disowned), step.effects);
  give_back_shut(step.effects);
  return step;
}

cluster_step cluster_core::stop(std::vector<model::stop_run> runs, boot_time now) {
  cluster_step step;
  model::agent_orders orders;
  report_map disowned;
  for (auto& order : runs) {
    const auto found = runs_.find(order.run);
    if (found == runs_.end()) {
      early_stops_.try_emplace(order.run, order);
      continue;
    }
    auto& [key, run] = *found;
    run.desired.stopping = order.cause;
    run.desired.stop_reason = std::move(order.reason);
    run.lapsed = lapse::none;  // A job that waited for confirmation need not wait any more.
    if (run.finished || lapsing_.contains(key)) continue;
    if (!run.sent) {
      disown(key, run, disowned);
      continue;
    }
    unconfirmed_.insert(key);
    if (session_) order_stop(key, run, now, orders);
  }
  emit(std::move(orders), step.effects);
  emit(std::move(disowned), step.effects);
  return step;
}

/// The agent does not have the run and will never get it: its QUEUE settles it.
void cluster_core::disown(const run_key& key, tracked& run, report_map& out) {
  run.finished = true;
  unconfirmed_.erase(key);
  held_.erase(key);
  model::run_report report;
  report.run = key;
  report.queue = run.desired.start.queue;
  report.phase = model::run_phase::unknown;
  report.trace = run.desired.start.trace;
  out[report.queue].push_back(std::move(report));
}

bool cluster_core::must_wait(const tracked& run) const {
  const auto& start = run.desired.start;
  const auto node = nodes_.find(start.node);
  const auto others = by_node_.find(start.node);
  if (node == nodes_.end() || others == by_node_.end()) return false;
  bool room_is_coming = false;
  model::resource_list taken;
  for (const auto& [resource, amount] : start.requests) taken.emplace_back(resource, amount);
  for (const auto& key : others->second) {
    const auto& other = runs_.at(key);
    if (&other == &run || other.finished || !other.sent) continue;
    room_is_coming = room_is_coming || other.desired.stopping != stop_cause::none;
    for (auto& [resource, amount] : taken)
      amount += model::amount_of(other.desired.start.requests, resource);
  }
  return room_is_coming && std::any_of(taken.begin(), taken.end(), [&](const auto& item) {
           return item.second > model::amount_of(node->second.allocatable, item.first);
         });
}

void cluster_core::order_start(const run_key& key, tracked& run, boot_time now,
                               model::agent_orders& orders) {
  if (may_be_over(run)) return;
  if (run.sent && is_planted(planted_fault::repeats_no_start)) return;
  const auto& start = run.desired.start;
  if ((!run.sent && entrance_of(closures_, start) != entrance::open) || must_wait(run)) {
    held_.insert(key);
    return;
  }
  held_.erase(key);
  if (!run.sent) note_sent(closures_, start);
  run.sent = true;
  run.sent_at = now;
  orders.start.push_back(run.desired.start);
  orders.start.back().lapses = pods_lapse(info_, run.desired.start.leased_ns);
}

void cluster_core::order_stop(const run_key& key, tracked& run, boot_time now,
                              model::agent_orders& orders) {
  run.sent_at = now;
  if (is_planted(planted_fault::orders_no_stop)) return;
  orders.stop.push_back(
      {key, run.desired.stopping, run.desired.stop_reason, run.desired.start.trace});
}

void cluster_core::emit(model::agent_orders orders, effect_list& effects) const {
  if (orders.start.empty() && orders.stop.empty() && orders.find.empty()) return;
  orders.epoch = by_.epoch;
  orders.nonce = by_.nonce;
  orders.control_plane = by_.control_plane;
  orders.hello_ns = hello_.said_ns;
  orders.incarnation = hello_.incarnation;
  orders.process = info_.process;
  effects.emplace_back(send_orders{std::move(orders)});
}

void cluster_core::emit(report_map reports, effect_list& effects) const {
  for (auto& [queue, list] : reports)
    effects.emplace_back(forward_reports{queue, std::move(list), hello_.incarnation});
}

void cluster_core::release_held(boot_time now, effect_list& effects) {
  if (held_.empty() || !online()) return;
  model::agent_orders orders;
  const std::vector<run_key> waiting(held_.begin(), held_.end());
  for (const auto& key : waiting) order_start(key, runs_.at(key), now, orders);
  emit(std::move(orders), effects);
}

void cluster_core::resend(boot_time now, effect_list& effects) {
  if (!online()) return;
  model::agent_orders orders;
  for (const auto& key : unconfirmed_) {
    auto& run = runs_.at(key);
    if (held_.contains(key) || now - run.sent_at < config_.resend_after) continue;
    if (run.desired.stopping != stop_cause::none)
      order_stop(key, run, now, orders);
    else
      order_start(key, run, now, orders);
  }
  if (hello_.finds && trouble_.why.empty())
    for (auto& [key, at] : lapsing_) {
      if (now < at.find_at) continue;
      at.find_at = now + config_.resend_after;
      auto& order = orders.find.emplace_back(runs_.at(key).desired.start);
      order.spec.reset();
    }
  emit(std::move(orders), effects);
}

void cluster_core::let_lapse(const run_key& key, boot_time alone_at, model::incarnation holder) {
  const bool by_time = !info_.traits().outlives_agent;
  const auto over = by_time ? lease_horizon() : boot_time::max();
  lapsing_.try_emplace(key, lapsing_run{over, alone_at, holder});
  unconfirmed_.erase(key);
  held_.erase(key);
}

/// A newer incarnation speaks. The older one may have lost its store, or may be another agent of
/// the same name that still holds a lease, so that the runs that it was sent wait for the end of
/// that lease. The newer one may have sent reports before, so that its outbox may begin with any
/// sequence.
void cluster_core::supersede(boot_time alone_at) {
  reports_.reset();
  for (const auto& [key, run] : runs_)
    if (run.sent) let_lapse(key, alone_at, info_.incarnation);
}

void cluster_core::compare(const model::agent_hello& message, boot_time now, effect_list& effects) {
  absl::btree_map<run_key, model::run_phase> listed;
  for (const auto& run : message.runs) listed[run.run] = run.phase;
  model::agent_orders orders;
  for (auto& [key, run] : runs_) {
    if (lapsing_.contains(key)) continue;
    const auto found = listed.find(key);
    if (found != listed.end()) {
      run.sent = true;
      run.desired.reported = true;
      held_.erase(key);
      if (model::is_final(found->second)) run.finished = true;
      if (!run.finished && run.desired.stopping != stop_cause::none)
        order_stop(key, run, now, orders);
    } else if (!run.finished) {
      // The agent may have written this before an order or report of ours arrived.
      if (run.desired.stopping != stop_cause::none)
        order_stop(key, run, now, orders);
      else
        order_start(key, run, now, orders);
    }
    if (unconfirmed(run))
      unconfirmed_.insert(key);
    else
      unconfirmed_.erase(key);
  }
  for (const auto& [key, phase] : listed)
    if (!model::is_final(phase) && !runs_.contains(key))
      orders.stop.push_back(
          {key, stop_cause::cancel, "the control plane does not have this run any more", {}});
  emit(std::move(orders), effects);
}

cluster_step cluster_core::run_over(const run_key& run, run_verdict verdict, std::int64_t now_ns,
                                    boot_time now) {
  cluster_step step;
  early_stops_.erase(run);
  const auto found = runs_.find(run);
  if (found == runs_.end()) return step;
  const auto node = found->second.desired.start.node;
  const auto peers = by_node_.find(node);
  peers->second.erase(run);
  if (peers->second.empty()) by_node_.erase(peers);
  unconfirmed_.erase(run);
  held_.erase(run);
  closures_.over(run);
  lapsing_.erase(run);
  runs_.erase(found);
  if (verdict == run_verdict::refused && nodes_.contains(node)) refusing_.insert(node);
  step.effects.emplace_back(unbind_run{node, run, verdict});
  release_held(now, step.effects);
  if ((drains_.find(node) != nullptr && runs_there(node) == 0) ||
      (drains_.find({}) != nullptr && runs_.empty())) {
    auto drained = drain_on(now_ns);
    std::move(drained.events.begin(), drained.events.end(), std::back_inserter(step.events));
    std::move(drained.effects.begin(), drained.effects.end(), std::back_inserter(step.effects));
  }
  leave_if_idle(now_ns, step.events, step.effects);
  if (is_forgotten() && runs_.empty()) step.effects.emplace_back(retire_cluster{});
  return step;
}

}  // namespace argosy::ledger
