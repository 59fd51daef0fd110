// SPDX-License-Identifier: Apache-2.0
#include "tests/support/control_plane/scripted_agent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <caf/stateful_actor.hpp>
#include <chrono>
#include <utility>

#include "actors/caf_error.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;
using model::run_phase;

void agent_script::add_report(const model::run_key& run, run_phase phase,
                              model::run_outcome outcome, std::int64_t time_ns) {
  model::run_report report;
  report.sequence = ++sequence;
  report.run = run;
  report.queue = live.at(run).queue;
  report.phase = phase;
  report.outcome = std::move(outcome);
  report.time_ns = time_ns;
  outbox.push_back(std::move(report));
  if (is_final(phase)) live.erase(run);
}

namespace {

constexpr auto heartbeat_period = 2s;
constexpr auto request_timeout = 10s;

struct agent_state {
  using pointer = caf::stateful_actor<agent_state, scripted_agent_actor::base>*;

  explicit agent_state(pointer self_) : self(self_) {}

  scripted_agent_actor::behavior_type make_behavior(std::shared_ptr<agent_script> with);
  caf::result<atom::ok> orders(const model::agent_orders& wanted);
  void hello();
  void say_hello(const actors::cluster_actor& to);
  void beat();
  void flush();
  void failed(const caf::error& err) { script->errors.push_back(actors::from_caf(err)); }

  pointer self;
  std::shared_ptr<agent_script> script;
};

scripted_agent_actor::behavior_type agent_state::make_behavior(std::shared_ptr<agent_script> with) {
  script = std::move(with);
  self->delayed_send(self, heartbeat_period, atom::tick_v);
  return {
      [this](atom::orders, const native::orders_ptr& wanted) { return orders(*wanted); },
      [this](atom::read_log, const model::log_request& wanted) {
        const auto& output = script->output;
        const auto begin = std::min<std::uint64_t>(wanted.offset, output.size());
        auto data = output.substr(begin, wanted.size_max);
        const auto next = begin + data.size();
        return native::log_chunk_ptr{std::make_shared<const model::log_chunk>(
            model::log_chunk{std::move(data), next, next == output.size()})};
      },
      [this](atom::hello) { hello(); },
      [this](atom::tick) {
        beat();
        self->delayed_send(self, heartbeat_period, atom::tick_v);
      },
      [this](atom::flush) { flush(); },
      [this](atom::goodbye) {
        model::agent_goodbye bye{script->cluster.name, script->cluster.incarnation, "stopped"};
        self->request(script->session, request_timeout, atom::goodbye_v, bye)
            .then([](atom::ok) {}, [this](const caf::error& err) { failed(err); });
        script->connected = false;
      },
      [this](atom::nodes) {
        auto told = std::make_shared<model::agent_nodes>();
        told->cluster = script->cluster.name;
        told->incarnation = script->cluster.incarnation;
        told->set = script->nodes;
        self->request(script->session, request_timeout, atom::nodes_v, native::nodes_ptr{told})
            .then([](atom::ok) {}, [this](const caf::error& err) { failed(err); });
      },
  };
}

caf::result<atom::ok> agent_state::orders(const model::agent_orders& wanted) {
  if (script->silent) return actors::to_caf({ec::unreachable, "cut off"});
  if (wanted.epoch < script->epoch_seen) return actors::to_caf({ec::fenced, "an older epoch"});
  script->epoch_seen = wanted.epoch;
  for (const auto& stop : wanted.stop) {
    script->stops.push_back(stop);
    if (script->obeys_stops && script->live.contains(stop.run))
      script->add_report(stop.run, run_phase::stopped, {143, 15, "", stop.reason}, 0);
  }
  for (const auto& start : wanted.start) {
    if (script->begun.contains(start.run)) continue;
    script->live.emplace(start.run, start);
    ++script->begun[start.run];
    if (script->refuses_starts) {
      script->add_report(start.run, run_phase::refused, script->refusal, 0);
      continue;
    }
    if (!script->starts_runs) continue;
    script->add_report(start.run, run_phase::pending, {}, 0);
    script->add_report(start.run, run_phase::running, {}, 0);
  }
  flush();
  return atom::ok_v;
}

void agent_state::hello() {
  self->request(script->root, request_timeout, atom::ensure_v,
                model::cluster_name{script->cluster.name})
      .then([this](const actors::cluster_actor& to) { say_hello(to); },
            [this](const caf::error& err) { failed(err); });
}

void agent_state::say_hello(const actors::cluster_actor& to) {
  script->session = to;
  auto message = std::make_shared<model::agent_hello>();
  message->cluster = script->cluster;
  message->epoch_seen = script->epoch_seen;
  message->nonce_seen = script->nonce_seen;
  message->nodes = script->nodes;
  message->take_over = script->take_over;
  message->trouble = script->trouble;
  for (const auto& [run, start] : script->live)
    message->runs.push_back({run, start.queue, run_phase::running, start.node});
  self->request(to, request_timeout, atom::hello_v, native::hello_ptr{message},
                caf::actor_cast<actors::executor_actor>(self))
      .then(
          [this](const model::hello_ack& ack) {
            script->cluster.incarnation = ack.incarnation;
            script->connected = true;
            script->reporting = false;
            ++script->hellos;
            flush();
          },
          [this](const caf::error& err) { failed(err); });
}

void agent_state::beat() {
  if (!script->connected || script->silent) return;
  model::agent_heartbeat beat{script->cluster.name, script->cluster.incarnation,
                              script->cluster.process};
  self->request(script->session, request_timeout, atom::heartbeat_v, beat)
      .then(
          [this](const model::heartbeat_ack& ack) {
            if (ack.hello_wanted) say_hello(script->session);
          },
          [](const caf::error&) {});
  flush();
}

void agent_state::flush() {
  if (!script->connected || script->silent || script->reporting || script->outbox.empty()) return;
  script->reporting = true;
  auto batch = std::make_shared<model::report_batch>();
  batch->cluster = script->cluster.name;
  batch->incarnation = script->cluster.incarnation;
  batch->process = script->cluster.process;
  batch->reports.assign(script->outbox.begin(), script->outbox.end());
  self->request(script->session, request_timeout, atom::report_v, native::report_ptr{batch})
      .then(
          [this](const model::report_ack& ack) {
            script->reporting = false;
            while (!script->outbox.empty() &&
                   script->outbox.front().sequence <= ack.committed_sequence)
              script->outbox.pop_front();
            flush();
          },
          [this](const caf::error&) { script->reporting = false; });
}

}  // namespace

scripted_agent_actor spawn_scripted_agent(caf::actor_system& system,
                                          std::shared_ptr<agent_script> script) {
  return system.spawn(
      [](agent_state::pointer self, std::shared_ptr<agent_script> with) {
        return self->state.make_behavior(std::move(with));
      },
      std::move(script));
}

scripted_agent::scripted_agent(caf::actor_system& system, model::cluster_info cluster,
                               std::vector<model::node_info> nodes)
    : script_(std::make_shared<agent_script>()) {
  script_->cluster = std::move(cluster);
  script_->nodes = std::move(nodes);
  actor_ = spawn_scripted_agent(system, script_);
}

std::map<model::run_key, model::start_run>::iterator scripted_agent::find(
    const std::string& job) const {
  auto it = script_->live.begin();
  while (it != script_->live.end() && to_string(it->first.job) != job) ++it;
  return it;
}

void scripted_agent::end(const std::string& job, run_phase phase,
                         model::run_outcome outcome) const {
  const auto found = find(job);
  ASSERT_NE(found, script_->live.end()) << "job " << job << " has no run on this agent";
  script_->add_report(found->first, phase, std::move(outcome), 0);
  caf::anon_send(actor_, atom::flush_v);
}

void scripted_agent::say(const std::string& job, run_phase phase, const std::string& note) const {
  const auto found = find(job);
  ASSERT_NE(found, script_->live.end()) << "job " << job << " has no run on this agent";
  script_->add_report(found->first, phase, {}, 0);
  script_->outbox.back().note = note;
  caf::anon_send(actor_, atom::flush_v);
}

int scripted_agent::begun(const std::string& job) const {
  int count = 0;
  for (const auto& [run, times] : script_->begun)
    if (to_string(run.job) == job) count += times;
  return count;
}

void scripted_agent::kill() {
  caf::anon_send_exit(actor_, caf::exit_reason::kill);
  actor_ = nullptr;
  script_->root = nullptr;
  script_->session = nullptr;
}

model::node_info node_of(const std::string& name, int cores) {
  model::node_info node;
  node.name = model::node_name{name};
  node.total = {{"cpu", cores * 1'000LL},
                {"ephemeral-storage", std::int64_t{1} << 40},
                {"memory", 256LL << 30}};
  node.allocatable = node.total;
  return node;
}

}  // namespace argosy::tests
