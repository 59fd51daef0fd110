// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/replay.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/recovery/log_reading.hpp"
#include "messages/view/recovery/log_state.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "messages/view/writer.hpp"
#include "runtime/base/at_work.hpp"
#include "runtime/base/planted.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::view {

namespace {

const logging::logger replay_logger{"recovery"};

/// Records of so many bytes are written in one transaction, whose end waits for the disk.
constexpr std::size_t commit_bytes = 1u << 20;

/// The state has what the store does not take, and is of no use any more. Damage of the store must
/// not pass for damage of the log, behind which an operator may go on.
error store_error(const error& why, model::log_position record) {
  const bool is_damage = why.code == ec::corrupt || why.code == ec::conflict;
  return {is_damage ? ec::internal : why.code,
          "the store does not take record " + to_string(record) + " of the log: " + why.detail};
}

}  // namespace

result<void> replay::run(model::log_position until) {
  if (is_planted(planted_fault::skips_own_records)) return {};
  for (auto next = state_.position.position + 1; next <= until;) {
    auto piece = read_on(log_, next, until);
    if (!piece) return fail(piece.error());
    if (piece->records.empty())
      for (; next < piece->next; ++next)
        if (auto done = miss(next); !done) return done;
    next = piece->next;
    if (auto done = take_all(std::move(piece->records), until); !done) return done;
  }
  // Behind a place within the log the chain may still go on.
  if (until >= info_.last_position)
    if (auto settled = strangers_.settle(); !settled) return settled;
  state_.foreign_records = strangers_.added();
  // The next batch is written behind them.
  state_.position.position = until;
  return {};
}

/// What was applied before a record that cannot be is kept.
result<void> replay::take_all(std::vector<eventlog::record> records, model::log_position until) {
  for (auto& record : records) {
    if (record.position > until) break;
    auto done = consider(std::move(record));
    if (done && open_bytes_ < commit_bytes) continue;
    if (auto kept = commit(); !kept) return kept;
    if (!done) return done;
  }
  return commit();
}

result<void> replay::commit() {
  open_bytes_ = 0;
  const auto txn = std::exchange(open_, nullptr);
  if (!txn) return {};
  if (const auto done = txn->commit(); !done)
    return fail(store_error(done.error(), state_.position.position));
  return {};
}

/// The log counts the record and does not give it, but the tail may have it.
result<void> replay::miss(model::log_position position) {
  auto kept = find_in_tail(database_, position);
  if (!kept) return fail(kept.error());
  if (!*kept) {
    strangers_.miss(position);
    return {};
  }
  replay_logger.error("the log is damaged; the tail has the record",
                      logging::kv("place", unreadable_record(position)));
  return take(std::move(**kept));
}

result<void> replay::take(eventlog::record record) {
  if (auto done = consider(std::move(record)); !done) return done;
  return commit();
}

result<void> replay::consider(eventlog::record record) {
  auto judged = judge(record.data, state_.position, &key_);
  // An operator who has lost the key may take the log by its hashes alone.
  if (judged.as == standing::other_key && config_.accept_loss &&
      judged.batch.previous_hash == state_.position.hash) {
    ++trusted_;
    judged.as = standing::next;
  }
  if (judged.as == standing::next) return add(record, std::move(judged));
  // Strangers may be written in a transaction of their own.
  if (auto kept = commit(); !kept) return kept;
  switch (judged.as) {
    case standing::no_batch:
    case standing::forged:
    case standing::late:
      if (judged.as == standing::late && is_planted(planted_fault::applies_records_again))
        return apply(record, std::move(judged));
      return strangers_.add(std::move(record), stranger_kind::foreign, judged.why);
    case standing::other_key:
      return strangers_.add(std::move(record), stranger_kind::other_key, judged.why);
    case standing::broken:
      return strangers_.add(std::move(record), stranger_kind::other_batch, judged.why);
    case standing::next:
    case standing::unreadable:
      if (is_planted(planted_fault::steps_over_damage)) {
        strangers_.miss(record.position);
        return {};
      }
      break;
  }
  return fail(ec::corrupt, "the log's record " + to_string(record.position) + " " + judged.why);
}

result<void> replay::apply(const eventlog::record& record, judgement judged) {
  if (auto done = add(record, std::move(judged)); !done) return done;
  return commit();
}

result<void> replay::apply_chain(const std::vector<eventlog::record>& records) {
  for (const auto& record : records) {
    auto judged = judge(record.data, state_.position, &key_);
    if (judged.as != standing::next) continue;
    if (auto done = add(record, std::move(judged)); !done) return done;
    if (open_bytes_ < commit_bytes) continue;
    if (auto kept = commit(); !kept) return kept;
  }
  return commit();
}

/// If the store does not take it, nothing that is not committed yet will be.
result<void> replay::add(const eventlog::record& record, judgement judged) {
  at_work::at_number(record.position.value);
  auto committed = apply_to_state(record, std::move(judged));
  if (is_planted(planted_fault::drops_replayed_changes) && record.position.value % 50 == 0)
    committed.entries.clear();
  auto written = write(record, committed);
  if (written) {
    open_bytes_ += record.data.size();
    last_batch_ = record.position;
    ++state_.replayed_batches;
    return {};
  }
  open_.reset();
  return fail(store_error(written.error(), record.position));
}

native::committed_batch replay::apply_to_state(const eventlog::record& record, judgement judged) {
  auto& at = state_.position;
  auto& batch = judged.batch;
  auto entry = std::make_shared<native::append_request>();
  bool seals = false;
  for (auto& event : batch.events) {
    // A generation ends with the same event as the next one begins with.
    if (const auto* begun = std::get_if<model::generation_begun>(&event.payload);
        begun != nullptr && begun->generation == batch.generation)
      at.generation_base = begun->position;
    seals = seals || is_seal(event, batch.generation);
    auto changes = state_.apply(event, config_);
    std::move(changes.begin(), changes.end(), std::back_inserter(entry->changes));
  }
  native::committed_batch committed;
  committed.position = record.position;
  committed.generation = batch.generation;
  committed.epoch = batch.epoch;
  committed.number = batch.number;
  committed.hash = codec::batch_hash(record.data);
  committed.stream_created_ns = info_.created_ns;
  committed.generation_base = at.generation_base;
  committed.seals = seals;
  committed.is_committed = is_committed_;
  if (judged.authentic) committed.key_print = key_.print();
  committed.entries.push_back(std::move(entry));
  return committed;
}

result<void> replay::write(const eventlog::record& record,
                           const native::committed_batch& committed) {
  if (!open_) {
    auto txn = database_.begin_write();
    if (!txn) return fail(txn.error());
    open_ = std::move(*txn);
  }
  if (auto kept = strangers_.keep(*open_); !kept) return kept;
  // The tail may hold a batch of this process for this place, which another leader's batch
  // overtook.
  if (auto kept = view::write_tail(*open_, record); !kept) return kept;
  if (auto done = write_batch(*open_, committed, [](const auto&) {}); !done) return done;
  auto now = view::read_position(*open_);
  if (!now) return fail(now.error());
  state_.position = now->value_or(view::view_position{});
  return {};
}

}  // namespace argosy::view
