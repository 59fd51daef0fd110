// SPDX-License-Identifier: Apache-2.0
// The tail of a store, as whoever writes the store keeps it: which records it has, and how the
// oldest leave it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/tail_core.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

class tail_table {
 public:
  /// How many records leave at once, so that others who write need not wait for long.
  static constexpr std::size_t trimmed_max = 1'000;
  static constexpr model::log_position to_the_end{std::numeric_limits<std::uint64_t>::max()};

  /// `database` outlives the object.
  explicit tail_table(store::database& database, const eventlog::tail_rules& rules = {})
      : database_(&database), core_(rules) {}

  /// Takes up the records of the table behind those that it knows, up to this one. Nobody knows for
  /// how long they have been in the log: their time begins now. Fails with the errors of the store.
  result<void> take_up(boot_time now, model::log_position until = to_the_end);
  /// The table has got this record, in place of those that were there at its position and behind.
  void add(model::log_position position, std::uint64_t bytes, boot_time now);
  /// The record is in the log since now.
  void committed(model::log_position position, boot_time now) { core_.committed(position, now); }
  /// Erases the oldest records that are due, and returns how many there were. Fails with the errors
  /// of the store.
  result<std::size_t> trim(boot_time now);

  [[nodiscard]] bool full() const noexcept { return core_.full(); }
  [[nodiscard]] std::size_t size() const noexcept { return core_.size(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return core_.bytes(); }

 private:
  store::database* database_;
  eventlog::tail_core core_;
  model::log_position newest_{};  ///< The record that was added last.
};

}  // namespace argosy::view
