// SPDX-License-Identifier: Apache-2.0
// This file defines how a request of the executor is served: what the CLUSTER is asked first, and
// what follows from its answers.
#include "runtime/ledger/armada/armada_core.hpp"

#include <xxhash.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace argosy::ledger {

namespace {

/// A number that is never 0. All processes of a control plane have to make the same one of a name.
std::uint64_t number_of(std::string_view name) {
  return XXH3_64bits(name.data(), name.size()) | 1;
}

/// The place of all agents that are executors of Armada.
constexpr const char* place = "executorapi";

}  // namespace

armada_core::armada_core(armada_config config)
    : config_(std::move(config)), process_{number_of("executorapi/" + config_.cluster)} {}

result<void> armada_core::check(const armada_request& asked, boot_time now) const {
  if (open_)
    return fail(ec::unavailable, "the last request of executor '" + config_.cluster +
                                     "' is still being served; it asks again by itself");
  if (nodes_.empty() || asked.nodes.empty() || !last_request_ ||
      now - *last_request_ > config_.rival_window)
    return {};
  std::set<std::string_view> names;
  for (const auto& node : nodes_) names.insert(node.name);
  if (std::any_of(asked.nodes.begin(), asked.nodes.end(),
                  [&](const auto& node) { return names.contains(node.name); }))
    return {};
  return fail(ec::already_exists,
              "executor '" + config_.cluster +
                  "' asked a moment ago, with other nodes altogether: two executors have the same "
                  "name, and both would run every job. Give this one a name of its own");
}

armada_core::effects armada_core::request(std::uint64_t number, armada_request asked, boot_time now,
                                          std::int64_t now_ns) {
  effects out;
  if (auto ok = check(asked, now); !ok) {
    out.emplace_back(armada_reply{number, fail(std::move(ok.error()))});
    return out;
  }
  now_ = now;
  now_ns_ = now_ns;
  last_request_ = now;
  open_ = open_request{number, std::move(asked), {}};
  take_list();
  plan(now);
  go_on(out);
  return out;
}

/// A hello is followed by a heartbeat, since the orders that follow from the hello may come after
/// its answer, but come before that of the heartbeat.
void armada_core::plan(boot_time now) {
  auto& steps = open_->steps;
  steps.clear();
  if (!session_)
    steps = {step::bare_hello, step::heartbeat, step::full_hello, step::heartbeat};
  else if (!unresolved_.empty() || now - last_hello_ >= compare_)
    steps = {step::full_hello, step::heartbeat};
  else if (open_->asked.nodes != nodes_)
    steps = {step::nodes, step::heartbeat};
  else
    steps = {step::heartbeat};
}

void armada_core::go_on(effects& out) {
  if (open_->steps.empty()) {
    conclude(out);
    return;
  }
  const auto next = open_->steps.front();
  open_->steps.pop_front();
  switch (next) {
    case step::bare_hello:
      open_->greeted = true;
      out.emplace_back(armada_hello{make_hello(false)});
      return;
    case step::full_hello:
      open_->told = true;
      out.emplace_back(armada_hello{make_hello(true)});
      return;
    case step::nodes:
      out.emplace_back(armada_nodes{make_nodes()});
      return;
    case step::heartbeat: {
      last_said_ = std::max(last_said_ + 1, now_.count());
      out.emplace_back(armada_heartbeat{{config_.cluster, incarnation_, process_, last_said_}});
      return;
    }
  }
}

/// The incarnation is always that of the process that the CLUSTER knows, if it knows this one, and
/// a new one otherwise: after the cluster was forgotten, and when an agent had served it.
model::agent_hello armada_core::make_hello(bool with_runs) {
  model::agent_hello out;
  out.cluster.name = config_.cluster;
  if (!open_->asked.pool.empty()) out.cluster.pool = open_->asked.pool;
  out.cluster.backend = model::kubernetes_backend;
  out.cluster.place = place;
  out.cluster.process = process_;
  last_said_ = std::max(last_said_ + 1, now_.count());
  out.said_ns = last_said_;
  out.nodes = open_->asked.nodes;
  possible_.clear();
  refused_.clear();
  if (!with_runs) return out;
  for (const auto& [key, each] : runs_)
    if (each.listed && !is_over(each))
      out.runs.push_back({key, each.start ? each.start->queue : model::queue_name{},
                          each.begun ? model::run_phase::running : model::run_phase::pending,
                          each.node});
  for (const auto& id : unresolved_)
    for (const auto& key : config_.runs_of(id)) {
      possible_.insert(key);
      out.runs.push_back({key, {}, model::run_phase::pending, {}});
    }
  return out;
}

model::agent_nodes armada_core::make_nodes() const {
  model::agent_nodes out;
  out.cluster = config_.cluster;
  out.incarnation = incarnation_;
  out.process = process_;
  std::map<std::string_view, const model::node_info*> before;
  for (const auto& node : nodes_) before[node.name] = &node;
  for (const auto& node : open_->asked.nodes) {
    const auto found = before.find(node.name);
    if (found == before.end() || *found->second != node) out.set.push_back(node);
    if (found != before.end()) before.erase(found);
  }
  for (const auto& [name, node] : before) out.removed.emplace_back(name);
  return out;
}

armada_core::effects armada_core::hello(const result<model::hello_ack>& answer, boot_time now) {
  effects out;
  if (!open_) return out;
  if (!answer) {
    lose_session();
    give_up(answer.error(), out);
    return out;
  }
  if (answer->begin_anew) {
    begin_life({}, out);
    give_up({ec::unavailable, "the control plane has begun anew with cluster '" + config_.cluster +
                                  "'; the executor asks again by itself"},
            out);
    return out;
  }
  if (answer->incarnation != incarnation_) {
    begin_life(answer->incarnation, out);
    if (!open_->greeted) {
      plan(now);
      go_on(out);
      return out;
    }
  }
  session_ = true;
  compare_ = boot_time{answer->compare_ns};
  last_hello_ = now;
  nodes_ = open_->asked.nodes;
  go_on(out);
  return out;
}

armada_core::effects armada_core::nodes(const result<bool>& answer) {
  effects out;
  if (!open_) return out;
  if (!answer) {
    lose_session();
    give_up(answer.error(), out);
    return out;
  }
  nodes_ = open_->asked.nodes;
  go_on(out);
  return out;
}

armada_core::effects armada_core::heartbeat(const result<model::heartbeat_ack>& answer) {
  effects out;
  if (!open_) return out;
  const bool greet = !answer || answer->hello_wanted;
  if (greet && !open_->greeted) {
    // The CLUSTER may be another one since the last request.
    lose_session();
    plan(now_);
    go_on(out);
    return out;
  }
  if (greet) {
    lose_session();
    give_up(answer ? error{ec::unavailable,
                           "the control plane wants another hello; the executor "
                           "asks again by itself"}
                   : answer.error(),
            out);
    return out;
  }
  go_on(out);
  return out;
}

void armada_core::give_up(const error& why, effects& out) {
  out.emplace_back(armada_reply{open_->number, fail(why)});
  open_.reset();
}

void armada_core::lose_session() {
  session_ = ready_ = sending_ = false;
}

/// Nothing that was said under another incarnation counts any more.
void armada_core::begin_life(model::incarnation incarnation, effects& out) {
  lose_session();
  incarnation_ = incarnation;
  runs_.clear();
  keys_.clear();
  foreign_.clear();
  unresolved_.clear();
  outbox_.clear();
  if (last_sequence_ > committed_)
    out.emplace_back(armada_taken{
        last_sequence_,
        fail(ec::unavailable, "the control plane has begun anew with cluster '" + config_.cluster +
                                  "'; the executor reports these "
                                  "events again by itself")});
  last_sequence_ = committed_ = 0;
  if (!open_) return;
  open_->told = false;
  take_list();
}

}  // namespace argosy::ledger
