// SPDX-License-Identifier: Apache-2.0
// This file declares the records of the view. It turns changes of the ledger into puts and erases,
// and records back into values. The values of every table are defined here, but for the view's own
// progress (progress.hpp) and what each position of the log added (history_codec.hpp); the keys are
// in view_keys.hpp.
#pragma once

#include <string_view>

#include "messages/view/progress.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Carries out one change in the transaction. `place` is used by index_event.
result<void> write_change(store::write_txn& txn, const ledger::change& change, event_place place);

/// These turn records into values. `with_spec` also reads the specification into the header.
[[nodiscard]] result<model::job_record> decode_job(store::read_txn& txn, std::string_view value,
                                                   bool with_spec);
[[nodiscard]] result<model::queue_settings> decode_queue(std::string_view value);
[[nodiscard]] result<ledger::put_queue_totals> decode_queue_totals(const store::entry& entry);
[[nodiscard]] result<ledger::put_client_id> decode_client_id(const store::entry& entry);
[[nodiscard]] result<ledger::put_cluster> decode_cluster(std::string_view value);
[[nodiscard]] result<ledger::put_node> decode_node(const store::entry& entry);
[[nodiscard]] result<ledger::put_cordon> decode_cordon(const store::entry& entry);
[[nodiscard]] result<model::retry_policy> decode_retry_policy(std::string_view value);
[[nodiscard]] result<model::carried_entry> decode_carried(std::string_view value);
[[nodiscard]] result<ledger::put_round> decode_round(std::string_view value);

}  // namespace argosy::view
