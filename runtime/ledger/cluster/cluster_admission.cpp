// SPDX-License-Identifier: Apache-2.0
// This file defines hellos, goodbyes and who may speak for a cluster, namely agents of its name and
// present incarnation that have said hello, and when a new incarnation may take the cluster over.
#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/cluster/node_changes.hpp"

namespace argosy::ledger {

namespace {

/// The incarnation that a message means. An agent that has not got the answer to its first hello
/// tells 0, and is known by its process.
model::incarnation meant_incarnation(const model::cluster_info& known, model::incarnation told,
                                     model::agent_process process) {
  const bool unnamed = told.is_zero() && !process.is_zero() && process == known.process;
  return unnamed ? known.incarnation : told;
}

}  // namespace

std::string in_seconds(boot_time span) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(span).count()) + " s";
}

model::incarnation cluster_core::next_incarnation(std::int64_t now_ns) const {
  return std::max(
      info_.incarnation.next(),
      model::incarnation{static_cast<std::uint64_t>(std::max<std::int64_t>(now_ns, 0))});
}

result<void> cluster_core::check_leading() const {
  if (!by_.epoch.is_zero()) return {};
  return fail(ec::unavailable, "this process does not lead; try again");
}

result<void> cluster_core::check_sender(const model::cluster_name& cluster,
                                        model::incarnation incarnation) const {
  if (auto leading = check_leading(); !leading) return leading;
  if (cluster != info_.name)
    return fail(ec::invalid_argument,
                "a message of cluster '" + cluster + "' came to '" + info_.name + "'");
  if (!incarnation.is_zero() && incarnation < info_.incarnation && !is_forgotten())
    return fail(ec::conflict, "cluster '" + info_.name + "' is at incarnation " +
                                  to_string(info_.incarnation) + "; an agent with " +
                                  to_string(incarnation) + " must not go on");
  return {};
}

/// Only the process that said the last hello may speak for its incarnation.
result<void> cluster_core::check_process(model::incarnation incarnation,
                                         model::agent_process process) const {
  if (!session_ || incarnation != info_.incarnation || process == info_.process) return {};
  return fail(ec::conflict,
              "cluster '" + info_.name +
                  "' is served by another process, which has said hello with the same "
                  "incarnation since; this one must not go on");
}

result<void> cluster_core::check_session(const model::cluster_name& cluster,
                                         model::incarnation incarnation,
                                         model::agent_process process) const {
  if (auto ok = check_sender(cluster, incarnation); !ok) return ok;
  if (!session_ || incarnation != info_.incarnation)
    return fail(ec::unavailable, "cluster '" + info_.name + "' has to say hello first");
  return check_process(incarnation, process);
}

/// An epoch says something within one control plane only, and not even there if it cannot be true.
result<void> cluster_core::check_allegiance(const model::agent_hello& message) const {
  constexpr const char* cure =
      "; if it is to serve this one from now on, start it with --join-control-plane, which "
      "ends the runs that it still has";
  if (!message.control_plane.empty() && !by_.control_plane.empty() &&
      message.control_plane != by_.control_plane)
    return fail(ec::denied, "the agent of cluster '" + info_.name +
                                "' belongs to another control plane (" + message.control_plane +
                                ", this one is " + by_.control_plane + ")" + cure);
  if (model::is_implausible_epoch(message.epoch_seen, by_.epoch))
    return fail(ec::denied, "the agent of cluster '" + info_.name + "' tells of epoch " +
                                to_string(message.epoch_seen) +
                                ", which cannot be, since this process leads with " +
                                to_string(by_.epoch) + cure);
  return {};
}

/// Pods outlive their agent and its lease, and other runs do not, so that an agent of the one kind
/// can neither find the runs of the other nor say that they have ended.
result<void> cluster_core::check_backend(const model::cluster_info& told) const {
  if (info_.backend.empty() || told.traits().outlives_agent == info_.traits().outlives_agent)
    return {};
  const auto live = std::ranges::count_if(
      runs_, [](const auto& run) { return run.second.sent && !run.second.finished; });
  if (live == 0) return {};
  return fail(ec::already_exists,
              "cluster '" + info_.name + "' has runs (" + std::to_string(live) + ") that backend " +
                  info_.backend + " was given, which an agent with backend " + told.backend +
                  " can neither find nor end: start the agent with backend " + info_.backend +
                  " again, cordon the cluster and wait until it is empty (argosyctl "
                  "get jobs --cluster " +
                  info_.name +
                  "); or, if those runs are certainly gone, "
                  "stop all its agents and run argosyctl cluster forget " +
                  info_.name + "; or give this agent a cluster name of its own");
}

/// Whether the agent is the present one, in the same process or restarted. The lock on its data
/// directory keeps two processes of one boot from having the same place. So one without an
/// incarnation there was killed before it kept the one that it was given, or has lost its store.
bool cluster_core::is_own_agent(const model::cluster_info& told) const {
  if (!told.process.is_zero() && told.process == info_.process) return true;
  const bool is_restarted =
      !told.place.empty() && told.place == info_.place && told.boot == info_.boot;
  if (told.incarnation.is_zero()) return is_restarted;
  return told.incarnation == info_.incarnation && (info_.process.is_zero() || is_restarted);
}

/// Another process has the present incarnation. Either the machine was started anew, or it is a
/// copy of the agent's machine or directory. If the first one is heard again, it is a copy.
result<void> cluster_core::check_copy(const model::cluster_info& told, boot_time now) {
  if (std::exchange(rival_, told.process) != told.process) rival_since_ = now;
  if (contact_ == contact_state::connected && last_contact_ > rival_since_)
    return fail(ec::already_exists,
                "cluster '" + info_.name +
                    "' is served by an agent with the same store, which was heard since this one "
                    "said hello: this one is a copy of its machine or of its data directory, and "
                    "both would run every job. Start this one with an empty data directory and a "
                    "cluster name of its own");
  return fail(ec::unavailable, "the agent of cluster '" + info_.name +
                                   "' was heard from another boot of its machine; this one waits "
                                   "until that one was silent for " +
                                   in_seconds(config_.silence_max));
}

/// Two agents may have the same name in their configurations by mistake. Then the agent that serves
/// the cluster must not lose it, and its runs must not have to wait for the end of a lease.
result<void> cluster_core::check_taking_over(const model::agent_hello& message, boot_time now) {
  if (message.take_over || !present_ || left_ || is_own_agent(message.cluster) ||
      now - last_contact_ > config_.silence_max)
    return {};
  if (message.cluster.incarnation == info_.incarnation) return check_copy(message.cluster, now);
  if (contact_ == contact_state::connected)
    return fail(ec::already_exists,
                "cluster '" + info_.name + "' is served by another agent, which was heard " +
                    in_seconds(now - last_contact_) +
                    " ago; stop that one first, give this one a cluster name of its own, or start "
                    "it with --take-over");
  if (contact_ == contact_state::expected)
    return fail(ec::unavailable,
                "cluster '" + info_.name +
                    "' was served by another agent before the server started; it may come back "
                    "for " +
                    in_seconds(config_.silence_max - (now - last_contact_)) +
                    ": wait, or start this one with --take-over");
  return {};
}

model::hello_ack cluster_core::make_ack() const {
  model::hello_ack ack;
  ack.epoch = by_.epoch;
  ack.nonce = by_.nonce;
  ack.control_plane = by_.control_plane;
  return ack;
}

namespace {

/// Fails if the agent has seen a leader above this one. Another one has the same epoch when the log
/// in which it claimed it was lost.
result<void> check_epoch(const model::agent_hello& message, const model::leadership& by) {
  const bool is_of_another = message.epoch_seen == by.epoch && !message.nonce_seen.is_zero() &&
                             !by.nonce.is_zero() && message.nonce_seen != by.nonce;
  if (message.epoch_seen <= by.epoch && !is_of_another) return {};
  return fail(ec::fenced, "the agent has seen epoch " + to_string(message.epoch_seen) +
                              (is_of_another ? " of another process" : "") +
                              ", this process leads with " + to_string(by.epoch));
}

/// A server that stood still may hand a hello on late. Its agent has said a later one since, by
/// which it judges orders.
result<void> check_order(const model::agent_hello& message, const model::cluster_info& known,
                         std::int64_t said_ns) {
  const bool is_same = !known.process.is_zero() && message.cluster.process == known.process &&
                       message.cluster.incarnation == known.incarnation;
  if (!is_same || message.said_ns >= said_ns) return {};
  return fail(ec::cancelled,
              "the agent of cluster '" + known.name + "' has said a later hello, which counts");
}

}  // namespace

cluster_answer<model::hello_ack> cluster_core::hello(const model::agent_hello& message,
                                                     std::int64_t now_ns, boot_time now) {
  cluster_answer<model::hello_ack> out;
  auto info = message.cluster;
  if (present_) info.incarnation = meant_incarnation(info_, info.incarnation, info.process);
  auto ok = check_sender(info.name, info.incarnation);
  if (ok) ok = check_allegiance(message);
  if (ok) ok = check_taking_over(message, now);
  if (ok) ok = check_backend(info);
  if (ok) ok = check_nodes(message.nodes);
  if (ok && session_ && present_) ok = check_order(message, info_, hello_.said_ns);
  if (ok)
    if (ok = check_epoch(message, by_); !ok)
      out.effects.emplace_back(epoch_seen{message.epoch_seen});
  if (!ok) {
    out.reply = fail(std::move(ok.error()));
    return out;
  }
  const bool from_before =
      is_forgotten() && !info.incarnation.is_zero() && info.incarnation < info_.incarnation;
  if (info.incarnation > info_.incarnation || from_before) {
    auto ack = make_ack();
    ack.begin_anew = true;
    out.reply = std::move(ack);
    return out;
  }
  if (is_forgotten() && !runs_.empty()) {
    out.reply = fail(ec::unavailable, "cluster '" + info_.name +
                                          "' was forgotten, and its runs are still being "
                                          "requeued; try again");
    return out;
  }
  if (info.incarnation.is_zero()) {
    // A process that is no more leaves at most a request that is under way.
    supersede(is_own_agent(info) ? now + config_.margin : lease_horizon());
    info.incarnation = next_incarnation(now_ns);
  }
  hello_.incarnation = info.incarnation;
  hello_.finds = message.finds && info.traits().outlives_agent;
  rival_ = {};
  adopt(message.runs);
  if (message.all_runs) settle_lapsing(message.cluster, now);
  info.unsettled = !lapsing_.empty();
  info.closed = closures_.record(info_.closed);
  note_leases(info, message.lapse, now_ns, now);
  if (!present_ || info != info_) out.events.push_back({now_ns, {}, model::cluster_joined{info}});
  std::set<std::string_view> listed;
  for (const auto& node : message.nodes) listed.insert(node.name);
  std::vector<model::node_name> removed;
  // An agent that waits for its cluster does not know its nodes.
  const bool tells_nodes = !message.nodes.empty() || message.trouble.why.empty();
  for (const auto& [name, node] : nodes_)
    if (tells_nodes && !listed.contains(name)) removed.push_back(name);
  plan_nodes(message.cluster, message.nodes, removed, now_ns, out.events, out.effects);
  session_ = true;
  hello_.said_ns = message.said_ns;
  agent_version_ = message.version;
  left_ = false;
  last_grant_ = now;
  set_trouble(message.trouble, out.effects);
  heard(now, out.effects);
  compare(message, now, out.effects);
  auto ack = make_ack();
  ack.incarnation = hello_.incarnation;
  ack.lease_ns = config_.lease.count();
  ack.heartbeat_ns = config_.heartbeat.count();
  ack.compare_ns = config_.compare.count();
  ack.kill_grace_ns = config_.kill_grace.count();
  out.reply = std::move(ack);
  return out;
}

cluster_answer<bool> cluster_core::goodbye(const model::agent_goodbye& message, std::int64_t now_ns,
                                           boot_time now) {
  cluster_answer<bool> out;
  const auto incarnation = present_ ? meant_incarnation(info_, message.incarnation, message.process)
                                    : message.incarnation;
  if (auto ok = check_session(message.cluster, incarnation, message.process); !ok) {
    out.reply = fail(std::move(ok.error()));
    return out;
  }
  last_contact_ = now;
  session_ = false;
  left_ = true;
  goodbye_reason_ = message.reason;
  contact_ = contact_state::silent;
  out.effects.emplace_back(set_contact{false});
  leave_if_idle(now_ns, out.events, out.effects);
  out.reply = true;
  return out;
}

}  // namespace argosy::ledger
