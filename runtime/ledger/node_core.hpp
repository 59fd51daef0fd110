// SPDX-License-Identifier: Apache-2.0
// One node: what its agent reported of it, whether it takes new work, its health, and the runs on
// it (derived from its CLUSTER's orders). Owned by a NODE; not thread-safe.
#pragma once

#include <absl/container/btree_map.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/ledger/run_verdict.hpp"
#include "runtime/model/node.hpp"

namespace argosy::ledger {

struct node_config {
  /// A node whose failure rate reaches this takes no new work; above 1: never. 0..1 otherwise.
  double quarantine_threshold = 2.0;
  /// The weight of the newest run in the failure rate, 0..1.
  double health_weight = 0.1;
  /// Fewer runs than this say nothing.
  std::uint32_t runs_min = 10;
  /// A quarantined node is tried again after this.
  boot_time quarantine_period = std::chrono::minutes{10};
};

enum class node_state : std::uint8_t {
  ready,
  cordoned,     ///< By its own cluster: node_info::unschedulable.
  quarantined,  ///< Its runs fail too often.
  silent,       ///< No contact with its cluster.
  gone,         ///< Removed; retires when its last run has ended.
};

[[nodiscard]] std::string_view to_string(node_state state) noexcept;

/// The node as snapshots see it.
struct node_view {
  std::string id;  ///< "cluster/node".
  std::string cluster;
  std::string pool;
  bool present = true;
  model::node_info info;  ///< unschedulable in every state but ready.
  node_state state = node_state::ready;
};

class node_core {
 public:
  node_core(std::string cluster, std::string pool, node_config config = {});

  void set_info(model::node_info info);
  void set_pool(std::string pool);
  void set_contact(bool in_contact);
  void remove();

  /// Idempotent by run.
  void bind(const model::run_key& run, model::resource_list requests);
  /// The run has ended. Unknown runs are ignored.
  void unbind(const model::run_key& run, run_verdict verdict, boot_time now);
  /// Ends a quarantine whose period is over.
  void tick(boot_time now);
  /// When tick() has something to do; never: boot_time::max().
  [[nodiscard]] boot_time tick_due() const noexcept;

  [[nodiscard]] node_state state() const noexcept;
  [[nodiscard]] node_view view() const;
  /// Changed in a way that snapshots see, since the last call.
  [[nodiscard]] bool take_dirty() noexcept;
  [[nodiscard]] bool dirty() const noexcept { return dirty_; }
  /// Gone, and nothing runs on it.
  [[nodiscard]] bool retired() const noexcept { return gone_ && runs_.empty(); }

  [[nodiscard]] const model::node_info& info() const noexcept { return info_; }
  /// The sum over the runs, by name.
  [[nodiscard]] const model::resource_list& used() const noexcept { return used_; }
  [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
  [[nodiscard]] bool has(const model::run_key& run) const { return runs_.contains(run); }

 private:
  void set(bool& flag, bool value);

  std::string cluster_;
  std::string pool_;
  node_config config_;
  model::node_info info_;
  bool in_contact_ = true;
  bool gone_ = false;
  bool quarantined_ = false;
  bool dirty_ = true;
  boot_time quarantined_at_{};
  double failure_rate_ = 0;  ///< Exponentially weighted, 0..1.
  std::uint32_t runs_seen_ = 0;
  absl::btree_map<model::run_key, model::resource_list> runs_;
  model::resource_list used_;
};

}  // namespace argosy::ledger
