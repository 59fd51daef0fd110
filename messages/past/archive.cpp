// SPDX-License-Identifier: Apache-2.0
#include "messages/past/archive.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "messages/past/past_explanation.hpp"
#include "messages/past/round_index.hpp"

namespace argosy::past {

result<model::round_decided> archive::find(std::uint64_t round, std::int64_t at_ns) const {
  auto txn = seams_.store->begin_read();
  if (!txn) return fail(std::move(txn.error()));
  auto found = round != 0 ? find_round(**txn, round) : last_round_before(**txn, at_ns);
  if (!found) return fail(std::move(found.error()));
  if (!*found && round != 0)
    return fail(ec::not_found, "there was no round " + std::to_string(round) +
                                   ", or its record is not kept any more");
  if (!*found) return fail(ec::not_found, "no round before that time is known");
  return std::move((*found)->round);
}

/// The newest copy that is not too new; null if there is none, so that the log is read from its
/// beginning on.
result<std::shared_ptr<store::database>> archive::copy_before(std::uint64_t position) const {
  auto copies = seams_.copies();
  if (!copies) return fail(std::move(copies.error()));
  const auto newer =
      std::ranges::find_if(*copies, [&](const auto& copy) { return copy.position > position; });
  if (newer == copies->begin()) return nullptr;
  return std::prev(newer)->open();
}

result<const past_cycle*> archive::cycle_of(const model::round_decided& round) {
  const auto has = [&](const past_cycle& cycle) {
    return std::ranges::any_of(cycle.rounds,
                               [&](const auto& one) { return one.record.number == round.number; });
  };
  if (kept_ && has(*kept_)) return &*kept_;
  kept_.reset();
  auto copy = copy_before(round.snapshot_position);
  if (!copy) return fail(std::move(copy.error()));
  auto log = seams_.open_log();
  if (!log) return fail(std::move(log.error()));
  auto cycle = rebuild_cycle(
      {copy->get(), log->get(), seams_.key.get(), seams_.rules, seams_.read_settings, &stopped_},
      round);
  (*log)->close();
  if (!cycle) return fail(std::move(cycle.error()));
  return &kept_.emplace(std::move(*cycle));
}

result<v1::JobExplanation> archive::explain(const ulid& job, std::uint64_t round,
                                            std::int64_t at_ns) {
  auto record = find(round, at_ns);
  if (!record) return fail(std::move(record.error()));
  const auto cycle = cycle_of(*record);
  if (!cycle) return fail(cycle.error());
  return past::explain(**cycle, job, record->number);
}

}  // namespace argosy::past
