// SPDX-License-Identifier: Apache-2.0
#include "messages/view/check/chain.hpp"

#include <utility>
#include <variant>

#include "messages/codec/log/log_codec.hpp"

namespace argosy::view {

chain_walk::chain_walk(const codec::log_key* key, bool all_signed)
    : key_(key), all_signed_(all_signed && key != nullptr) {}

/// Returns the end that the chain has; before its first batch, an end that the record continues.
view_position chain_walk::before(const eventlog::record& record) const {
  view_position out;
  if (end_) out = *end_;
  if (all_signed_) out.key_print = key_->print();
  if (end_) return out;
  if (const auto batch = codec::decode_batch(record.data)) {
    out.hash = batch->previous_hash;
    out.generation = batch->generation;
    out.epoch = batch->epoch;
    // Numbers count from 1, so that this one comes after the end in every case.
    out.batch_number = batch->number > 0 ? batch->number - 1 : 0;
  }
  return out;
}

void chain_walk::go_to(const eventlog::record& record, judgement found) {
  view_position at;
  if (end_) at = *end_;
  move_end(at, record, found, key_);
  end_ = at;
  batch_ = std::move(found.batch);
}

std::optional<std::string> chain_walk::take(const eventlog::record& record) {
  batch_.reset();
  auto found = judge(record.data, before(record), key_);
  found_ = found.as;
  switch (found.as) {
    case standing::next:
      ++batches_;
      authentic_ += found.authentic ? 1 : 0;
      all_signed_ = all_signed_ || found.authentic;
      go_to(record, std::move(found));
      return {};
    case standing::no_batch:
    case standing::forged:
    case standing::late:
      ++foreign_;
      return {};
    case standing::other_key:
    case standing::unreadable:
      return found.why;
    case standing::broken:
      break;
  }
  auto why = found.why + ": it is damaged, or one between is damaged or missing";
  go_to(record, std::move(found));
  batch_.reset();
  return why;
}

}  // namespace argosy::view
