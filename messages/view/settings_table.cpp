// SPDX-License-Identifier: Apache-2.0
#include "messages/view/settings_table.hpp"

#include <utility>

#include "messages/codec/log/log_values.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/record.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

using store::table;

result<void> write_settings_change(store::write_txn& txn,
                                   const ledger::put_settings_change& change) {
  argosy::store::v1::RecordedSettings out;
  out.set_format(record_format);
  out.set_time_ns(change.time_ns);
  codec::to_wire(change.change, *out.mutable_change());
  const auto number = change.change.number;
  if (auto ok =
          txn.put(table::settings_changes, store::number_key(number), codec::encode_sorted(out));
      !ok)
    return ok;
  if (number <= model::settings_changes_kept) return {};
  const auto end = store::number_key(number - model::settings_changes_kept + 1);
  auto erased =
      store::erase_range(txn, table::settings_changes, {}, end, model::settings_changes_kept);
  if (!erased) return fail(std::move(erased.error()));
  return {};
}

result<ledger::put_settings_change> decode_settings_change(const store::entry& entry) {
  argosy::store::v1::RecordedSettings in;
  if (auto ok = read_record(entry.value, in, "record of changed settings"); !ok)
    return fail(std::move(ok.error()));
  return ledger::put_settings_change{in.time_ns(), codec::from_wire(in.change())};
}

result<std::vector<ledger::put_settings_change>> read_settings_changes(store::read_txn& txn) {
  std::vector<ledger::put_settings_change> out;
  auto read =
      store::each(txn, table::settings_changes, [&](const store::entry& entry) -> result<void> {
        auto change = decode_settings_change(entry);
        if (!change) return fail(std::move(change.error()));
        out.push_back(std::move(*change));
        return {};
      });
  if (!read) return fail(std::move(read.error()));
  return out;
}

}  // namespace argosy::view
