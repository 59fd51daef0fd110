// SPDX-License-Identifier: Apache-2.0
// This file defines what operators do. They forget a cluster, which says that it is gone for good
// and counts as the confirmation that none of its runs lives, and they release quarantined nodes.
// It also defines when the record of a cluster that was forgotten, or has left, is erased.
#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/queue/job_rules.hpp"

namespace argosy::ledger {

/// Only a forgotten cluster has an incarnation, and neither a process nor a lease: an agent always
/// names its process, it is always granted a lease, and a cluster that leaves keeps both.
bool cluster_core::is_forgotten() const noexcept {
  return !present_ && !info_.incarnation.is_zero() && info_.process.is_zero() &&
         info_.lease_ns == 0;
}

result<void> cluster_core::check_forgettable(boot_time now) const {
  if (auto leading = check_leading(); !leading) return leading;
  if (info_.incarnation.is_zero())
    return fail(ec::not_found, "no agent has ever served cluster '" + info_.name + "'");
  const auto silence = now - last_contact_;
  if (contact_ == contact_state::connected)
    return fail(ec::conflict, "cluster '" + info_.name + "' is connected, its agent was heard " +
                                  in_seconds(silence) + " ago; stop its agent and wait " +
                                  in_seconds(config_.silence_max) + ", then forget it");
  if (contact_ == contact_state::expected)
    return fail(ec::unavailable,
                "the server has started anew, and the agent of cluster '" + info_.name +
                    "' may still be heard; try again in " +
                    in_seconds(std::max(config_.silence_max - silence, boot_time{})));
  return {};
}

/// The cluster keeps an incarnation that no agent was given, so that those given before are never
/// accepted again. It has left as of now, also while its runs are being settled, so that the next
/// leader settles them as well.
cluster_answer<bool> cluster_core::forget(const std::string& reason, std::int64_t now_ns,
                                          boot_time now) {
  cluster_answer<bool> out;
  if (auto ok = check_forgettable(now); !ok) {
    out.reply = fail(std::move(ok.error()));
    return out;
  }
  out.reply = true;
  if (is_forgotten()) return out;
  auto info = info_;
  info.incarnation = next_incarnation(now_ns);
  info.process = {};
  info.place.clear();
  info.boot.clear();
  info.unsettled = false;
  info.closed.clear();
  closures_.restore({});
  info.lease_ns = info.kill_grace_ns = info.lapse_since_ns = 0;
  hello_.incarnation = info.incarnation;
  inherited_until_ = {};
  session_ = left_ = false;
  rival_ = {};
  lapsing_.clear();
  unconfirmed_.clear();
  held_.clear();
  reports_.reset();
  remove_all_nodes(out.effects);
  for (auto& [key, run] : runs_) run.finished = false;
  settle_forgotten(now, out.effects);
  if (runs_.empty()) out.effects.emplace_back(retire_cluster{});
  out.events.push_back({now_ns, {}, model::cluster_joined{std::move(info)}});
  out.events.push_back({now_ns, {}, model::cluster_left{info_.name, reason}});
  return out;
}

/// Reports that the runs have stopped as they do at the end of a lease, so that the policies of
/// their jobs decide. A report may get lost: it is made again until its QUEUE has settled the run.
void cluster_core::settle_forgotten(boot_time now, effect_list& effects) {
  report_map settled;
  for (auto& [key, run] : runs_) {
    if (run.finished && now - run.sent_at < config_.resend_after) continue;
    run.finished = true;
    run.sent_at = now;
    model::run_report report;
    report.run = key;
    report.queue = run.desired.start.queue;
    report.phase = model::run_phase::stopped;
    report.outcome.reason = reason_lapsed;
    report.trace = run.desired.start.trace;
    settled[report.queue].push_back(std::move(report));
  }
  emit(std::move(settled), effects);
}

/// Incarnations are never below the time of the log, which never goes back. So nobody who joins
/// after this time is given the incarnation, or one from before it, again.
bool cluster_core::may_be_erased(model::incarnation incarnation,
                                 std::int64_t now_ns) const noexcept {
  return !present_ && !incarnation.is_zero() && incarnation == info_.incarnation && now_ns > 0 &&
         static_cast<std::uint64_t>(now_ns) > incarnation.value;
}

/// A cluster that has left is kept for a while, so that its agent may come back, and an operator
/// repeat his word, without beginning anew.
void cluster_core::erase_if_due(std::int64_t now_ns, std::vector<model::event>& events) const {
  if (!runs_.empty() || !may_be_erased(info_.incarnation, now_ns) ||
      now_ns - left_ns_ < config_.left_kept.count())
    return;
  events.push_back({now_ns, {}, model::cluster_erased{info_.name, info_.incarnation}});
}

result<std::vector<model::event>> cluster_core::release_node(const model::node_name& node,
                                                             std::int64_t now_ns) const {
  if (auto leading = check_leading(); !leading) return fail(std::move(leading.error()));
  const auto found = nodes_.find(node);
  if (found == nodes_.end())
    return fail(ec::not_found, "cluster '" + info_.name + "' has no node '" + node + "'");
  std::vector<model::event> out;
  out.push_back({now_ns, {}, model::nodes_changed{info_.name, {}, {node}}});
  out.push_back({now_ns, {}, model::nodes_changed{info_.name, {found->second}, {}}});
  return out;
}

}  // namespace argosy::ledger
