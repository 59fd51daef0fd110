// SPDX-License-Identifier: Apache-2.0
// This file defines how operators cordon a cluster or a node of it and take that back, and how it
// is drained: cordoned, and left by its runs. The runs that may be preempted are told to stop by
// their QUEUEs, which the tick asks for until each has answered, and the rest is waited for, until
// the drain's deadline at most.
#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/cluster/node_changes.hpp"

namespace argosy::ledger {

namespace {

std::string place_of(const model::operation& drain) {
  return drain.node.empty() ? "cluster " + drain.cluster
                            : "node " + model::node_id(drain.cluster, drain.node);
}

/// Why the runs end, for their users.
std::string reason_of(const model::operation& drain, bool all) {
  auto out = "Preempted by " + drain.by + ", who drains " + place_of(drain);
  if (all) out += ", whose time to end is over";
  return drain.reason.empty() ? out : out + ": " + drain.reason;
}

/// Returns the drain that goes on, with what the request changes of it.
model::operation joined(const model::operation& known, const drain_request& wanted,
                        std::int64_t now_ns) {
  auto out = known;
  if (wanted.deadline_after_ns > 0) out.deadline_ns = now_ns + wanted.deadline_after_ns;
  out.preempts = known.preempts || wanted.preempts;
  return out;
}

}  // namespace

cluster_answer<bool> cluster_core::cordon(const model::cordon_changed& wanted,
                                          std::int64_t now_ns) const {
  cluster_answer<bool> out;
  out.reply = true;
  if (auto leading = check_leading(); !leading) {
    out.reply = fail(std::move(leading.error()));
    return out;
  }
  const auto* known = cordons_.find(wanted.node);
  const bool same =
      wanted.on ? known != nullptr && known->reason == wanted.reason : known == nullptr;
  if (!wanted.on)
    if (auto stopped = stopped_drain(wanted.node, "uncordoned by " + wanted.by, now_ns))
      out.events.push_back(std::move(*stopped));
  // The cordon of a node that has left can still be taken back.
  const bool takes_back = !wanted.on && (!same || !out.events.empty());
  if (!wanted.node.empty() && !nodes_.contains(wanted.node) && !takes_back) {
    out.reply =
        fail(ec::not_found, "cluster '" + info_.name + "' has no node '" + wanted.node + "'");
    return out;
  }
  if (same) return out;
  out.events.push_back({now_ns, {}, wanted});
  auto after = cordons_;
  change_list changes;
  after.apply(wanted, now_ns, changes);
  set_nodes told;
  for (const auto& [name, node] : nodes_)
    if (wanted.node.empty() || wanted.node == name)
      told.nodes.push_back(with_namespaces(after.seen(node), namespaces_value(info_.namespaces)));
  if (!told.nodes.empty()) out.effects.emplace_back(std::move(told));
  return out;
}

std::size_t cluster_core::runs_there(const model::node_name& node) const {
  if (node.empty()) return runs_.size();
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? 0 : found->second.size();
}

std::optional<model::operation> cluster_core::drain_for(const model::node_name& node) const {
  const auto* known = drains_.holds_for(node);
  if (known == nullptr) return std::nullopt;
  return with_left(*known, runs_there(known->node));
}

cluster_answer<drain_reply> cluster_core::drain(const drain_request& wanted,
                                                std::int64_t now_ns) const {
  cluster_answer<drain_reply> out;
  const model::cordon_changed closed{info_.name, wanted.node, true, wanted.by, wanted.reason};
  const auto* cordon = cordons_.find(wanted.node);
  // A cordon that has a reason keeps it if the drain has none.
  if (cordon == nullptr || !wanted.reason.empty()) {
    auto cordoned = this->cordon(closed, now_ns);
    if (!cordoned.reply) {
      out.reply = fail(std::move(cordoned.reply.error()));
      return out;
    }
    out.events = std::move(cordoned.events);
    out.effects = std::move(cordoned.effects);
  } else if (auto leading = check_leading(); !leading) {
    out.reply = fail(std::move(leading.error()));
    return out;
  }
  if (const auto* known = drains_.find(wanted.node)) {
    auto changed = joined(*known, wanted, now_ns);
    if (changed != *known) out.events.push_back({now_ns, {}, model::operation_changed{changed}});
    out.reply = drain_reply{with_left(std::move(changed), runs_there(wanted.node)), true};
    return out;
  }
  model::operation begun;
  begun.id = wanted.id;
  begun.cluster = info_.name;
  begun.node = wanted.node;
  begun.by = wanted.by;
  begun.reason = wanted.reason;
  begun.begun_ns = now_ns;
  begun.total = runs_there(wanted.node);
  if (wanted.deadline_after_ns > 0) begun.deadline_ns = now_ns + wanted.deadline_after_ns;
  begun.preempts = wanted.preempts;
  out.events.push_back({now_ns, {}, model::operation_changed{begun}});
  out.reply = drain_reply{std::move(begun), false};
  return out;
}

std::optional<model::event> cluster_core::stopped_drain(const model::node_name& node,
                                                        const std::string& why,
                                                        std::int64_t now_ns) const {
  const auto* known = drains_.find(node);
  if (known == nullptr) return std::nullopt;
  auto ended = with_left(*known, runs_there(node));
  ended.state = model::operation_state::stopped;
  ended.ended_ns = now_ns;
  ended.detail = why;
  return model::event{now_ns, {}, model::operation_changed{std::move(ended)}};
}

cluster_answer<model::operation> cluster_core::stop_drain(const model::node_name& node,
                                                          const std::string& by,
                                                          std::int64_t now_ns) const {
  cluster_answer<model::operation> out;
  if (auto leading = check_leading(); !leading) {
    out.reply = fail(std::move(leading.error()));
    return out;
  }
  auto stopped = stopped_drain(node, "stopped by " + by, now_ns);
  if (!stopped) {
    const auto place = node.empty() ? "cluster '" + info_.name + "'"
                                    : "node '" + model::node_id(info_.name, node) + "'";
    out.reply = fail(ec::not_found, "no drain of " + place + " goes on");
    return out;
  }
  out.reply = std::get<model::operation_changed>(stopped->payload).now;
  out.events.push_back(std::move(*stopped));
  return out;
}

cluster_step cluster_core::drain_on(std::int64_t now_ns) {
  cluster_step step;
  if (by_.epoch.is_zero()) return step;
  for (const auto& [node, entry] : drains_.all()) {
    auto now = with_left(entry.drain, runs_there(node));
    if (now.left() <= (is_planted(planted_fault::ends_drains_early) ? 3 : 0)) {
      now.state = model::operation_state::done;
      now.ended_ns = now_ns;
    } else {
      ask_to_leave(now, now_ns, step.effects);
      if (now == entry.drain || now_ns - entry.told_ns < drain_progress_ns) continue;
    }
    step.events.push_back({now_ns, {}, model::operation_changed{std::move(now)}});
  }
  return step;
}

/// Asks the QUEUEs once for each run, and once more when the deadline has come.
void cluster_core::ask_to_leave(const model::operation& drain, std::int64_t now_ns,
                                effect_list& effects) {
  const bool all = drain.deadline_ns > 0 && now_ns >= drain.deadline_ns;
  if (!all && !drain.preempts) return;
  const auto wanted = all ? asked::by_any_means : asked::if_preemptible;
  std::map<model::queue_name, std::vector<model::run_key>> by_queue;
  const auto ask = [&](const model::run_key& key, tracked& run) {
    if (run.finished || run.desired.stopping != model::stop_cause::none || run.leave >= wanted)
      return;
    run.leave = wanted;
    by_queue[run.desired.start.queue].push_back(key);
  };
  if (drain.node.empty()) {
    for (auto& [key, run] : runs_) ask(key, run);
  } else {
    for (const auto& key : by_node_.at(drain.node)) ask(key, runs_.at(key));
  }
  for (auto& [queue, runs] : by_queue)
    effects.emplace_back(
        preempt_runs{queue, std::move(runs), drain.node, all, drain.by, reason_of(drain, all)});
}

void cluster_core::not_preempted(const std::vector<model::run_key>& runs) {
  for (const auto& key : runs)
    if (const auto found = runs_.find(key); found != runs_.end())
      found->second.leave = asked::never;
}

/// A drain has begun or ended: the next one asks for all of its runs anew.
void cluster_core::forget_asked(const model::node_name& node) {
  if (node.empty()) {
    for (auto& [key, run] : runs_) run.leave = asked::never;
  } else if (const auto found = by_node_.find(node); found != by_node_.end()) {
    for (const auto& key : found->second) runs_.at(key).leave = asked::never;
  }
}

}  // namespace argosy::ledger
