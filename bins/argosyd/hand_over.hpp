// SPDX-License-Identifier: Apache-2.0
// How a leader that ends in order lets another process lead at once.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/bus/connection.hpp"
#include "runtime/ledger/claim_policy.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::argosyd {

/// What an operator wants, for the main thread. It may be used from any thread.
class hand_over_wish {
 public:
  /// The plane with this id is to lead next; empty id: any.
  void set(const std::string& heir);
  /// Nothing: this process goes on.
  [[nodiscard]] std::optional<std::string> heir() const;

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> heir_;
};

/// Tells those that wait that this process leads no more, so that one of them leads at once: the
/// heir before the others. Its actors must have ended, so that it writes nothing. `last` is what it
/// would tell of itself.
void hand_over(const std::shared_ptr<bus::connection>& connection, ledger::leader_standing last,
               const hand_over_wish& wish, metrics::board& board);

}  // namespace argosy::argosyd
