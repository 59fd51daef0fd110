// SPDX-License-Identifier: Apache-2.0
// The JOURNAL: the way of a batch, and how the log goes on in its next generation without a
// restart. What is under way ends then, a record that says so ends the old generation, and the view
// has applied that before the new one begins. Appends wait meanwhile.
#include "actors/log/journal.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/caf_error.hpp"
#include "actors/log/append_waiters.hpp"
#include "actors/log/log_watch.hpp"
#include "actors/log/plane_watch.hpp"
#include "messages/batches/batch_core.hpp"
#include "messages/batches/log_behind.hpp"
#include "messages/probes/log/journal_probe.hpp"
#include "messages/probes/log/plane_probe.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "runtime/base/check.hpp"
#include "runtime/base/planted.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

/// The log may have the record though this process could not write it to its own store; the next
/// start finds it there then.
error unknown(const error& why) {
  return {ec::timeout,
          "it is not known whether this was accepted, since argosyd has to end: " + why.detail};
}

void add_planes(native::append_request& to, const ledger::plane_set& planes, std::int64_t now_ns) {
  to.events.push_back({now_ns, {}, model::planes_changed{planes}});
  for (auto& change : ledger::control_changes(to.events.back()))
    to.changes.push_back(std::move(change));
}

/// Says why the log does not have this record any more, which waits for other planes; empty: it
/// has, or does not answer.
std::string why_in_vain(eventlog::event_log& log, const batches::open_batch& waits) {
  const auto record = log.get(waits.position);
  if (record ? record->data != *waits.bytes : record.error().code == ec::not_found)
    return "the log has lost record " + to_string(waits.position) +
           ", which waits for other planes";
  const auto last = log.last_position();
  if (last && *last > waits.position) return "another plane has claimed the lead";
  return {};
}

}  // namespace

/// How far a roll-over has come. No batch of appends begins meanwhile.
enum class roll_over_stage : std::uint8_t {
  none,
  draining,   ///< The batch under way ends first.
  sealing,    ///< The record that ends the old generation is under way.
  beginning,  ///< The record that begins the new one is under way.
};

struct journal_state {
  static inline const logging::logger logger{"journal"};

  static inline const char* name = "argosy.journal";
  using pointer = traced_pointer<journal_actor, journal_state>;

  explicit journal_state(pointer self_) : self(self_) {}

  journal_actor::behavior_type make_behavior(journal_config cfg);
  caf::result<native::append_ack> append(native::append_ptr request);
  void keep(native::append_ptr request, append_waiter who);
  void tell_all(const std::vector<batches::ticket>& tickets,
                const result<model::log_position>& outcome);
  caf::result<model::epoch> claim(const model::leader_elected& who, const alarm_actor& to);
  void verify();
  bool go_behind_foreign(const error& why);
  void flush();
  void write_tail(const batches::open_batch& batch);
  void publish(const batches::open_batch& batch);
  void apply(const std::optional<batches::finished_batch>& done);
  void committed(const std::vector<batches::ticket>& tickets, const model::record_name& record);
  /// Callers whose changes are not durable yet are told that these failed, or that nobody knows.
  enum class outcome : std::uint8_t { failed, unknown };
  void give_up(const error& why, outcome of_waiting = outcome::failed);
  void schedule_flush();

  // The steps of a roll-over.
  void begin_roll_over(model::log_generation generation);
  void seal();
  void turn();
  void finish_roll_over();
  void take_room();
  void write_alone(const native::append_ptr& request);

  // Other planes.
  void hear(const native::plane_word& word);
  void look_at_waiting();
  void look_at_planes();
  /// Returns whether a record with other planes is on its way now.
  bool name_planes();

  pointer self;
  journal_config config;
  std::shared_ptr<probes::journal_probe> probe;
  std::optional<batches::batch_core> core;
  append_waiters waiters;
  model::log_position verified{};  ///< Where the log ended when verify() last looked.
  bool seemed_gone = false;        ///< verify() found no log when it last looked.
  bool flush_scheduled = false;
  std::optional<log_watch> watch;
  roll_over_stage rolling = roll_over_stage::none;
  view::next_log next;                     ///< Where the log goes on, from `sealing` on.
  model::log_position turning_position{};  ///< The position of the record that the stage waits for.
  alarm_actor alarm;
  std::optional<plane_watch> planes;
  std::vector<commit_listener_actor> listeners;
};

journal_actor::behavior_type journal_state::make_behavior(journal_config cfg) {
  config = std::move(cfg);
  core.emplace(config.start, config.batch_bytes_max, config.key, config.planes.own.id);
  planes.emplace(*config.clock);
  watch.emplace(config.log, config.load, *config.clock);
  config.load->set_position(config.start.position);
  // Where planes decide together, it is not known whether this record is committed.
  if (config.start.planes.empty()) config.load->set_committed(config.start.name());
  probe = config.probes->get<probes::journal_probe>(config.load);
  probe->generation.set(config.start.generation.value);
  // It is shown from the beginning.
  static_cast<void>(config.probes->get<probes::plane_probe>());
  return {
      [this](atom::append, native::append_ptr request) { return append(std::move(request)); },
      [this](atom::append, std::uint64_t number, const native::append_ptr& request,
             const append_owner_actor& owner) {
        if (is_planted(planted_fault::answers_before_durable)) {
          self->send(owner, atom::append_v,
                     native::append_outcome{number, core->end().position + 1});
          return keep(request, {});
        }
        keep(request, {{}, owner, number});
      },
      [this](atom::flush) {
        flush_scheduled = false;
        flush();
      },
      [this](atom::claim, const model::leader_elected& who, const alarm_actor& to) {
        return claim(who, to);
      },
      [this](atom::verify) {
        begin_roll_over(config.load->take_roll_over());
        look_at_planes();
        verify();
        return atom::ok_v;
      },
      [this](atom::confirm, const native::plane_word& word) { hear(word); },
      [this](atom::erase, const std::string& plane) -> caf::result<atom::ok> {
        const auto done = planes->forget(plane, core->end().planes, config.planes.own.id);
        if (!done) return to_caf(done.error());
        look_at_planes();
        return atom::ok_v;
      },
      [this](atom::watch, commit_listener_actor listener) {
        listeners.push_back(std::move(listener));
      },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

caf::result<native::append_ack> journal_state::append(native::append_ptr request) {
  if (request->events.empty()) return native::append_ack{core->end().position};
  auto promise = self->make_response_promise<append_promise>();
  keep(std::move(request), {promise, {}, 0});
  return promise;
}

/// Every append is kept: the owners of state have applied its events and cannot take them back.
void journal_state::keep(native::append_ptr request, append_waiter who) {
  ++probe->appends;
  if (core->is_stopped()) {
    tell(self, who, fail(core->why_stopped()));
    return;
  }
  waiters.add(core->add(std::move(request)), std::move(who));
  probe->waiting.set(waiters.count());
  if (core->open() == nullptr) schedule_flush();
}

void journal_state::tell_all(const std::vector<batches::ticket>& tickets,
                             const result<model::log_position>& outcome) {
  waiters.tell_all(self, tickets, outcome);
  probe->waiting.set(waiters.count());
}

/// The message goes through the mailbox, so that all that already waits there joins the batch.
void journal_state::schedule_flush() {
  if (flush_scheduled) return;
  flush_scheduled = true;
  self->send(self, atom::flush_v);
}

void journal_state::flush() {
  if (const auto* open = core->open()) {
    if (!core->in_log() && !is_planted(planted_fault::forgets_refused_batches)) publish(*open);
    return;
  }
  if (rolling != roll_over_stage::none || planes->holds()) return;
  const auto bytes_max = config.log->max_record_bytes();
  const auto* batch = core->begin(bytes_max / 2);
  if (batch == nullptr) return;
  if (const auto bytes = batch->bytes->size(); bytes > bytes_max) {
    // A batch of this size in the tail would keep this process from ever starting again.
    core->put_back();
    watch->refused_as_too_long(bytes);
    trace::delayed_send(self, self, config.retry_delay, atom::flush_v);
    return;
  }
  config.load->batch_begins(config.clock->boot());
  write_tail(*batch);
  publish(*batch);
}

void journal_state::write_tail(const batches::open_batch& batch) {
  auto write = std::make_shared<native::tail_write>();
  write->position = batch.position;
  write->message_id = batch.message_id;
  write->time_ns = to_nanos(config.clock->wall());
  write->batch = batch.bytes;
  self->request(config.store, config.store_timeout, atom::tail_v,
                native::tail_ptr{std::move(write)})
      .then(
          [this, position = batch.position](atom::ok) {
            apply(core->written_to_tail(position));
            if (const auto* open = core->open(); open != nullptr && open->tail_first)
              publish(*open);
          },
          [this](const caf::error& err) { give_up(from_caf(err), outcome::unknown); });
}

void journal_state::publish(const batches::open_batch& batch) {
  if (core->in_log() || (batch.tail_first && !core->in_tail())) return;
  config.load->ask(config.clock->boot());
  const auto appended = config.log->append(batch.position - 1, batch.message_id, *batch.bytes);
  if (appended) {
    watch->took(batch.bytes->size());
    apply(core->written_to_log());
    return;
  }
  switch (appended.error().code) {
    case ec::fenced:
      if (!go_behind_foreign(appended.error())) return;
      write_tail(*core->open());
      trace::delayed_send(self, self, config.retry_delay, atom::flush_v);
      return;
    case ec::conflict:
    case ec::corrupt:
    case ec::cancelled:
      give_up(appended.error());
      return;
    default:
      // A record with the same message id is the same record, so that it is safe to try again.
      ++probe->retries;
      if (is_planted(planted_fault::forgets_refused_batches)) return;
      // A process that was deposed may have lowered the limit, to roll over.
      if (appended.error().code == ec::out_of_space && !config.load->intake().is_full())
        take_room();
      if (appended.error().code == ec::too_large)
        watch->refused_as_too_long(batch.bytes->size());
      else
        watch->refused(appended.error());
      trace::delayed_send(self, self, config.retry_delay, atom::flush_v);
  }
}

void journal_state::apply(const std::optional<batches::finished_batch>& done) {
  if (!done) return;
  config.load->batch_ends();
  const auto position = done->committed->position;
  const model::record_name record{done->committed->epoch, position, done->committed->hash};
  self->request(config.store, config.store_timeout, atom::apply_v, done->committed)
      .then([this, tickets = done->tickets, record](atom::ok) { committed(tickets, record); },
            [this, tickets = done->tickets](const caf::error& err) {
              // The batch is committed and recovery will apply it, but this process must not go on.
              const auto why = from_caf(err);
              tell_all(tickets, fail(unknown(why)));
              give_up(why, outcome::unknown);
            });
  watch->look();
  if (rolling == roll_over_stage::draining)
    seal();
  else if (core->has_waiting())
    schedule_flush();
}

void journal_state::committed(const std::vector<batches::ticket>& tickets,
                              const model::record_name& record) {
  const auto position = record.position;
  config.load->set_position(position);
  config.load->set_committed(record);
  ++probe->batches;
  probe->committed_at.set_time(config.clock->wall());
  tell_all(tickets, position);
  for (const auto& listener : listeners) self->send(listener, atom::committed_v, position);
  if (position != turning_position || core->is_stopped()) return;
  if (rolling == roll_over_stage::sealing)
    turn();
  else if (rolling == roll_over_stage::beginning)
    finish_roll_over();
}

void journal_state::give_up(const error& why, outcome of_waiting) {
  if (core->is_stopped()) return;
  logger.error("the log cannot be written any more", logging::kv("error", to_string(why)));
  probe->stopped.set(1);
  tell_all(core->stop(why), fail(of_waiting == outcome::unknown ? unknown(why) : why));
  if (alarm) self->send(alarm, atom::stand_down_v, to_string(why));
}

/// Other records stand behind our end of the log. Goes on behind those that are foreign and
/// returns true, or gives up. While the log cannot be read, nothing changes.
bool journal_state::go_behind_foreign(const error& why) {
  const auto behind = batches::look_behind(*config.log, core->written_end(), *config.key, why);
  if (!behind) return true;
  for (const auto& record : behind->foreign) {
    ++probe->foreign;
    logger.error("stepped over a record of the log that is not of this control plane",
                 logging::kv("position", record.position.value));
    // The tail holds the log as it stands, so that it can be repaired to the byte.
    write_tail({record.position, record.msg_id, std::make_shared<const std::string>(record.data)});
    core->step_over();
  }
  if (rolling != roll_over_stage::none && core->open() != nullptr)
    turning_position = core->open()->position;
  if (behind->rival && config.on_rival) config.on_rival(*behind->rival);
  if (behind->stop) give_up(*behind->stop);
  return !behind->stop;
}

/// Finds out without a write whether another has written. A batch under way shows it by itself.
void journal_state::verify() {
  const auto position = core->end().position;
  const bool idle = position == std::exchange(verified, position);
  if (!alarm || core->is_stopped() || core->open() != nullptr || !idle) return;
  config.load->ask(config.clock->boot());
  const auto last = config.log->last_position();
  if (last) config.load->answered();
  // Asked twice, since a server that is starting may not know all of its streams yet.
  const bool is_gone = !last && last.error().code == ec::not_found;
  if (std::exchange(seemed_gone, is_gone) && is_gone) {
    give_up({ec::conflict, last.error().detail});
    return;
  }
  if (last && *last > position &&
      !go_behind_foreign(
          {ec::fenced,
           "another writer has appended to the log, which ended at record " + to_string(position)}))
    return;
  if (last) watch->look();
}

caf::result<model::epoch> journal_state::claim(const model::leader_elected& who,
                                               const alarm_actor& to) {
  if (core->is_stopped()) return to_caf(core->why_stopped());
  if (rolling != roll_over_stage::none)
    return to_caf({ec::unavailable, "the log is about to go on in its next generation"});
  if (alarm && !core->end().planes.empty()) {
    // Only the other planes may grant another epoch. They are asked for one above this.
    ledger::leader_standing known;
    known.holder = "agents";
    known.control_plane = core->end().control_plane;
    known.epoch = who.epoch;
    if (config.on_rival) config.on_rival(known);
    give_up({ec::fenced, "agents know a leader of a higher epoch than this one's"});
    return to_caf(core->why_stopped());
  }
  alarm = to;
  auto request = core->claim(who, to_nanos(config.clock->wall()));
  if (std::exchange(config.planes.alone, false)) {
    auto both = std::make_shared<native::append_request>(*request);
    add_planes(*both, {config.planes.own}, to_nanos(config.clock->wall()));
    core->give_up_planes();
    request = std::move(both);
  }
  const auto epoch = core->end().epoch;
  auto promise = self->make_response_promise<caf::typed_response_promise<model::epoch>>();
  self->request(caf::actor_cast<journal_actor>(self), config.store_timeout, atom::append_v,
                std::move(request))
      .then([promise, epoch](const native::append_ack&) mutable { promise.deliver(epoch); },
            [promise](caf::error& err) mutable { promise.deliver(std::move(err)); });
  return promise;
}

result<void> validate(const journal_config& config) {
  if (!config.log || !config.store || !config.load || !config.key || config.clock == nullptr)
    return fail(ec::invalid_argument,
                "the journal needs a log, its load and key, a store and a clock");
  if (config.batch_bytes_max < 1024)
    return fail(ec::invalid_argument, "journal.batch_bytes must be at least 1024");
  return {};
}

namespace {

journal_actor::behavior_type journal_behavior(traced_pointer<journal_actor, journal_state> self,
                                              journal_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

journal_actor spawn_journal(caf::actor_system& system, journal_config config, run_on where) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, where, journal_behavior, std::move(config));
}

/// Whoever asks may not know yet that the generation has ended.
void journal_state::begin_roll_over(model::log_generation generation) {
  if (generation != core->end().generation) return;
  if (!alarm || core->is_stopped() || rolling != roll_over_stage::none) return;
  rolling = roll_over_stage::draining;
  if (core->open() == nullptr) seal();
}

/// Nothing has happened before the record is in the log: if the next log cannot be made, this one
/// goes on.
void journal_state::seal() {
  const auto prepared = view::prepare_next(*config.log, core->end());
  if (!prepared) {
    rolling = roll_over_stage::none;
    logger.warning("the log does not roll over; it goes on as it is",
                   logging::kv("error", to_string(prepared.error())));
    // The room that the next one would have had comes back.
    take_room();
    schedule_flush();
    return;
  }
  next = *prepared;
  rolling = roll_over_stage::sealing;
  const auto& end = core->end();
  write_alone(view::turn_event(end.generation, next.generation, end.position + 1,
                               to_nanos(config.clock->wall())));
}

void journal_state::turn() {
  const auto end = core->end();
  config.log->choose(next.generation, end.position);
  core->turn_to(next.generation, next.created_ns);
  watch->turned();
  rolling = roll_over_stage::beginning;
  write_alone(view::turn_event(end.generation, next.generation, end.position,
                               to_nanos(config.clock->wall())));
}

void journal_state::take_room() {
  if (const auto taken = config.log->apply_limits(); !taken)
    logger.warning("the limit of the log was not raised",
                   logging::kv("error", to_string(taken.error())));
}

void journal_state::finish_roll_over() {
  rolling = roll_over_stage::none;
  turning_position = {};
  take_room();
  ++probe->roll_overs;
  probe->generation.set(core->end().generation.value);
  logger.info("the log has rolled over", logging::kv("generation", core->end().generation.value),
              logging::kv("position", core->end().position.value));
  schedule_flush();
}

void journal_state::write_alone(const native::append_ptr& request) {
  const auto& batch = core->begin_alone(request);
  turning_position = batch.position;
  config.load->batch_begins(config.clock->boot());
  write_tail(batch);
  publish(batch);
}

/// It may be what a batch waits for, or have all that a new plane needs.
void journal_state::hear(const native::plane_word& word) {
  planes->hear(word);
  if (core->is_stopped()) return;
  apply(core->confirmed({word.plane.id, word.end}));
  look_at_waiting();
  if (planes->holds()) name_planes();
}

/// Tells callers when nobody confirms, and gives up when nobody ever will.
void journal_state::look_at_waiting() {
  const bool is_alone = planes->note_waiting(core->waits_for_planes());
  config.load->set_alone(is_alone);
  if (!is_alone || !planes->is_look_due()) return;
  auto why = planes->bound_above(core->end().epoch);
  if (why.empty()) why = why_in_vain(*config.log, *core->open());
  if (!why.empty()) give_up({ec::fenced, why});
}

/// If there are planes to name that have not everything, no batch begins for a moment in which they
/// can get it.
void journal_state::look_at_planes() {
  look_at_waiting();
  const auto& own = config.planes.own;
  if (const auto& named = core->end().planes; config.planes.names || !named.empty())
    config.probes->get<probes::plane_probe>()->set(planes->facts(named, own.id));
  if (!config.planes.names || own.id.empty() || planes->holds() || name_planes()) return;
  const auto& end = core->end();
  const auto soon = planes->nearly_ready({core->written_end().epoch, end.position, end.hash});
  if (!ledger::next_planes(end.planes, own, soon, planes->forgotten())) return;
  if (const auto time = planes->hold(); time > time.zero())
    trace::delayed_send(self, self, time, atom::flush_v);
}

bool journal_state::name_planes() {
  const auto& end = core->end();
  const bool has_claimed = alarm && core->written_end().epoch == end.epoch;
  if (!has_claimed || core->is_stopped() || core->open() != nullptr) return false;
  if (rolling != roll_over_stage::none) return false;
  const auto next = ledger::next_planes(end.planes, config.planes.own, planes->ready(end.name()),
                                        planes->forgotten());
  if (!next) return false;
  auto request = std::make_shared<native::append_request>();
  add_planes(*request, *next, to_nanos(config.clock->wall()));
  std::string names;
  for (const auto& plane : *next) names += (names.empty() ? "" : ", ") + plane.place;
  logger.info("the planes of this control plane change", logging::kv("planes", names));
  planes->let_go();
  write_alone(request);
  return true;
}

}  // namespace argosy::actors
