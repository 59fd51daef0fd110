// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/control_plane.hpp"

#include <caf/send.hpp>
#include <utility>

#include "bins/simulator/disks.hpp"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

/// How long an orderly end may take.
constexpr auto stop_limit = 10s;

std::shared_ptr<const codec::log_key> make_key() {
  const std::string bytes(codec::log_key::size, 'k');
  return std::make_shared<const codec::log_key>(
      *codec::log_key::from_bytes(bytes, "the key of a simulation"));
}

}  // namespace

control_plane::control_plane(std::size_t number, surroundings& around, std::uint64_t seed)
    : machine("plane" + std::to_string(number), number, around),
      seed_(seed),
      key_(make_key()),
      log_(std::make_shared<eventlog::memory_log>(
          clock(), eventlog::memory_log_options{.never_wait = true})),
      database_(std::make_shared<store::memory_database>()) {
  // Leases of minutes would lapse in hardly any world.
  rules_.cluster_rules.lease = 40s;
  rules_.cluster_rules.kill_grace = 5s;
}

control_plane::~control_plane() {
  kill();
}

void control_plane::restart() {
  if (!leads()) return;
  tell("stops in order");
  caf::anon_send(root_, atom::shutdown_v);
  around_.time.after(stop_limit, [this, life = present_life()] {
    if (!*life) return;
    kill();
    start();
  });
}

void control_plane::lose_log_tail(std::uint64_t records) {
  const auto last = log_->last_position();
  if (!last || last->value <= records) return;
  log_->lose_tail(records);
  tell("the log lost " + std::to_string(records));
}

void control_plane::write_foreign(std::uint64_t back) {
  const auto last = log_->last_position();
  if (!last || last->is_zero()) return;
  std::string data = "what somebody else has written";
  if (back > 0)
    if (const auto old = log_->get(newest_but(back - 1))) data = old->data;
  const auto id = "foreign." + to_string(*last + 1);
  if (log_->append(*last, id, data)) tell("the log got a foreign record");
}

model::log_position control_plane::newest_but(std::uint64_t back) {
  const auto last = log_->last_position();
  if (!last || last->is_zero()) return {};
  return {last->value > back ? last->value - back : 1};
}

void control_plane::launch() {
  ++starts_;
  epoch_ = 0;
  const auto log = make_far_log(*this, log_);
  const auto database = make_near_store(*this, database_);
  auto recovered = view::recover(*database, *log, rules_, *key_);
  if (!recovered) return ended(recovered.error().detail);
  connection_ = connect();
  // The machine itself never stops.
  const std::string boot_id = "boot";
  std::optional<wall_time> newest;
  if (recovered->newest_ns > 0) newest = from_nanos(recovered->newest_ns);
  const log_time_rules times;
  clock_ = std::make_unique<logging::log_clock>(
      clock(), boot_id, times,
      begin_log_time(times, newest, recovered->clock,
                     {{}, clock().wall(), clock().boot(), boot_id}));
  actors::root_config with;
  with.recovered = std::move(*recovered);
  with.database = database;
  with.log = log;
  with.log_key = key_;
  with.rules = rules_;
  with.connection = connection_;
  with.clock = clock_.get();
  with.mark_clock = [clock = clock_.get()] { return clock->mark(); };
  with.scheduling = settings_.rounds()->common;
  with.config_version = settings_.version();
  with.settings = read_settings(settings_);
  with.rounds.verify = scheduling::verification::always;
  with.holder = name_;
  with.claim_nonce = {seed_ + starts_};
  with.seed = seed_ + starts_;
  with.control_plane = "simulated";
  with.blocking_on = actors::run_on::pool;
  with.on_ready = [this](model::epoch epoch) {
    epoch_ = epoch.value;
    tell("leads with epoch " + std::to_string(epoch_));
  };
  with.on_failure = [this, life = present_life()](const std::string& why) {
    if (*life) ended(why);
  };
  with.on_crash = [this, life = present_life()] {
    if (*life) around_.found("an actor of " + name_ + " ended by an exception");
  };
  root_ = actors::spawn_root(process_->system(), std::move(with));
}

void control_plane::let_go() {
  epoch_ = 0;
  root_ = nullptr;
  if (connection_) connection_->close();
  connection_.reset();
}

}  // namespace argosy::sim
