// SPDX-License-Identifier: Apache-2.0
#include "actors/log/store.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "actors/caf_error.hpp"
#include "actors/log/room_lines.hpp"
#include "messages/probes/log/store_probe.hpp"
#include "messages/view/progress.hpp"
#include "messages/view/tail_table.hpp"
#include "messages/view/writer.hpp"
#include "runtime/base/check.hpp"
#include "runtime/base/planted.hpp"
#include "runtime/eventlog/recent_changes.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

/// How often the room of the database is looked at, at most, while there is plenty.
constexpr std::chrono::milliseconds look_period{100};
/// How often the tail is trimmed while it is full or has more to trim.
constexpr std::chrono::seconds busy_period{1};
/// From this part of its room on the database is looked at after each commit, which costs some
/// microseconds: a small one is full soon.
constexpr unsigned look_always_percent = 50;
/// The database copies each page that a transaction changes and uses the old one again only later.
/// So many bytes, but never more than a quarter, are kept for that and do not count as room.
constexpr std::uint64_t copies_max = 4u << 20;

}  // namespace

struct store_state {
  static inline const logging::logger logger{"store"};

  static inline const char* name = "argosy.store";
  using pointer = traced_pointer<store_actor, store_state>;

  explicit store_state(pointer self_) : self(self_) {}

  store_actor::behavior_type make_behavior(store_config cfg);
  caf::result<atom::ok> answer(const result<void>& outcome);
  result<void> write_tail(const native::tail_write& write);
  result<void> apply(const native::committed_batch& batch);
  void count_commit();
  void look_at_room();
  void set_timer(bool busy);
  void tell_watchers(model::log_position position);
  void note_changes(const native::committed_batch& batch) const;
  void trim(model::timer_generation generation);
  void tell_whether_full();

  pointer self;
  store_config config;
  std::shared_ptr<probes::store_probe> probe;
  std::map<native::job_set_key, std::vector<store_listener_actor>> watchers;
  std::optional<view::tail_table> tail;
  boot_time next_look{};  ///< When look_at_room() looks again.
  /// The timer that trims; an older one counts for nothing.
  model::timer_generation timer{1};
  bool looks_often = false;  ///< The timer is set to busy_period.
  eventlog::fill_watch room;
  /// Watched job sets that have events in the present batch.
  std::set<native::job_set_key> touched;
};

namespace {

/// Adds the time of its life to those of transactions of this kind.
class stopwatch {
 public:
  stopwatch(store_state& of, const char* op) : of_(of), op_(op), begun_(of.config.clock->boot()) {}
  ~stopwatch() { of_.probe->transactions.add(op_, of_.config.clock->boot() - begun_); }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

 private:
  store_state& of_;
  const char* op_;
  boot_time begun_;
};

}  // namespace

store_actor::behavior_type store_state::make_behavior(store_config cfg) {
  config = std::move(cfg);
  tail.emplace(*config.database, config.tail);
  probe = config.probes->get<probes::store_probe>(config.database);
  look_at_room();
  if (auto loaded = tail->take_up(config.clock->boot()); !loaded) {
    logger.error("the tail cannot be read", logging::kv("error", to_string(loaded.error())));
    self->quit(to_caf(loaded.error()));
    return store_actor::behavior_type::make_empty_behavior();
  }
  set_timer(config.load->is_filling());
  return {
      [this](atom::tail, const native::tail_ptr& write) { return answer(write_tail(*write)); },
      [this](atom::apply, const native::committed_ptr& batch) { return answer(apply(*batch)); },
      [this](atom::watch, const native::job_set_key& key, store_listener_actor listener) {
        watchers[key].push_back(std::move(listener));
        probe->watched.set(static_cast<std::int64_t>(watchers.size()));
        return atom::ok_v;
      },
      [this](atom::unwatch, const native::job_set_key& key, const store_listener_actor& listener) {
        auto found = watchers.find(key);
        if (found == watchers.end()) return;
        std::erase(found->second, listener);
        if (found->second.empty()) watchers.erase(found);
        probe->watched.set(static_cast<std::int64_t>(watchers.size()));
      },
      [this](atom::tick, model::timer_generation generation) { trim(generation); },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

caf::result<atom::ok> store_state::answer(const result<void>& outcome) {
  if (outcome) return atom::ok_v;
  ++probe->failures;
  return to_caf(outcome.error());
}

void store_state::count_commit() {
  ++probe->commits;
  probe->committed_at.set_time(config.clock->wall());
  probe->tail_batches.set(static_cast<std::int64_t>(tail->size()));
  probe->tail_bytes.set(static_cast<std::int64_t>(tail->bytes()));
  look_at_room();
  if (!looks_often && config.load->is_filling()) set_timer(true);
}

void store_state::set_timer(bool busy) {
  looks_often = busy;
  timer = timer.next();
  const auto period = busy ? std::min(busy_period, config.trim_period) : config.trim_period;
  trace::tick_send(self, self, period, atom::tick_v, timer);
}

void store_state::look_at_room() {
  const auto now = config.clock->boot();
  if (now < next_look && !config.load->store().reaches(look_always_percent) &&
      !config.load->disk().counted.reaches(look_always_percent))
    return;
  next_look = now + look_period;
  const auto usage = config.database->usage();
  if (!usage) return;
  // A full store or disk ends the process, so that operators are warned in time.
  const auto copies = std::min(copies_max, usage->limit_bytes / 4);
  const eventlog::fill how_full{usage->used_bytes + usage->held_bytes, usage->limit_bytes - copies};
  config.load->set_store(how_full, {usage->file_bytes, usage->limit_bytes}, usage->held_bytes);
  tell_of_room(logger, room.look(how_full, now), "store", how_full, "store.mapSize");
  config.load->set_disk(
      {usage->disk_free_bytes, usage->disk_bytes,
       eventlog::disk_fill(usage->disk_free_bytes + usage->reusable_bytes(), usage->disk_bytes),
       usage->disk_free_bytes + usage->reusable_bytes() + usage->reserved_bytes});
}

result<void> store_state::write_tail(const native::tail_write& write) {
  const stopwatch timed{*this, "tail"};
  auto txn = config.database->begin_write();
  if (!txn) return fail(txn.error());
  const eventlog::record record{write.position, write.time_ns, write.message_id, *write.batch};
  if (auto put = view::write_tail(**txn, record); !put) return put;
  if (auto committed = (*txn)->commit(); !committed) {
    if (is_planted(planted_fault::ignores_failed_commits)) return {};
    return committed;
  }
  tail->add(write.position, write.batch->size(), config.clock->boot());
  if (tail->full()) tell_whether_full();
  probe->written_bytes += write.batch->size();
  count_commit();
  return {};
}

result<void> store_state::apply(const native::committed_batch& batch) {
  const stopwatch timed{*this, "apply"};
  auto txn = config.database->begin_write();
  if (!txn) return fail(txn.error());
  touched.clear();
  auto written = view::write_batch(**txn, batch, [this](const ledger::index_event& event) {
    if (watchers.contains({event.queue, event.job_set}))
      touched.emplace(event.queue, event.job_set);
  });
  if (!written) return written;
  if (config.mark)
    if (auto marked = view::write_clock(**txn, config.mark()); !marked) return marked;
  if (auto committed = (*txn)->commit(); !committed) {
    if (is_planted(planted_fault::ignores_failed_commits)) return {};
    return committed;
  }
  tail->committed(batch.position, config.clock->boot());
  note_changes(batch);
  probe->position.set(static_cast<std::int64_t>(batch.position.value));
  count_commit();
  tell_watchers(batch.position);
  return {};
}

void store_state::tell_watchers(model::log_position position) {
  for (const auto& key : touched)
    for (const auto& listener : watchers[key]) self->send(listener, atom::changed_v, position);
}

/// Notes where jobs have changed.
void store_state::note_changes(const native::committed_batch& batch) const {
  const auto& to = config.load->changes();
  if (!to) return;
  const model::job_header* last = nullptr;
  for (const auto& entry : batch.entries)
    for (const auto& change : entry->changes)
      if (const auto* put = std::get_if<ledger::put_job>(&change)) {
        const auto& header = *put->record.header;
        // Jobs of a set often come together.
        if (last == nullptr || last->queue != header.queue || last->job_set != header.job_set)
          to->note(header.queue, header.job_set, batch.position);
        last = &header;
      } else if (std::holds_alternative<ledger::expire_history>(change) ||
                 std::holds_alternative<ledger::erase_queue>(change)) {
        to->forget(batch.position);
        last = nullptr;
      }
}

void store_state::trim(model::timer_generation generation) {
  if (generation != timer) return;
  auto erased = tail->trim(config.clock->boot());
  if (erased && *erased > 0) count_commit();
  if (!erased)
    logger.warning("the tail was not trimmed", logging::kv("error", to_string(erased.error())));
  tell_whether_full();
  // Room may come or go by what others do, also while nothing is written here.
  next_look = {};
  look_at_room();
  set_timer(tail->full() || (erased && *erased == view::tail_table::trimmed_max) ||
            config.load->is_filling());
}

/// Batches that are too young are never cut. Instead new commands are refused while they fill the
/// tail.
void store_state::tell_whether_full() {
  if (!config.load || config.load->tail_full() == tail->full()) return;
  config.load->set_tail_full(tail->full());
  if (tail->full())
    logger.warning(
        "the tail is full: nothing new is accepted until the log has certainly written what it "
        "has; give the store a larger map, or the log less",
        logging::kv("bytes", tail->bytes()));
}

result<void> validate(const store_config& config) {
  if (!config.database || !config.load || config.clock == nullptr)
    return fail(ec::invalid_argument, "the store needs a database, the log's load and a clock");
  return {};
}

namespace {

store_actor::behavior_type store_behavior(traced_pointer<store_actor, store_state> self,
                                          store_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

store_actor spawn_store(caf::actor_system& system, store_config config, run_on where) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, where, store_behavior, std::move(config));
}

}  // namespace argosy::actors
