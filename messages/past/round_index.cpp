// SPDX-License-Identifier: Apache-2.0
#include "messages/past/round_index.hpp"

#include <utility>

#include "messages/view/store_codec.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::past {

namespace {

using found_round = result<std::optional<ledger::put_round>>;

/// The first round with this number or a higher one.
found_round next_round(store::read_txn& txn, std::uint64_t number) {
  found_round out;
  auto scanned = store::scan(
      txn, store::table::rounds, {},
      [&](const store::entry& entry) {
        auto round = view::decode_round(entry.value);
        if (round)
          out = std::move(*round);
        else
          out = fail(std::move(round.error()));
        return false;
      },
      store::number_key(number));
  if (!scanned) return fail(std::move(scanned.error()));
  return out;
}

/// The rounds on both sides of the point from which on `is_late` holds.
struct boundary {
  std::optional<ledger::put_round> last_early;
  std::optional<ledger::put_round> first_late;
};

result<boundary> find_boundary(store::read_txn& txn,
                               const std::function<bool(const ledger::put_round&)>& is_late) {
  boundary out;
  auto last = store::last(txn, store::table::rounds);
  if (!last) return fail(std::move(last.error()));
  if (!*last) return out;
  auto newest = view::decode_round((*last)->value);
  if (!newest) return fail(std::move(newest.error()));
  for (std::uint64_t from = 0, end = newest->round.number + 1; from < end;) {
    const auto middle = from + (end - from) / 2;
    auto round = next_round(txn, middle);
    if (!round) return fail(std::move(round.error()));
    if (*round && !is_late(**round)) {
      from = (*round)->round.number + 1;
      out.last_early = std::move(*round);
      continue;
    }
    end = middle;
    if (*round) out.first_late = std::move(*round);
  }
  return out;
}

}  // namespace

found_round find_round(store::read_txn& txn, std::uint64_t number) {
  auto found = next_round(txn, number);
  if (found && *found && (*found)->round.number != number) return std::nullopt;
  return found;
}

found_round first_round_where(store::read_txn& txn,
                              const std::function<bool(const ledger::put_round&)>& is_late) {
  auto found = find_boundary(txn, is_late);
  if (!found) return fail(std::move(found.error()));
  return std::move(found->first_late);
}

found_round last_round_before(store::read_txn& txn, std::int64_t time_ns) {
  auto found =
      find_boundary(txn, [&](const auto& round) { return round.round.began_ns > time_ns; });
  if (!found) return fail(std::move(found.error()));
  return std::move(found->last_early);
}

result<std::uint64_t> count_rounds(store::read_txn& txn, std::uint64_t first, std::uint64_t last) {
  const auto end = store::number_key(last + 1);
  std::uint64_t count = 0;
  auto scanned = store::scan(
      txn, store::table::rounds, {},
      [&](const store::entry& entry) {
        if (entry.key >= end) return false;
        ++count;
        return true;
      },
      store::number_key(first));
  if (!scanned) return fail(std::move(scanned.error()));
  return count;
}

}  // namespace argosy::past
