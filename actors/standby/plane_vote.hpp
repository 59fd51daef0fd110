// SPDX-License-Identifier: Apache-2.0
// How a plane takes part when planes decide who leads next: it binds itself to an epoch that
// another one wants to claim, and asks the others to do so when it wants to claim one itself.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/plane_quorum.hpp"

namespace argosy::actors {

/// Keeps a binding for the next start, durably.
using binding_keeper = std::function<result<void>(const ledger::plane_binding&)>;

class plane_vote {
 public:
  plane_vote(std::string plane, ledger::plane_binding bound, binding_keeper keep)
      : plane_(std::move(plane)), bound_(std::move(bound)), keep_(std::move(keep)) {}

  /// From now on it is this plane, bound like that.
  void be(std::string plane, ledger::plane_binding bound) {
    plane_ = std::move(plane);
    bound_ = std::move(bound);
    drop();
  }

  /// Answers a plane that asks, for a store that ends with this record, and binds this plane if it
  /// may. What the others have granted it is void then.
  [[nodiscard]] ledger::binding_answer answer(const ledger::binding_question& question,
                                              const model::record_name& end, bool hears_leader);

  /// Begins to ask for an epoch above all that are known, `highest` among them. Fails with the
  /// errors of the keeper.
  result<void> begin(const model::record_name& end, std::vector<ledger::plane_set> sets,
                     model::epoch highest);
  /// Takes an answer to that.
  ledger::claim_progress take(const ledger::binding_answer& answer);
  /// The question that is being asked; nothing: none is.
  [[nodiscard]] const std::optional<ledger::claim_round>& round() const { return round_; }
  /// What others have answered counts no more.
  void drop() { round_.reset(); }
  /// The epoch that a store which ends there may claim; 0: none.
  [[nodiscard]] model::epoch granted(const model::record_name& end) const;

  [[nodiscard]] model::epoch bound() const { return bound_.epoch; }
  /// Whether a record of this epoch may be confirmed.
  [[nodiscard]] bool may_confirm(model::epoch epoch) const { return epoch >= bound_.epoch; }

 private:
  std::string plane_;
  ledger::plane_binding bound_;
  binding_keeper keep_;
  model::epoch highest_{};  ///< The highest epoch that others have told of.
  std::optional<ledger::claim_round> round_;
};

}  // namespace argosy::actors
