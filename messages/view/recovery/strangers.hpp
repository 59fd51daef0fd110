// SPDX-License-Identifier: Apache-2.0
// The records behind the newest batch of the chain that recovery cannot place yet. They are foreign
// if the chain goes on behind them; otherwise a record of the chain may be damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

enum class stranger_kind : std::uint8_t {
  foreign,      ///< It is no batch, is forged, or of a leader that was deposed.
  other_key,    ///< A batch with the MAC of another key or none, while the chain has none of ours.
  other_batch,  ///< A batch of the present epoch or a later one that does not continue the chain.
};

class strangers {
 public:
  explicit strangers(store::database& database) : database_(database) {}

  /// Adds the next record of the log. Fails with ec::corrupt if the tail has it with other bytes,
  /// and when the chain was not found again within 1,000 batches or 64 MiB.
  result<void> add(eventlog::record record, stranger_kind kind, const std::string& why);

  /// The log counts the record at this position and does not give it. It may have been foreign.
  void miss(model::log_position position);

  /// The chain goes on: they were foreign. Writes them to the tail, which holds the log as it
  /// stands, so that it can be repaired to the byte; and forgets them.
  result<void> keep(store::write_txn& txn);

  /// The log ends. Does what keep() does if all of them are foreign. Otherwise fails
  /// with ec::corrupt: to leave such batches out might lose what they hold.
  result<void> settle();

  /// How many records were added since the beginning.
  [[nodiscard]] std::size_t added() const { return added_; }

 private:
  result<void> check_whole(const eventlog::record& record);
  /// Whether none was added or missed since the chain last went on.
  [[nodiscard]] bool is_empty() const { return records_.empty() && other_batches_ == 0; }

  store::database& database_;
  std::vector<eventlog::record> records_;
  std::size_t bytes_ = 0;
  std::size_t other_batches_ = 0;
  model::log_position first_{};
  std::string why_;           ///< The fault of the first.
  std::string of_other_key_;  ///< The fault of the first that has another key's MAC.
  std::size_t added_ = 0;
  std::size_t missed_ = 0;
};

}  // namespace argosy::view
