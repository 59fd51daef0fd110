// SPDX-License-Identifier: Apache-2.0
#include "actors/log/journal.hpp"

#include <deque>
#include <utility>
#include <variant>
#include <vector>

#include "actors/caf_error.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "runtime/base/check.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

constexpr std::chrono::seconds room_period{60};

}  // namespace

struct journal_state {
  static inline const logging::logger logger{"journal"};

  static inline const char* name = "argosy.journal";
  using pointer = traced_pointer<journal_actor, journal_state>;
  using append_promise = caf::typed_response_promise<native::append_ack>;

  /// Either somebody waits for the promise, or an owner has applied the events.
  struct waiting_entry {
    native::append_ptr request;
    append_promise promise;
    append_owner_actor owner;
    std::uint64_t number = 0;  ///< The owner's.
    std::size_t bytes = 0;
  };

  /// The one batch between encoding and both halves of the commit being done.
  struct flight {
    std::vector<waiting_entry> entries;
    std::shared_ptr<const std::string> bytes;
    std::string message_id;
    std::uint64_t number = 0;
    bool in_log = false;
    bool in_tail = false;
  };

  explicit journal_state(pointer self_) : self(self_) {}

  journal_actor::behavior_type make_behavior(journal_config cfg);
  caf::result<native::append_ack> append(native::append_ptr request);
  void keep(waiting_entry entry);
  void settle(waiting_entry& entry, const result<std::uint64_t>& outcome);
  caf::result<std::uint64_t> claim(const model::leader_elected& who, const alarm_actor& to);
  void verify();
  [[nodiscard]] error explain_fenced(const error& why) const;
  void flush();
  void begin_batch();
  void write_tail();
  void publish();
  void tell_full(bool full);
  void look_at_room();
  void batch_committed();
  void answer(std::uint64_t position, std::vector<waiting_entry>& entries);
  void give_up(const error& why);
  void schedule_flush();

  pointer self;
  journal_config config;
  view::view_position end;     ///< Of the last committed batch.
  std::uint64_t nonce = 0;     ///< Of the claim under which it writes.
  std::uint64_t verified = 0;  ///< Where the log ended when verify() last looked.
  std::deque<waiting_entry> waiting;
  bool flush_scheduled = false;
  boot_time next_look{};  ///< At the room that the log has left.
  std::shared_ptr<flight> in_flight;
  alarm_actor alarm;
  std::vector<commit_listener_actor> listeners;
  error stopped{ec::none, {}};  ///< Why nothing is taken any more.
};

journal_actor::behavior_type journal_state::make_behavior(journal_config cfg) {
  config = std::move(cfg);
  end = config.start;
  return {
      [this](atom::append, native::append_ptr request) { return append(std::move(request)); },
      [this](atom::append, std::uint64_t number, const native::append_ptr& request,
             const append_owner_actor& owner) {
        keep({request, {}, owner, number});
      },
      [this](atom::flush) {
        flush_scheduled = false;
        flush();
      },
      [this](atom::claim, const model::leader_elected& who, const alarm_actor& to) {
        return claim(who, to);
      },
      [this](atom::verify) {
        verify();
        return atom::ok_v;
      },
      [this](atom::watch, commit_listener_actor listener) {
        listeners.push_back(std::move(listener));
      },
  };
}

caf::result<native::append_ack> journal_state::append(native::append_ptr request) {
  if (request->events.empty()) return native::append_ack{end.position};
  auto promise = self->make_response_promise<append_promise>();
  keep({std::move(request), promise, {}});
  return promise;
}

/// Whatever comes is kept: the owners of state have applied it and cannot take it back.
void journal_state::keep(waiting_entry entry) {
  if (stopped.code != ec::none) {
    settle(entry, fail(stopped));
    return;
  }
  entry.bytes =
      entry.request->bytes > 0 ? entry.request->bytes : codec::size_hint(entry.request->events);
  waiting.push_back(std::move(entry));
  if (!in_flight) schedule_flush();
}

void journal_state::settle(waiting_entry& entry, const result<std::uint64_t>& outcome) {
  if (entry.owner)
    self->send(entry.owner, atom::append_v, native::append_outcome{entry.number, outcome});
  else if (outcome)
    entry.promise.deliver(native::append_ack{*outcome});
  else
    entry.promise.deliver(to_caf(outcome.error()));
}

/// By the mailbox, so that everything that already waits there joins the batch.
void journal_state::schedule_flush() {
  if (flush_scheduled) return;
  flush_scheduled = true;
  self->send(self, atom::flush_v);
}

void journal_state::flush() {
  if (in_flight) {
    if (!in_flight->in_log) publish();
    return;
  }
  if (waiting.empty() || stopped.code != ec::none) return;
  begin_batch();
  if (const auto bytes = in_flight->bytes->size(); bytes > config.log->max_record_bytes()) {
    // In the tail it would keep this process from ever starting again.
    give_up({ec::too_large, "a native::record of " + std::to_string(bytes) +
                                " bytes is over the log's limit of " +
                                std::to_string(config.log->max_record_bytes())});
    return;
  }
  write_tail();
  publish();
}

void journal_state::begin_batch() {
  auto batch = std::make_shared<flight>();
  std::size_t bytes = 0;
  while (!waiting.empty() &&
         (batch->entries.empty() || bytes + waiting.front().bytes <= config.batch_bytes_max)) {
    bytes += waiting.front().bytes;
    batch->entries.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
  batch->number = end.batch_number + 1;
  // The nonce keeps two processes that claim the same epoch from writing "the same" record, which
  // the log would take for one.
  batch->message_id =
      std::to_string(end.epoch) + "." + std::to_string(nonce) + "." + std::to_string(batch->number);
  model::log_batch contents;
  contents.generation = end.generation;
  contents.epoch = end.epoch;
  contents.number = batch->number;
  contents.previous_hash = end.hash;
  for (const auto& entry : batch->entries)
    contents.events.insert(contents.events.end(), entry.request->events.begin(),
                           entry.request->events.end());
  batch->bytes = std::make_shared<const std::string>(codec::encode_batch(contents));
  in_flight = std::move(batch);
}

void journal_state::write_tail() {
  auto write = std::make_shared<native::tail_write>();
  write->position = end.position + 1;
  write->message_id = in_flight->message_id;
  write->time_ns = to_nanos(config.clock->wall());
  write->batch = in_flight->bytes;
  self->request(config.store, config.store_timeout, atom::tail_v,
                native::tail_ptr{std::move(write)})
      .then(
          [this](atom::ok) {
            if (!in_flight) return;
            in_flight->in_tail = true;
            batch_committed();
          },
          [this](const caf::error& err) { give_up(from_caf(err)); });
}

void journal_state::publish() {
  auto appended = config.log->append(end.position, in_flight->message_id, *in_flight->bytes);
  if (appended) {
    config.load->set_full(false);
    in_flight->in_log = true;
    batch_committed();
    return;
  }
  switch (appended.error().code) {
    case ec::fenced:
      give_up(explain_fenced(appended.error()));
      return;
    case ec::conflict:
    case ec::too_large:
    case ec::corrupt:
    case ec::cancelled:
      give_up(appended.error());
      return;
    default:
      tell_full(appended.error().code == ec::out_of_space);
      // The same message id again is the same record, so trying on is safe.
      logger.warning("the log did not take a batch; trying again",
                     logging::kv("error", to_string(appended.error())));
      trace::delayed_send(self, self, config.retry_delay, atom::flush_v);
  }
}

void journal_state::tell_full(bool full) {
  if (full && !config.load->full())
    logger.error("the log is full: nothing new is accepted until it has more room");
  config.load->set_full(full);
}

/// A full log stops everything, so it is told of in time.
void journal_state::look_at_room() {
  if (config.clock->boot() < next_look) return;
  next_look = config.clock->boot() + room_period;
  const auto info = config.log->info();
  if (!info || info->bytes_max == 0 || info->bytes / 4 * 5 < info->bytes_max) return;
  logger.warning("the log is nearly full; give it more room", logging::kv("bytes", info->bytes),
                 logging::kv("bytes_max", info->bytes_max));
}

void journal_state::batch_committed() {
  if (!in_flight->in_log || !in_flight->in_tail) return;
  auto batch = std::move(in_flight);
  in_flight.reset();
  end.position += 1;
  end.batch_number = batch->number;
  end.hash = codec::batch_hash(*batch->bytes);
  auto committed = std::make_shared<native::committed_batch>();
  committed->position = end.position;
  committed->generation = end.generation;
  committed->epoch = end.epoch;
  committed->number = end.batch_number;
  committed->hash = end.hash;
  committed->stream_created_ns = end.stream_created_ns;
  for (const auto& entry : batch->entries) committed->entries.push_back(entry.request);
  const auto position = end.position;
  self->request(config.store, config.store_timeout, atom::apply_v,
                native::committed_ptr{std::move(committed)})
      .then([this, batch, position](atom::ok) { answer(position, batch->entries); },
            [this, batch](const caf::error& err) {
              // Committed all the same: recovery will apply it. But this process must not go on.
              const auto why = from_caf(err);
              for (auto& entry : batch->entries) settle(entry, fail(why));
              give_up(why);
            });
  look_at_room();
  if (!waiting.empty()) schedule_flush();
}

void journal_state::answer(std::uint64_t position, std::vector<waiting_entry>& entries) {
  for (auto& entry : entries) settle(entry, position);
  for (const auto& listener : listeners) self->send(listener, atom::committed_v, position);
}

void journal_state::give_up(const error& why) {
  if (stopped.code != ec::none) return;
  stopped = why;
  logger.error("the log cannot be written any more", logging::kv("error", to_string(why)));
  if (in_flight)
    for (auto& entry : in_flight->entries) settle(entry, fail(why));
  for (auto& entry : waiting) settle(entry, fail(why));
  in_flight.reset();
  waiting.clear();
  if (alarm) self->send(alarm, atom::stand_down_v, to_string(why));
}

/// What this process writes is refused when another has written; this finds out without writing. A
/// batch under way tells by itself.
void journal_state::verify() {
  const bool idle = end.position == std::exchange(verified, end.position);
  if (!alarm || stopped.code != ec::none || in_flight || !idle) return;
  const auto last = config.log->last_sequence();
  if (!last || *last <= end.position) return;
  give_up(explain_fenced({ec::fenced, "the log ends at record " + std::to_string(*last) +
                                          " and not at " + std::to_string(end.position) +
                                          ": another writer has appended"}));
}

/// Names who has claimed the lead, if that is what stands behind our end of the log.
error journal_state::explain_fenced(const error& why) const {
  const auto record = config.log->get(end.position + 1);
  if (!record) return why;
  const auto batch = codec::decode_batch(record->data);
  if (!batch) return why;
  for (const auto& event : batch->events)
    if (const auto* elected = std::get_if<model::leader_elected>(&event.payload))
      return {ec::fenced,
              "another argosyd (" + elected->holder + ") has claimed the lead with epoch " +
                  std::to_string(elected->epoch) + "; only one can lead, so that this one ends"};
  return why;
}

caf::result<std::uint64_t> journal_state::claim(const model::leader_elected& who,
                                                const alarm_actor& to) {
  if (stopped.code != ec::none) return to_caf(stopped);
  alarm = to;
  // Batch numbers start anew with each epoch; the claim is the first batch of its own.
  const auto epoch = end.epoch + 1;
  end.epoch = epoch;
  end.batch_number = 0;
  end.holder = who.holder;
  nonce = who.nonce;
  auto request = std::make_shared<native::append_request>();
  const auto now = to_nanos(config.clock->wall());
  request->events.push_back({now, {}, model::leader_elected{epoch, who.holder, who.nonce}});
  request->changes.push_back(ledger::put_epoch{epoch, who.holder});
  auto promise = self->make_response_promise<caf::typed_response_promise<std::uint64_t>>();
  self->request(caf::actor_cast<journal_actor>(self), config.store_timeout, atom::append_v,
                native::append_ptr{std::move(request)})
      .then([promise, epoch](const native::append_ack&) mutable { promise.deliver(epoch); },
            [promise](caf::error& err) mutable { promise.deliver(std::move(err)); });
  return promise;
}

result<void> validate(const journal_config& config) {
  if (!config.log || !config.store || !config.load || config.clock == nullptr)
    return fail(ec::invalid_argument, "the journal needs a log, its load, a store and a clock");
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

}  // namespace argosy::actors
