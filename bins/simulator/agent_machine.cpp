// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/agent_machine.hpp"

#include <algorithm>
#include <utility>

#include "bins/simulator/disks.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::sim {

agent_machine::agent_machine(std::size_t number, surroundings& around, agent_size size,
                             witness::traces& seen)
    : machine(name_of(number), number, around),
      size_(size),
      keeps_runs_(number % 2 == 1),
      seen_(seen),
      database_(std::make_shared<store::memory_database>()),
      wall_offset_ns_(to_nanos(clock().wall()) - clock().boot().count()),
      shims_(
          make_runs(),
          [this](const std::vector<model::run_event>& events) {
            for (const auto& event : events) note(event);
          },
          [this](std::chrono::nanoseconds wait, std::function<void()> what) {
            around_.time.after(wait, std::move(what));
          }) {}

agent_machine::~agent_machine() {
  kill();
}

std::optional<virtual_time::duration> agent_machine::due() {
  auto out = machine::due();
  if (is_paused()) return out;
  if (const auto next = shims_.next_due()) {
    const auto at = clock().world_time(*next);
    if (!out || at < *out) out = at;
  }
  return out;
}

void agent_machine::follow_time() {
  machine::follow_time();
  if (is_paused()) return;
  last_awake_ = around_.time.now();
  shims_.advance(clock().boot());
}

void agent_machine::note(const model::run_event& event) {
  const auto job = to_string(event.run.job);
  tell("run " + std::to_string(event.run.number) + " of " + job + " is in phase " +
       std::to_string(static_cast<int>(event.phase)));
  const auto when = clock().world_time(boot_time{event.time_ns - wall_offset_ns_}).count();
  const std::pair key{job, event.run.number};
  if (event.phase == model::run_phase::running) {
    auto& all = seen_[job];
    alive_[key] = all.size();
    all.push_back({event.run.number, name_, when, when, false});
    return;
  }
  const auto at = alive_.find(key);
  if (!model::is_final(event.phase) || at == alive_.end()) return;
  auto& mine = seen_[job][at->second];
  mine.last_ns = when;
  mine.ended =
      event.phase == model::run_phase::succeeded ||
      (event.phase == model::run_phase::failed && event.outcome.reason != backends::reason::lost);
  alive_.erase(at);
}

void agent_machine::note_alive() {
  for (const auto& [run, place] : alive_) seen_[run.first][place].last_ns = last_awake_.count();
}

backends::simulated_config agent_machine::make_runs() {
  backends::simulated_config config;
  config.manual_time = true;
  config.start = clock().boot();
  config.wall_offset_ns = wall_offset_ns_;
  backends::node_template node;
  node.count = size_.nodes;
  node.resources = {{"cpu", size_.cores * 1'000},
                    {"ephemeral-storage", std::int64_t{1} << 40},
                    {"memory", size_.cores << 32}};
  config.nodes.push_back(std::move(node));
  return config;
}

void agent_machine::end_runs(bool leave_traces) {
  note_alive();
  wall_offset_ns_ = to_nanos(clock().wall()) - clock().boot().count();
  shims_.restart(clock().boot(), wall_offset_ns_, leave_traces);
  alive_.clear();
}

void agent_machine::reboot(virtual_time::duration away) {
  // Nobody could say until when the runs of a machine that stood still went on.
  if (is_paused()) return;
  tell("boots");
  kill();
  ++boots_;
  clock().boot_again();
  end_runs(keeps_runs_);
  around_.time.after(away, [this] { start(); });
}

void agent_machine::launch() {
  ++starts_;
  const auto database = make_near_store(*this, database_);
  const auto board = metrics::make_board();
  auto memory = actors::load_executor(*database, "place of " + name_);
  if (!memory) return ended(memory.error().detail);
  connection_ = connect();
  bus_ = actors::spawn_bus(process_->system(), {connection_, board}, actors::run_on::pool);
  actors::cluster_proxy_config for_session;
  for_session.cluster = model::cluster_name{name_};
  for_session.bus = bus_;
  for_session.probes = board;
  for_session.process = {number_ * 1'000'000 + starts_};
  session_ = actors::spawn_cluster_proxy(process_->system(), std::move(for_session));
  store_ = actors::spawn_executor_store(process_->system(), {database, false, board},
                                        actors::run_on::pool);
  actors::executor_actor_config with;
  with.cluster = {model::cluster_name{name_}, model::pool_name{"default"}, "simulated", {}};
  with.cluster.place = "place of " + name_;
  with.cluster.boot = "boot " + std::to_string(boots_);
  with.cluster.process = {number_ * 1'000'000 + starts_};
  with.memory = std::move(*memory);
  with.store = store_;
  with.session = session_;
  with.clock = &clock();
  with.probes = board;
  with.make_backend = [this](backends::event_sink sink) {
    return result<std::unique_ptr<backends::backend>>{shims_.attach(std::move(sink))};
  };
  with.on_failure = [this, life = present_life()](const error& why) {
    if (!*life) return;
    shims_.detach();
    ended(why.detail);
  };
  executor_ = actors::spawn_executor(process_->system(), std::move(with));
}

void agent_machine::let_go() {
  shims_.detach();
  if (!keeps_runs_) end_runs(false);
  executor_ = nullptr;
  store_ = nullptr;
  session_ = nullptr;
  bus_ = nullptr;
  if (connection_) connection_->close();
  connection_.reset();
}

}  // namespace argosy::sim
