// SPDX-License-Identifier: Apache-2.0
#include "actors/state/queue_log.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "actors/caf_error.hpp"
#include "messages/codec/log/event_size.hpp"
#include "messages/codec/log/record_parts.hpp"
#include "runtime/ledger/queue/queue_operations.hpp"
#include "runtime/trace/caf/delayed_send.hpp"

namespace argosy::actors {

namespace {

/// How many parts of one change are on their way to the disk at a time.
constexpr std::size_t parts_open_max = 3;

}  // namespace

queue_log::queue_log(queue_actor::base* self, const queue_actor_config& config,
                     queue_effects& effects,
                     std::function<void(const ledger::queue_delta&)> committed)
    : self_(self),
      config_(config),
      core_(*config.core),
      effects_(effects),
      committed_(std::move(committed)),
      in_flight_("queue '" + core_.name() + "'", config.journal, config.root, config.load),
      position_(config.position),
      began_ns_(to_nanos(config.clock->wall())) {}

result<void> queue_log::fits(const std::vector<model::event>& events,
                             eventlog::command_kind kind) const {
  if (config_.load->is_filling())
    if (auto ok = config_.load->fits(codec::size_hint(events), kind); !ok) return ok;
  return codec::check_records(events, config_.part_bytes_max,
                              config_.load->intake().event_bytes_max(config_.record_bytes_max),
                              codec::queue_parts(core_));
}

void queue_log::append(std::vector<model::event> events, std::vector<ledger::queue_effect> due,
                       continuation done) {
  if (events.empty()) {
    // There is nothing to write, but what the answer rests on may still be on its way to the disk.
    if (in_flight_.empty()) {
      for (const auto& effect : due) effects_.carry_out(effect);
      done(position_);
      return;
    }
    auto& last = in_flight_.last();
    last.effects.insert(last.effects.end(), std::make_move_iterator(due.begin()),
                        std::make_move_iterator(due.end()));
    last.done.push_back(std::move(done));
    return;
  }
  auto parts = codec::divide_into_records(std::move(events), config_.part_bytes_max,
                                          codec::queue_parts(core_));
  for (auto& part : parts)
    if (&part == &parts.back())
      append_part(std::move(part), std::move(due), std::move(done));
    else
      append_part(std::move(part), {}, {});
}

void queue_log::append_part(std::vector<model::event> events, std::vector<ledger::queue_effect> due,
                            continuation done) {
  auto request = std::make_shared<native::append_request>();
  request->changes.reserve(3 * events.size());
  for (const auto& event : events) core_.apply(event, request->changes);
  request->events = std::move(events);
  pending entry;
  entry.delta = core_.take_dirty();
  entry.effects = std::move(due);
  if (done) entry.done.push_back(std::move(done));
  in_flight_.send(self_, std::move(request), std::move(entry));
}

/// If the log does not take the events, a caller does not know what became of the request.
void queue_log::appended(const native::append_outcome& outcome) {
  const auto entry = in_flight_.take(self_, outcome);
  if (!outcome.position) {
    const auto why = to_string(outcome.position.error());
    for (const auto& done : entry.done)
      done(fail(ec::timeout, "the server stops leading, as it could not write to the log (" + why +
                                 "); whether the request took effect is unknown: try again"));
    return;
  }
  const auto at = *outcome.position;
  position_ = std::max(position_, at);
  committed_(entry.delta);
  tell_outcomes(entry.effects, at);
  for (const auto& effect : entry.effects) effects_.carry_out(effect);
  for (const auto& done : entry.done) done(at);
  settle_erases();
  watch_gangs();
}

void queue_log::watch_gangs() {
  const auto wait = core_.longest_gang_wait();
  if (watches_gangs_ || wait == boot_time::zero()) return;
  watches_gangs_ = true;
  // The end of a wait is noticed late by a tenth of it at most.
  const auto period =
      std::clamp<boot_time>(wait / 10, std::chrono::milliseconds{100}, std::chrono::seconds{30});
  trace::tick_send(self_, caf::actor_cast<queue_actor>(self_), period, atom::tick_v,
                   atom::member_v);
}

void queue_log::end_gang_waits() {
  watches_gangs_ = false;
  auto decided = core_.end_gang_waits(to_nanos(config_.clock->wall()), began_ns_);
  if (!decided.events.empty() || !decided.effects.empty())
    append(std::move(decided.events), std::move(decided.effects), [](const auto&) {});
  watch_gangs();
}

std::string queue_log::gang_wait(const std::string& gang) const {
  const auto wait = core_.wait_of_gang(gang, to_nanos(config_.clock->wall()), began_ns_);
  return wait ? to_string(*wait) : std::string{};
}

void queue_log::use_policies(const ledger::retry_policies_ptr& all) {
  core_.use_policies(all);
  auto decided = core_.drop_lost_policies(to_nanos(config_.clock->wall()));
  if (!decided.events.empty())
    append(std::move(decided.events), std::move(decided.effects), [](const auto&) {});
}

caf::result<atom::ok> queue_log::erase_when_empty() {
  erases_.push_back(self_->make_response_promise<caf::typed_response_promise<atom::ok>>());
  return erases_.back();
}

void queue_log::settle_erases() {
  if (erases_.empty() || core_.is_being_emptied()) return;
  for (auto& promise : std::exchange(erases_, {})) {
    auto decided = core_.erase(ledger::erase_mode::strict, to_nanos(config_.clock->wall()));
    if (!decided.reply) {
      promise.deliver(to_caf(decided.reply.error()));
      continue;
    }
    append(std::move(decided.events), std::move(decided.effects),
           [promise](const result<model::log_position>& at) mutable {
             if (at)
               promise.deliver(atom::ok_v);
             else
               promise.deliver(to_caf(at.error()));
           });
  }
}

/// Tells the COORDINATOR what the ends of runs say of their nodes and of the queue.
void queue_log::tell_outcomes(const std::vector<ledger::queue_effect>& effects,
                              model::log_position at) {
  std::vector<ledger::run_outcome> out;
  for (const auto& effect : effects)
    if (const auto* over = std::get_if<ledger::run_over>(&effect);
        over != nullptr && over->verdict != ledger::run_verdict::in_order)
      out.push_back({core_.name(), model::node_id(over->cluster, over->node), over->verdict,
                     over->why, at, over->time_ns});
  if (out.empty()) return;
  const native::run_outcomes_ptr shared =
      std::make_shared<const std::vector<ledger::run_outcome>>(std::move(out));
  self_->send(config_.coordinator, atom::ended_v, shared);
}

/// Appends the next part while the last one is written. Once begun, a change is not refused because
/// others fill the log meanwhile: its own parts are few.
void queue_log::go_on(const parted_change_ptr& what) {
  while (what->open < parts_open_max && !what->parts.all_taken() && !what->failed) {
    const auto part = what->parts.take();
    auto decided = what->decide(part);
    if (decided.reply) what->changed.running += decided.reply->running;
    auto possible = decided.reply ? fits(decided.events, what->kind) : fail(decided.reply.error());
    if (!possible) {
      what->failed = possible.error();
      continue;
    }
    if (what->record) what->record->done += part.ids.size();
    if (what->record && !decided.events.empty()) decided.events.push_back(told(*what->record));
    if (!decided.events.empty()) {
      ++what->open;
      append(std::move(decided.events), std::move(decided.effects),
             [this, what, begun = config_.clock->boot(),
              reply = std::move(*decided.reply)](const result<model::log_position>& at) {
               --what->open;
               what->parts.took(config_.clock->boot() - begun);
               if (!at) what->failed = at.error();
               auto& ids = what->changed.ids;
               if (at) ids.insert(ids.end(), reply.ids.begin(), reply.ids.end());
               go_on(what);
             });
    }
  }
  if (what->open == 0) end(what);
}

void queue_log::end(const parted_change_ptr& what) {
  auto& record = what->record;
  if (record) record->ended_ns = to_nanos(config_.clock->wall());
  if (what->failed) {
    const auto& why = *what->failed;
    if (record) {
      record->state = model::operation_state::failed;
      record->detail = to_string(why);
      append({told(*record)}, {}, [](const auto&) {});
    }
    answer(*what, fail(why.code, "only " + std::to_string(what->changed.ids.size()) + " of " +
                                     std::to_string(what->parts.size()) +
                                     " jobs were changed: " + why.detail));
    return;
  }
  // If the last part found nothing to change, it may have looked at changes that are not durable
  // yet. The answer has to wait for these.
  std::vector<model::event> last;
  if (record) {
    record->state = model::operation_state::done;
    last.push_back(told(*record));
  }
  append(std::move(last), {}, [this, what](const result<model::log_position>& at) {
    answer(*what, at ? result<void>{} : fail(at.error()));
  });
}

/// Answers all who wait for the change, which has ended.
void queue_log::answer(parted_change& what, const result<void>& outcome) {
  if (what.record) operations_.erase(what.record->id);
  for (auto& promise : what.promises)
    if (outcome)
      promise.deliver(what.changed);
    else
      promise.deliver(to_caf(outcome.error()));
}

model::event queue_log::told(const model::operation& record) const {
  return {to_nanos(config_.clock->wall()), core_.name(), model::operation_changed{record}};
}

std::optional<queue_log::selection_promise> queue_log::join(
    const std::optional<model::operation>& wanted) {
  const auto found = wanted ? operations_.find(wanted->id) : operations_.end();
  if (found == operations_.end()) return std::nullopt;
  auto& going_on = *found->second;
  if (going_on.record->kind != wanted->kind || going_on.record->by != wanted->by)
    return std::nullopt;
  going_on.promises.push_back(self_->make_response_promise<selection_promise>());
  return going_on.promises.back();
}

void queue_log::change_in_parts(ledger::selection_parts parts, decide_part decide,
                                std::optional<selection_promise> promise,
                                std::optional<model::operation> record,
                                eventlog::command_kind kind) {
  if (record && record->begun_ns == 0) {
    record->queue = core_.name();
    record->begun_ns = to_nanos(config_.clock->wall());
    record->total = parts.size();
  }
  auto change = std::make_shared<parted_change>(
      parted_change{std::move(parts), std::move(decide), {}, std::move(record), kind, {}, 0, {}});
  if (promise) change->promises.push_back(std::move(*promise));
  if (change->record) {
    append({told(*change->record)}, {}, [](const auto&) {});
    change->changed.operation = change->record->id;
    operations_[change->record->id] = change;
  }
  go_on(change);
}

void queue_log::resume_changes() {
  const auto half_done = core_.operations();
  for (auto [id, record] : half_done) {
    auto left = core_.jobs_left(record);
    record.total = record.done + left.size();
    change_in_parts({ledger::selection_of(record), std::move(left), config_.jobs_in_part_max},
                    decider(core_, *config_.clock, record), std::nullopt, record,
                    // It was begun while there was room.
                    eventlog::command_kind::relieving);
  }
}

}  // namespace argosy::actors
