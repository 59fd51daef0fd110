// SPDX-License-Identifier: Apache-2.0
// Random histories of one queue: commands of any kind in any order, an observer that knows the
// rules of a job's life without the core's help, and views to compare cores with.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/ledger/gang_core.hpp"
#include "runtime/ledger/queue/queue_core.hpp"

namespace argosy::ledger {

/// One command by four numbers: what to do, how, and to whom. Any numbers make a legal call.
using command = std::tuple<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>;

/// One line for a change, with everything that is stored by it.
std::string describe(const change& what);

/// The whole observable state: settings, jobs, job sets, gangs, counts.
std::string describe(const queue_core& core);

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

/// Carries out one history and checks after every step. Returns the first complaint, or nothing.
std::string play(const std::vector<command>& commands, const queue_config& config);

/// How often each thing happened in the last histories, which shows that they test something.
struct history_counts {
  std::map<std::string, std::size_t> events;
  std::size_t refused = 0;
};
history_counts& counts();

}  // namespace argosy::ledger
