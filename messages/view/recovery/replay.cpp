// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/replay.hpp"

#include <algorithm>
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

}  // namespace

result<void> replay::run() {
  if (is_planted(planted_fault::skips_own_records)) return {};
  for (auto next = state_.position.position + 1; next <= info_.last_position;) {
    auto piece = read_on(log_, next, info_.last_position);
    if (!piece) return fail(piece.error());
    for (auto& record : piece->records)
      if (auto done = take(std::move(record)); !done) return done;
    if (piece->records.empty())
      for (; next < piece->next; ++next)
        if (auto done = miss(next); !done) return done;
    next = piece->next;
  }
  if (auto settled = strangers_.settle(); !settled) return settled;
  state_.foreign_records = strangers_.added();
  // The next batch is written behind them.
  state_.position.position = info_.last_position;
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
  auto judged = judge(record.data, state_.position, &key_);
  // An operator who has lost the key may take the log by its hashes alone.
  if (judged.as == standing::other_key && config_.accept_loss &&
      judged.batch.previous_hash == state_.position.hash) {
    ++trusted_;
    judged.as = standing::next;
  }
  switch (judged.as) {
    case standing::next:
      return apply(record, std::move(judged));
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
  at_work::at_number(record.position.value);
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
  if (judged.authentic) committed.key_print = key_.print();
  committed.entries.push_back(std::move(entry));
  auto txn = database_.begin_write();
  if (!txn) return fail(txn.error());
  if (auto kept = strangers_.keep(**txn); !kept) return kept;
  // The tail may hold a batch of this process for this place, which another leader's batch
  // overtook.
  if (auto kept = view::write_tail(**txn, record); !kept) return kept;
  if (auto written = write_batch(**txn, committed, [](const auto&) {}); !written) return written;
  auto now = view::read_position(**txn);
  if (!now) return fail(now.error());
  if (auto done = (*txn)->commit(); !done) return done;
  at = now->value_or(view::view_position{});
  last_batch_ = record.position;
  ++state_.replayed_batches;
  return {};
}

}  // namespace argosy::view
