// SPDX-License-Identifier: Apache-2.0
// A log_follower keeps the store of a process that waits for the lead as far as the leader has told
// that it has come, so that the process can lead at once, and has what others acknowledged.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "messages/view/recovery/recovery.hpp"
#include "messages/view/tail_table.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/claim_policy.hpp"

namespace argosy::actors {

/// What a process has that may lead.
struct candidate_ground {
  std::shared_ptr<store::database> database;
  std::shared_ptr<eventlog::event_log> log;
  std::shared_ptr<const codec::log_key> log_key;
  const clock_source* clock = nullptr;
};

class log_follower {
 public:
  log_follower(candidate_ground ground, view::state_rules rules)
      : ground_(std::move(ground)), rules_(std::move(rules)) {}

  /// Applies a part of what the leader has told of. Returns whether there is more of that in the
  /// log now. `give_up` may end the reading of the store.
  bool follow(const ledger::leader_standing& leader, const std::function<bool()>& give_up);
  /// Where planes decide together: makes durable what the log has beyond that, whether or not it is
  /// committed, and waits for it up to `wait` if there is nothing. `seek` looks for a later
  /// generation; `bounded` waits for the view when it is far behind. Returns whether the store ends
  /// with another record now; nothing: it could not read, and did not wait.
  std::optional<bool> read_ahead(std::chrono::milliseconds wait, bool seek, bool bounded,
                                 const std::function<bool()>& give_up);
  /// What it has read so; null: it has not.
  [[nodiscard]] const view::log_ahead* ahead() const { return ahead_ ? &*ahead_ : nullptr; }
  /// Why it does not follow, in a sentence without a full stop; empty: it does, or tries again
  /// soon.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// The last record that it has applied; nothing: it does not follow.
  [[nodiscard]] std::optional<model::log_position> position() const;

  /// Recovers from where it has come to; see view::recover().
  [[nodiscard]] result<view::recovered_state> finish(const view::claim_gate& gate,
                                                     model::epoch granted);

 private:
  [[nodiscard]] view::recovery& begin();
  result<void> begin_ahead(const std::function<bool()>& give_up);
  result<bool> follow_ahead(const ledger::leader_standing& leader,
                            const std::function<bool()>& give_up);
  void fail_with(const error& why, boot_time now);
  void trim(boot_time now);

  candidate_ground ground_;
  view::state_rules rules_;
  std::unique_ptr<view::recovery> recovery_;
  std::optional<view::log_ahead> ahead_;
  std::optional<view::tail_table> tail_;
  boot_time trims_at_{};
  boot_time tries_at_{};  ///< After a failure nothing is tried before.
  std::string problem_;
};

}  // namespace argosy::actors
