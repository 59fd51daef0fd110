// SPDX-License-Identifier: Apache-2.0
#include "messages/view/tail_table.hpp"

#include <algorithm>

#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

void tail_table::add(model::log_position position, std::uint64_t bytes, boot_time now) {
  core_.add(position, bytes, now);
  newest_ = position;
}

result<void> tail_table::take_up(boot_time now, model::log_position until) {
  auto txn = database_->begin_read();
  if (!txn) return fail(txn.error());
  return store::scan(
      **txn, store::table::tail, {},
      [&](const store::entry& entry) {
        const auto position = store::key_reader{entry.key}.number();
        if (position && model::log_position{*position} > until) return false;
        if (position) add({*position}, entry.value.size(), now);
        return true;
      },
      store::number_key(newest_.value + 1));
}

result<std::size_t> tail_table::trim(boot_time now) {
  const auto count = std::min(core_.due(now), trimmed_max);
  if (count == 0) return count;
  auto txn = database_->begin_write();
  if (!txn) return fail(txn.error());
  for (std::size_t i = 0; i < count; ++i)
    if (auto gone = (*txn)->erase(store::table::tail, store::number_key(core_.position(i).value));
        !gone)
      return fail(gone.error());
  if (auto committed = (*txn)->commit(); !committed) return fail(committed.error());
  core_.drop(count);
  return count;
}

}  // namespace argosy::view
