// SPDX-License-Identifier: Apache-2.0
// The node_core knows one node: what its agent reported of it, whether it takes new work, its
// health, and the runs on it, which follow from the orders of its CLUSTER. A NODE owns it; it is
// not thread-safe.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/ledger/run_verdict.hpp"
#include "runtime/model/node.hpp"
#include "runtime/model/round_health.hpp"

namespace argosy::ledger {

struct node_config {
  /// The failure probability of the machine, 0..1, at which a node takes no new work. With a value
  /// above 1 that never happens.
  double quarantine_threshold = 0.8;
  /// The number of ended runs below which that probability is not looked at.
  std::uint32_t runs_min = 5;
  /// How many starts a node may refuse in a row; with the last of them it takes no new work. With 0
  /// that never happens.
  std::uint32_t refusals_max = 3;
  /// The time after which a quarantined node takes work again. While no run has begun there, it
  /// doubles with each quarantine, up to the second.
  boot_time quarantine_period = std::chrono::seconds{30};
  boot_time quarantine_period_max = std::chrono::minutes{10};
  /// How many runs a node gets after a quarantine before one of them has begun. What one round
  /// places there goes there all the same. With 0 there is no such limit.
  std::uint32_t trial_runs = 2;
};

enum class node_state : std::uint8_t {
  ready,
  cordoned,     ///< Its own cluster does not want new work there: node_info::unschedulable.
  unready,      ///< Its own cluster cannot use it: node_info::unschedulable and trouble_of().
  quarantined,  ///< Its machine fails runs or refuses to start any, or it is being tried again.
  silent,       ///< There is no contact with its cluster.
  gone,         ///< The node was removed, and retires when its last run has ended.
};

[[nodiscard]] std::string_view to_string(node_state state) noexcept;

/// A node as snapshots see it.
struct node_view {
  model::node_path id;
  model::cluster_name cluster;
  model::pool_name pool;
  bool present = true;
  model::node_info info;  ///< Its `unschedulable` is true in every state but ready.
  node_state state = node_state::ready;
};

class node_core {
 public:
  node_core(model::cluster_name cluster, model::pool_name pool, node_config config = {});

  void set_info(model::node_info info);
  void set_pool(model::pool_name pool);
  void set_contact(bool in_contact);
  void remove();

  /// Counts the run as one of this node's. A repeat changes nothing.
  void bind(const model::run_key& run, model::resource_list requests);
  /// The run has ended. Unknown runs are ignored.
  void unbind(const model::run_key& run, run_verdict verdict, boot_time now);
  /// A run has begun here, which ends a quarantine for whatever reason, and the trial after it.
  void began();
  /// Takes what the ends of its runs say of the machine; it is quarantined for it if need be.
  void judge(const model::health_record& health, boot_time now);
  /// Goes on with a quarantine of an earlier leader that lasts for `rest` longer.
  void restore(const model::health_record& health, boot_time rest, boot_time now);
  /// An operator ends the quarantine or the trial at this Unix time, and the node is trusted like a
  /// new one. What was known of it before leads to no further quarantine, also if it is heard of
  /// only later. Returns false, and changes nothing, if the node is in neither.
  [[nodiscard]] bool release(std::int64_t now_ns);
  /// Ends a quarantine whose period is over, and after another period the limit of the trial.
  void tick(boot_time now);
  /// When tick() has something to do; boot_time::max() means never.
  [[nodiscard]] boot_time tick_due() const noexcept;

  [[nodiscard]] node_state state() const noexcept;
  [[nodiscard]] node_view view() const;
  /// Whether the node changed since the last call in a way that snapshots see.
  [[nodiscard]] bool take_dirty() noexcept;
  [[nodiscard]] bool dirty() const noexcept { return dirty_; }
  /// Whether the node is gone and nothing runs on it.
  [[nodiscard]] bool retired() const noexcept { return gone_ && runs_.empty(); }

  [[nodiscard]] const model::cluster_name& cluster() const noexcept { return cluster_; }
  [[nodiscard]] const model::pool_name& pool() const noexcept { return pool_; }
  [[nodiscard]] const model::node_info& info() const noexcept { return info_; }
  /// What the runs request together, sorted by resource name.
  [[nodiscard]] const model::resource_list& used() const noexcept { return used_; }
  [[nodiscard]] bool quarantined() const noexcept { return quarantined_; }
  /// How long the quarantine lasts from its begin to its end.
  [[nodiscard]] boot_time period() const noexcept { return period_; }
  /// The cause of the last quarantine, as a clause.
  [[nodiscard]] const std::string& cause() const noexcept { return why_; }
  /// The cause of the present quarantine or trial, as a clause; empty if there is neither.
  [[nodiscard]] std::string why() const;
  /// How many starts the node has refused since one began, or since its last quarantine ended.
  [[nodiscard]] std::uint32_t refusals() const noexcept { return refusals_; }
  [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
  [[nodiscard]] bool has(const model::run_key& run) const { return runs_.contains(run); }

 private:
  void set(bool& flag, bool value);
  [[nodiscard]] bool fails_too_often() const noexcept;
  [[nodiscard]] bool refuses_starts() const noexcept;
  [[nodiscard]] bool is_held_on_trial() const noexcept;
  void quarantine(std::string why, boot_time now);

  model::cluster_name cluster_;
  model::pool_name pool_;
  node_config config_;
  model::node_info info_;
  bool in_contact_ = true;
  bool gone_ = false;
  bool quarantined_ = false;
  bool dirty_ = true;
  boot_time quarantined_until_{};
  boot_time next_period_;  ///< How long the next quarantine lasts.
  boot_time period_{};     ///< How long this quarantine lasts.
  std::string why_;
  model::health_record health_;
  /// Unix time of the newest outcome that the last quarantine took into account. Outcomes up to it
  /// lead to no further quarantine.
  std::int64_t settled_ns_ = 0;
  std::int64_t released_ns_ = 0;  ///< Unix time of the last release; 0: there was none.
  std::uint32_t refusals_ = 0;
  /// The node was quarantined and has begun no run since: one more failure is enough.
  bool on_trial_ = false;
  absl::btree_set<model::run_key> trial_;  ///< The runs placed here since the trial began.
  boot_time trial_until_{};  ///< The end of the limit on a trial's runs; 0: there is none.
  absl::btree_map<model::run_key, model::resource_list> runs_;
  model::resource_list used_;
};

}  // namespace argosy::ledger
