// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/control_plane.hpp"

#include <algorithm>
#include <caf/send.hpp>
#include <utility>

#include "actors/standby/lead_answers.hpp"
#include "bins/simulator/disks.hpp"
#include "messages/view/recovery/log_state.hpp"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

/// How long an orderly end may take.
constexpr auto stop_limit = 10s;
/// A leader that is silent for so long is deposed.
constexpr auto takeover = 10s;
constexpr auto memory_time = 2ms;  ///< To keep what is known of leaders.
constexpr auto fetch_pause = 5s;   ///< Before a snapshot is asked for again.

std::shared_ptr<const codec::log_key> make_key() {
  const std::string bytes(codec::log_key::size, 'k');
  return std::make_shared<const codec::log_key>(
      *codec::log_key::from_bytes(bytes, "the key of a simulation"));
}

}  // namespace

control_plane::control_plane(std::size_t number, surroundings& around, std::uint64_t seed,
                             const eventlog::memory_log& server, bool together)
    : machine("plane" + std::to_string(number), number, around),
      seed_(seed),
      key_(make_key()),
      log_(std::make_shared<eventlog::memory_log>(server)),
      together_(together),
      database_(std::make_shared<store::memory_database>()) {
  // Leases of minutes would lapse in hardly any world.
  rules_.cluster_rules.lease = 40s;
  rules_.cluster_rules.kill_grace = 5s;
  // A deposed leader finds this out with its second look at the log.
  rules_.cluster_rules.predecessor_max = 2 * ledger::leader_times{}.heartbeat;
}

control_plane::~control_plane() {
  kill();
}

void control_plane::restart() {
  if (!leads()) return;
  tell("stops in order");
  caf::anon_send(now_.root, atom::shutdown_v);
  around_.time.after(stop_limit, [this, life = present_life()] {
    if (!*life) return;
    kill();
    start();
  });
}

model::epoch control_plane::known_epoch() const {
  const auto memory = codec::decode_lead_memory(memory_);
  return std::max(led_, memory && memory->met ? memory->met->epoch : model::epoch{});
}

void control_plane::lose_log_tail(std::uint64_t records) {
  const auto last = log_->last_position();
  if (!last || last->value <= records) return;
  log_->lose_tail(records);
  around_.net.renew_server();
  tell("the log lost " + std::to_string(records));
}

std::unique_ptr<store::memory_database> control_plane::give_store() {
  if (!is_up() || !now_.root) return nullptr;
  is_wanted_ = true;
  return database_->clone();
}

void control_plane::lose_disk(virtual_time::duration away) {
  crash(away);
  database_ = std::make_shared<store::memory_database>();
  memory_.clear();
  tell("lost its disk");
}

std::string control_plane::plane_id() const {
  const auto memory = codec::decode_lead_memory(memory_);
  return memory ? memory->plane : std::string{};
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
  is_wanted_ = false;
  now_.connection = connect();
  // The process before may have died before any log had what it wrote.
  if (const auto rows = view::read_tail(*database_, {}))
    for (const auto& row : *rows) around_.stored(row.position, row.data);
  now_.ground = {make_near_store(*this, database_), make_far_log(*this, log_, around_.stored), key_,
                 &clock()};
  now_.waiting = std::make_shared<probes::standby_probe>(clock());
  actors::candidacy_config with;
  with.ground = now_.ground;
  with.connection = now_.connection;
  with.rules = rules_;
  with.process = name_ + "/" + std::to_string(starts_);
  with.place = name_;
  with.joins = together_;
  if (!memory_.empty()) with.memory = memory_;
  with.keep = [this, life = present_life()](const std::string& bytes) -> result<void> {
    wait_for_disk(memory_time, life);
    memory_ = bytes;
    return {};
  };
  with.new_plane = [this] { return name_ + "." + std::to_string(++planes_); };
  auto opened = actors::candidacy::open(std::move(with));
  if (!opened) return ended(opened.error().detail);
  now_.candidate = std::move(*opened);
  wait_for_lead();
}

void control_plane::wait_for_lead() {
  actors::standby_config with;
  with.candidate = now_.candidate;
  with.connection = now_.connection;
  with.clock = &clock();
  with.times.takeover = takeover;
  with.read_wait = {};
  with.waiting = now_.waiting;
  with.tell = [](const std::string&) {};
  with.on_end = [this, life = present_life()](actors::standby_end how) {
    if (!*life) return;
    if (how == actors::standby_end::may_claim) return do_soon(&control_plane::lead);
    if (together_) return do_soon(&control_plane::fetch_store);
    // Its log never rolls over.
    around_.found(name_ + " needs a snapshot");
  };
  actors::spawn_standby(process_->system(), std::move(with), actors::run_on::pool);
}

/// A copy of the leader's store takes the place of the own one, and the process opens that.
void control_plane::fetch_store() {
  auto copy = around_.leaders_store();
  view::view_position end;
  if (copy) {
    const auto txn = copy->begin_read();
    if (const auto at = view::read_position(**txn); at && *at) end = **at;
  }
  if (!copy || !now_.candidate->why_unfit(end).empty()) {
    now_.candidate->miss_snapshot();
    return around_.time.after(fetch_pause, [this, life = present_life()] {
      if (*life) do_soon(&control_plane::wait_for_lead);
    });
  }
  if (!view::write_plane_mark(*copy, now_.candidate->mark())) return;
  tell("fetched the leader's store");
  database_ = std::move(copy);
  ended("its store was replaced");
}

void control_plane::do_soon(void (control_plane::*what)()) {
  around_.time.after(1us, [this, what, life = present_life()] {
    if (*life) around_.fibers.run(number_, [this, what] { (this->*what)(); });
  });
}

void control_plane::lead() {
  now_.gives_up_planes = now_.candidate->gave_up_planes();
  auto recovered = now_.candidate->recover();
  if (!recovered) {
    const bool waits =
        !now_.candidate->refusal().empty() || now_.candidate->waits_on(recovered.error());
    return waits ? wait_for_lead() : ended(recovered.error().detail);
  }
  // Whoever claimed may not have answered yet.
  if (recovered->replayed_claims > 0 && now_.candidate->has_unknown_claim(recovered->position))
    return do_soon(&control_plane::wait_for_lead);
  const auto start = recovered->position;
  auto with = make_root_config(std::move(*recovered));
  // Other planes confirm the claim itself.
  answer_as_leader(start, with.load);
  now_.root = actors::spawn_root(process_->system(), std::move(with));
}

actors::root_config control_plane::make_root_config(view::recovered_state recovered) {
  // The machine itself never stops.
  const std::string boot_id = "boot";
  std::optional<wall_time> newest;
  if (recovered.newest_ns > 0) newest = from_nanos(recovered.newest_ns);
  const log_time_rules times;
  clock_ = std::make_unique<logging::log_clock>(
      clock(), boot_id, times,
      begin_log_time(times, newest, recovered.clock,
                     {{}, clock().wall(), clock().boot(), boot_id}));
  actors::root_config with;
  with.recovered = std::move(recovered);
  with.database = now_.ground.database;
  with.log = now_.ground.log;
  with.log_key = key_;
  with.rules = rules_;
  with.connection = now_.connection;
  with.clock = clock_.get();
  with.mark_clock = [clock = clock_.get()] { return clock->mark(); };
  with.scheduling = settings_.rounds()->common;
  with.config_version = settings_.version();
  with.settings = read_settings(settings_);
  with.rounds.verify = scheduling::verification::always;
  with.holder = now_.candidate->holder();
  with.planes = {now_.candidate->plane(), together_, now_.gives_up_planes};
  with.granted = now_.candidate->granted();
  now_.journal = std::make_shared<actors::journal_line>();
  with.on_journal = [line = now_.journal](const actors::journal_actor& to) { line->open(to); };
  with.claim_nonce = {seed_ + starts_};
  with.seed = seed_ + starts_;
  with.control_plane = "simulated";
  with.blocking_on = actors::run_on::pool;
  with.leader.takeover = takeover;
  with.load = std::make_shared<eventlog::log_load>(with.log_limits.waiting_bytes_max.bytes);
  with.on_ready = [this, life = present_life()](model::epoch epoch) {
    if (!*life) return;
    epoch_ = epoch.value;
    led_ = epoch;
    tell("leads with epoch " + std::to_string(epoch_));
    around_.leads(number_);
  };
  with.on_failure = [this, life = present_life()](const std::string& why) {
    if (*life) ended(why);
  };
  with.on_rival = [this, life = present_life()](const ledger::leader_standing& who) {
    if (*life) now_.candidate->hear(who);
  };
  with.on_crash = [this, life = present_life()] {
    if (*life) around_.found("an actor of " + name_ + " ended by an exception");
  };
  return with;
}

void control_plane::answer_as_leader(const view::view_position& start,
                                     const std::shared_ptr<eventlog::log_load>& load) {
  ledger::leader_standing fixed;
  fixed.holder = now_.candidate->holder();
  fixed.control_plane = "simulated";
  fixed.key_print = key_->print();
  fixed.generation = start.generation;
  fixed.has_planes = together_ || !start.planes.empty();
  const auto standing =
      [this, fixed, load,
       granted = now_.candidate->granted()]() -> std::optional<ledger::leader_standing> {
    const bool leads = epoch_ != 0;
    if (!actors::answers_now({fixed.has_planes, leads, is_wanted_}, *load, clock().boot()))
      return std::nullopt;
    auto now = fixed;
    now.epoch = leads ? model::epoch{epoch_} : granted;
    now.server_id = now_.connection->server_id();
    if (leads) now.position = {load->position()};
    now.committed = load->committed();
    return now;
  };
  auto served = actors::answer_as_leader(
      now_.connection, {standing, {}, [line = now_.journal](const auto& word) { line->say(word); }},
      now_.waiting);
  if (served) now_.leading = std::move(*served);
}

void control_plane::let_go() {
  epoch_ = 0;
  if (now_.journal) now_.journal->close();
  if (now_.connection) now_.connection->close();
  now_ = {};
}

}  // namespace argosy::sim
