// SPDX-License-Identifier: Apache-2.0
#include "messages/view/writer.hpp"

#include <map>
#include <string_view>

#include "messages/view/history_codec.hpp"
#include "messages/view/store_codec.hpp"

namespace argosy::view {

result<void> write_batch(store::write_txn& txn, const native::committed_batch& batch,
                         const std::function<void(const ledger::index_event&)>& indexed) {
  std::uint32_t index = 0;
  view::history_writer history;
  // Only the last totals of a batch count, and every job that ends brings some.
  std::map<std::string_view, const ledger::put_queue_totals*> totals;
  for (const auto& entry : batch.entries) {
    for (const auto& change : entry->changes) {
      if (const auto* counted = std::get_if<ledger::put_queue_totals>(&change)) {
        totals[counted->queue] = counted;
        continue;
      }
      if (const auto* gone = std::get_if<ledger::erase_queue>(&change)) totals.erase(gone->name);
      history.add(change);
      view::event_place place{batch.position, index};
      if (const auto* event = std::get_if<ledger::index_event>(&change)) {
        ++index;
        indexed(*event);
      }
      if (auto written = view::write_change(txn, change, place); !written) return written;
    }
  }
  for (const auto& [queue, counted] : totals)
    if (auto written = view::write_change(txn, *counted, {}); !written) return written;
  if (auto written = history.write(txn, batch.position); !written) return written;
  // The position is read last, since a change of the batch may name the holder of a new epoch.
  auto before = view::read_position(txn);
  if (!before) return fail(before.error());
  auto position = before->value_or(view::view_position{});
  position.position = batch.position;
  position.generation = batch.generation;
  position.epoch = batch.epoch;
  position.batch_number = batch.number;
  position.hash = batch.hash;
  position.stream_created_ns = batch.stream_created_ns;
  position.key_print = batch.key_print;
  position.generation_base = batch.generation_base;
  return view::write_position(txn, position);
}

}  // namespace argosy::view
