// SPDX-License-Identifier: Apache-2.0
// unfit_jobs finds waiting jobs and gangs that no pool could take, even if all of its nodes were
// empty and open: they are to be blocked, and rejected when no such node has come in time. A silent
// or closed node counts as long as it is known, and while no node is known nobody is judged. Pure;
// the COORDINATOR owns it and tells the QUEUEs what it finds.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/pool_configs.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/ledger/queue/queue_command.hpp"

namespace argosy::rounds {

class unfit_jobs {
 public:
  explicit unfit_jobs(ledger::unfit_rules rules) : rules_(rules) {}

  /// Looks whether anything is to be done about such a job, by queue, but puts it off if it did so
  /// within period() or the fold is not settled. What is not done by the next look is found again.
  [[nodiscard]] std::map<model::queue_name, ledger::unfit_findings> look(
      delta_fold& fold, const pool_configs& configs, std::int64_t now_ns, boot_time now);
  /// Whether a later look may find something though nothing changes.
  [[nodiscard]] bool has_candidates() const {
    return is_put_off_ || is_cut_short_ || !since_.empty() || !suspects_.empty();
  }
  [[nodiscard]] boot_time period() const;

 private:
  /// The state of one look.
  struct view;

  void suspect_gangs(delta_fold& fold);
  void look_at_gangs(const view& of);
  [[nodiscard]] bool is_unfit(const view& of, const ulid& job, std::uint32_t gang) const;
  void judge(view& of, const ulid& job, const model::queue_name& queue, std::int64_t blocked_ns);

  ledger::unfit_rules rules_;
  boot_time last_look_ = boot_time::min() / 2;
  bool is_put_off_ = false;
  /// The last look has not come to the end, or more has changed than when it began.
  bool is_cut_short_ = false;
  std::uint64_t node_version_ = 0;       ///< That of the last look.
  std::set<std::uint32_t> suspects_;     ///< Gangs that have to be looked at.
  std::set<std::uint32_t> unfit_gangs_;  ///< Gangs whose members fit, but not together.
  /// Since when it has been seen that nothing could take the job, or the first of its gang.
  absl::flat_hash_map<ulid, boot_time> since_;
};

/// Says what whoever submits these jobs should know of those that no pool could take, and of gangs
/// that a limit of rates never lets start; empty if there is nothing to say.
[[nodiscard]] std::string unfit_note(
    const delta_fold& fold, const pool_configs& configs, const ledger::unfit_rules& rules,
    const std::vector<std::shared_ptr<const model::job_header>>& jobs);

}  // namespace argosy::rounds
