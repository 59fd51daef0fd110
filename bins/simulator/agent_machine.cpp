// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/agent_machine.hpp"

#include <algorithm>
#include <utility>

#include "bins/simulator/disks.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::sim {

agent_machine::agent_machine(std::size_t number, surroundings& around, agent_size size,
                             witness::traces& seen)
    : machine("agent" + std::to_string(number), number, around),
      size_(size),
      seen_(seen),
      database_(std::make_shared<store::memory_database>()) {}

agent_machine::~agent_machine() {
  kill();
}

std::optional<virtual_time::duration> agent_machine::due() {
  auto out = machine::due();
  if (backend_ == nullptr || is_paused()) return out;
  if (const auto next = backend_->next_due()) {
    const auto at = clock().world_time(*next);
    if (!out || at < *out) out = at;
  }
  return out;
}

void agent_machine::follow_time() {
  machine::follow_time();
  if (is_paused()) return;
  last_awake_ = around_.time.now();
  if (backend_ != nullptr) backend_->advance(clock().boot());
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
      event.phase == model::run_phase::succeeded || event.phase == model::run_phase::failed;
  alive_.erase(at);
}

void agent_machine::note_alive() {
  for (const auto& [run, place] : alive_) seen_[run.first][place].last_ns = last_awake_.count();
}

result<std::unique_ptr<backends::backend>> agent_machine::make_backend(backends::event_sink sink) {
  backends::simulated_config config;
  config.manual_time = true;
  config.start = clock().boot();
  wall_offset_ns_ = to_nanos(clock().wall()) - clock().boot().count();
  config.wall_offset_ns = wall_offset_ns_;
  backends::node_template node;
  node.count = size_.nodes;
  node.resources = {{"cpu", size_.cores * 1'000},
                    {"ephemeral-storage", std::int64_t{1} << 40},
                    {"memory", size_.cores << 32}};
  config.nodes.push_back(std::move(node));
  auto made = std::make_unique<backends::simulated_backend>(
      std::move(config), [this, sink](std::vector<model::run_event> events) {
        for (const auto& event : events) note(event);
        sink(std::move(events));
      });
  backend_ = made.get();
  return std::unique_ptr<backends::backend>{std::move(made)};
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
  with.cluster.boot = "boot";
  with.cluster.process = {number_ * 1'000'000 + starts_};
  with.memory = std::move(*memory);
  with.store = store_;
  with.session = session_;
  with.clock = &clock();
  with.probes = board;
  with.make_backend = [this](backends::event_sink sink) { return make_backend(std::move(sink)); };
  with.on_failure = [this, life = present_life()](const error& why) {
    if (!*life) return;
    backend_ = nullptr;
    ended(why.detail);
  };
  executor_ = actors::spawn_executor(process_->system(), std::move(with));
}

void agent_machine::let_go() {
  // Its runs end with it.
  note_alive();
  alive_.clear();
  backend_ = nullptr;
  executor_ = nullptr;
  store_ = nullptr;
  session_ = nullptr;
  bus_ = nullptr;
  if (connection_) connection_->close();
  connection_.reset();
}

}  // namespace argosy::sim
