// SPDX-License-Identifier: Apache-2.0
// This file declares how the record of a round of the past is found in the store, which has those
// of all rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/store/database.hpp"

namespace argosy::past {

/// The record of the round with this number; nothing if there is none.
[[nodiscard]] result<std::optional<ledger::put_round>> find_round(store::read_txn& txn,
                                                                  std::uint64_t number);
/// The record of the last round that began at this Unix time or before; nothing if there is none.
/// It takes as many steps as the number of rounds has binary digits.
[[nodiscard]] result<std::optional<ledger::put_round>> last_round_before(store::read_txn& txn,
                                                                         std::int64_t time_ns);

/// The record of the first round for which `is_late` holds, which must then hold for all later ones
/// as well; nothing if there is none. It takes as many steps as last_round_before().
[[nodiscard]] result<std::optional<ledger::put_round>> first_round_where(
    store::read_txn& txn, const std::function<bool(const ledger::put_round&)>& is_late);
/// How many records there are with these numbers, the ends included.
[[nodiscard]] result<std::uint64_t> count_rounds(store::read_txn& txn, std::uint64_t first,
                                                 std::uint64_t last);

}  // namespace argosy::past
