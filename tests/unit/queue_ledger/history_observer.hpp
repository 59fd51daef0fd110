// SPDX-License-Identifier: Apache-2.0
// An observer of one queue that knows the rules of a job's life without the core's help.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "runtime/ledger/queue/queue_core.hpp"

namespace argosy::ledger {

/// Follows the stored changes and says what is wrong with them. It knows nothing of the core's
/// rules beyond the order of states.
class observer {
 public:
  void see(const model::event& e, const change_list& changes);
  /// Compares the stored changes with the core's state after a whole decision.
  void check(const queue_core& core);
  [[nodiscard]] const std::string& complaint() const noexcept { return complaint_; }

  /// Makes a core from what was stored.
  [[nodiscard]] std::unique_ptr<queue_core> restored(const queue_config& config) const;

  std::size_t accepted = 0;
  std::size_t ended = 0;

 private:
  void see_job(const put_job& put);
  void complain(const std::string& what);

  std::map<ulid, model::job_record> live_;
  std::set<ulid> ended_;
  std::map<std::string, put_client_id> clients_;
  std::optional<model::queue_settings> settings_;
  std::map<std::string, std::set<ulid>> ran_gangs_;
  std::string complaint_;
};

}  // namespace argosy::ledger
