// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/log_ahead.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/recovery/log_state.hpp"
#include "messages/view/recovery/new_generation.hpp"
#include "messages/view/recovery/standing.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::view {

namespace {

const logging::logger ahead_logger{"standby"};

constexpr std::size_t read_at_once = 500;
constexpr std::size_t bytes_at_once = 8u << 20;
/// So many batches are applied at once, so that other planes are answered meanwhile.
constexpr std::size_t part_max = 200;

/// Whether the log says that it ends before what is asked for, or is not there.
bool is_short(ec code) {
  return code == ec::conflict || code == ec::not_found;
}

}  // namespace

result<void> log_ahead::load(const view_position& applied) {
  chain_.assign(1, applied);
  next_ = applied.position + 1;
  matched_ = applied.position;
  at_end_ = false;
  left_behind_ = false;
  const auto records = read_tail(database_, applied.position);
  if (!records) return fail(records.error());
  for (const auto& record : *records) {
    const auto judged = judge(record.data, end(), &key_);
    if (judged.as != standing::next) continue;
    auto moved = end();
    move_end(moved, record, judged, &key_);
    chain_.push_back(std::move(moved));
  }
  return {};
}

std::size_t log_ahead::count_before(model::log_position position) const {
  const auto found = std::ranges::lower_bound(chain_, position, {}, &view_position::position);
  return static_cast<std::size_t>(std::distance(chain_.begin(), found));
}

const view_position* log_ahead::at(model::log_position position) const {
  const auto index = count_before(position);
  if (index == chain_.size() || chain_[index].position != position) return nullptr;
  return &chain_[index];
}

result<bool> log_ahead::read(std::chrono::milliseconds wait, bool seek, bool bounded) {
  const auto before = end().name();
  bool is_passed = false;
  if (seek || end().sealed) {
    const auto passed = seek_later();
    if (!passed) return fail(passed.error());
    is_passed = *passed;
  }
  at_end_ = false;
  if (left_behind_ || (bounded && chain_.size() > batches_max))
    return fail(ec::unavailable, "nothing more is read ahead");
  log_.choose(end().generation, end().generation_base);
  auto records = log_.read(next_, read_at_once, bytes_at_once, wait);
  at_end_ = records ? records->empty() : is_short(records.error().code);
  // A generation that others began may go on with what this one has yet to read here.
  left_behind_ = at_end_ && is_passed;
  if (!records) {
    // Another chain may be written there.
    if (at_end_) next_ = chain_.front().position + 1;
    if (at_end_) matched_ = chain_.front().position;
    if (at_end_ && end().name() != before) return true;
    if (at_end_) return fail(ec::unavailable, records.error().detail);
    return fail(std::move(records.error()));
  }
  if (auto taken = take_all(*records); !taken) return fail(taken.error());
  return end().name() != before;
}

/// A later generation begins where the chain ends, or where it ended before another plane went on
/// without what is behind. Returns whether it goes on with something that is not in the chain.
result<bool> log_ahead::seek_later() {
  const auto later = find_later(log_, end(), key_);
  if (!later) return fail(later.error());
  if (!*later || !(*later)->ours || !(*later)->problem.empty()) return false;
  const auto& begun = **later;
  std::size_t kept = chain_.size();
  while (kept > 0 && (chain_[kept - 1].hash != begun.previous_hash ||
                      chain_[kept - 1].generation != begun.begun.previous))
    --kept;
  const bool is_higher = begun.epoch > end().epoch;
  // What this store has besides is of a later claim.
  if (kept < chain_.size() && !is_higher) return false;
  if (kept == 0) return true;
  if (auto done = cut_behind(kept); !done) return fail(done.error());
  if (auto done = go_over(begun); !done) return fail(done.error());
  return false;
}

result<void> log_ahead::go_over(const later_beginning& later) {
  log_.choose(later.begun.generation, later.begun.position);
  const auto info = log_.info();
  if (!info) return fail(info.error());
  auto& end = chain_.back();
  // Foreign records may have moved the end of the older log to either side of this place.
  end.position = later.begun.position;
  end.generation = later.begun.generation;
  end.generation_base = later.begun.position;
  end.stream_created_ns = info->created_ns;
  end.sealed = false;
  next_ = later.begun.position + 1;
  matched_ = later.begun.position;
  return {};
}

result<void> log_ahead::cut_behind(std::size_t kept) {
  if (kept == chain_.size()) return {};
  ahead_logger.warning("batches are set aside, since the planes went on without them",
                       logging::kv("from", chain_[kept].position.value),
                       logging::kv("to", end().position.value));
  if (auto gone = forget_tail(database_, chain_[kept - 1].position); !gone) return gone;
  chain_.erase(chain_.begin() + static_cast<std::ptrdiff_t>(kept), chain_.end());
  return {};
}

/// Whether all that the store has from there on is its own claim of that epoch, behind which
/// nothing was accepted. Two that found a log at once claim the same epoch, and the log has one
/// claim.
bool log_ahead::has_lost_claim(std::size_t from, model::epoch epoch) const {
  return from > 0 && from + 1 == chain_.size() && chain_[from].epoch == epoch &&
         chain_[from - 1].epoch < epoch;
}

/// How many batches of the chain stay when this record goes on behind them; nothing: it is none of
/// the chain.
result<std::optional<std::size_t>> log_ahead::place_of(const eventlog::record& record,
                                                       const judgement& judged) {
  const auto before = count_before(record.position);
  switch (judged.as) {
    case standing::no_batch:
    case standing::forged:
    case standing::late:
      return std::optional<std::size_t>{};
    case standing::other_key:
    case standing::unreadable:
      return fail(ec::corrupt, "the log's record " + to_string(record.position) + " " + judged.why);
    case standing::next:
      // What this store has besides is of a later claim than the record.
      if (before < chain_.size() && judged.batch.epoch <= end().epoch &&
          !has_lost_claim(before, judged.batch.epoch))
        return std::optional<std::size_t>{};
      return std::optional{before};
    case standing::broken:
      break;
  }
  if (!judged.authentic || judged.batch.epoch <= end().epoch) return std::optional<std::size_t>{};
  for (auto kept = before; kept > 0; --kept)
    if (chain_[kept - 1].hash == judged.batch.previous_hash) return std::optional{kept};
  left_behind_ = true;
  return std::optional<std::size_t>{};
}

result<void> log_ahead::take_all(const std::vector<eventlog::record>& records) {
  std::unique_ptr<store::write_txn> open;
  const auto commit = [&]() -> result<void> {
    const auto txn = std::exchange(open, nullptr);
    return txn ? txn->commit() : result<void>{};
  };
  for (const auto& record : records) {
    next_ = record.position + 1;
    const auto* known = at(record.position);
    if (known != nullptr && known->hash == codec::batch_hash(record.data)) {
      matched_ = record.position;
      continue;
    }
    const auto before = count_before(record.position);
    if (before == 0) continue;
    const auto judged = judge(record.data, chain_[before - 1], &key_);
    const auto kept = place_of(record, judged);
    if (!kept) return fail(kept.error());
    if (left_behind_) break;
    // The tail holds the log as it stands.
    const bool is_foreign = !*kept && record.position > end().position;
    if (!*kept && !is_foreign) continue;
    if (*kept && **kept < chain_.size()) {
      if (auto done = commit(); !done) return done;
      if (auto done = cut_behind(**kept); !done) return done;
    }
    if (!open) {
      auto begun = database_.begin_write();
      if (!begun) return fail(begun.error());
      open = std::move(*begun);
    }
    if (auto put = write_tail(*open, record); !put) return put;
    if (is_foreign) continue;
    auto moved = end();
    move_end(moved, record, judged, &key_);
    chain_.push_back(std::move(moved));
    matched_ = record.position;
  }
  return commit();
}

std::vector<ledger::plane_set> log_ahead::plane_sets() const {
  auto out = chain_.front().plane_sets();
  for (const auto& at : chain_)
    if (!at.planes.empty() && (out.empty() || out.back() != at.planes)) out.push_back(at.planes);
  return out;
}

/// A log has its batches in the order of the chain, so that those before a committed one are
/// committed.
std::optional<log_ahead::part> log_ahead::committed_by(const model::record_name& record,
                                                       model::log_generation generation) const {
  if (chain_.size() == 1) return std::nullopt;
  const auto* named = at(record.position);
  const bool has_it = named != nullptr && named->name() == record;
  if (!has_it && (end().generation != generation || record.position <= matched_))
    return std::nullopt;
  const auto last = has_it ? record.position : matched_;
  const auto count = std::min(chain_.size(), part_max + 1);
  part out{{}, chain_[1].stream_created_ns};
  for (auto index = std::size_t{1}; index < count; ++index) {
    const auto& each = chain_[index];
    if (each.position > last || each.stream_created_ns != out.stream_created_ns) break;
    out.until = each.position;
  }
  if (out.until.is_zero()) return std::nullopt;
  return out;
}

void log_ahead::applied(const view_position& at) {
  while (chain_.size() > 1 && chain_[1].position <= at.position) chain_.pop_front();
}

}  // namespace argosy::view
