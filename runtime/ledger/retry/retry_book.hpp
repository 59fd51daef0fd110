// SPDX-License-Identifier: Apache-2.0
// The retry_book is the state of all retry policies. Its commands change nothing; apply() does,
// live and at recovery alike.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "runtime/ledger/change.hpp"
#include "runtime/ledger/queue/queue_command.hpp"

namespace argosy::ledger {

/// Policies by name.
using retry_policies = std::map<std::string, model::retry_policy, std::less<>>;
using retry_policies_ptr = std::shared_ptr<const retry_policies>;

class retry_book {
 public:
  /// Restores what the stored view has.
  void restore(model::retry_policy policy);

  /// Creates or replaces the policy; an equal one gives no event. Fails with ec::not_found if it
  /// has to be there and is not, and with ec::overloaded when there are too many.
  [[nodiscard]] decision<done> set(const model::retry_policy& policy, write_mode mode,
                                   std::int64_t now_ns) const;
  /// Deletes the policy. One that is not there gives no event.
  [[nodiscard]] decision<done> erase(const std::string& name, std::int64_t now_ns) const;

  /// Changes the state by one event, and returns the changes that the store has to write. Events of
  /// other kinds change nothing.
  change_list apply(const model::event& e);

  /// The policies as they are now. The value never changes; later ones are other values.
  [[nodiscard]] const retry_policies_ptr& policies() const noexcept { return policies_; }

  /// There are never more policies than this. All of them go to every QUEUE as one value.
  static constexpr std::size_t policies_max = 1'000;

 private:
  retry_policies_ptr policies_ = std::make_shared<const retry_policies>();
};

}  // namespace argosy::ledger
