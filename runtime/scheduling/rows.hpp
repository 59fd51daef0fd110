// SPDX-License-Identifier: Apache-2.0
// This file declares what is folded into a snapshot: one struct for each entity, which always holds
// the complete value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/terms.hpp"

namespace argosy::scheduling {

/// The name of the resource that config::pod_limits tracks.
inline constexpr std::string_view pod_resource = "pods";
/// The number of pods for nodes that do not report a limit.
inline constexpr std::int64_t unlimited_pods = std::int64_t{1} << 31;

/// Stands among the pools of a job for none at all; no pool can have this name.
inline constexpr std::string_view no_pool = "(none)";

/// The number of an interned shape in one snapshot.
using shape_id = std::uint32_t;

struct node_row {
  std::string id;
  std::string executor;
  std::string pool;
  resource_list total;  ///< The allocatable amounts as the cluster reports them.
  resource_list held;   ///< What others than this pool's jobs hold there.
  label_list labels;
  std::vector<taint> taints;
  bool unschedulable = false;  ///< The node takes no new jobs.
  /// The node takes none because it is quarantined. Only explanations look at this.
  bool quarantined = false;
};

/// A cap on what a queue's jobs of one class may use, as fractions of the pool.
struct queue_limit {
  std::string priority_class;
  std::string pool;  ///< Empty: every pool without an entry of its own.
  fraction_list fractions;
};

struct queue_row {
  std::string name;
  /// The queue's weight is 1 / factor, or 1 if the factor is not above 0.
  double priority_factor = 1.0;
  bool cordoned = false;
  std::vector<queue_limit> limits;
  /// The limit of its jobs of all classes together, as fractions of any pool.
  fraction_list total_limit = {};
};

/// What jobs with equal scheduling keys share; see snapshot::intern().
struct shape_row {
  std::string priority_class;  ///< The class's name; an unknown name acts as the default class.
  /// The node and floating resources. Other resources only make shapes differ.
  resource_list requests;
  label_list selector;
  std::vector<toleration> tolerations;
  std::vector<affinity_term> affinity;  ///< One of the terms must hold; empty: anywhere.
};

struct gang_row {
  std::string id;
  std::uint32_t cardinality = 1;
  std::uint32_t minimum = 0;     ///< 0: the cardinality.
  std::string uniformity_label;  ///< Empty: anywhere.
};

struct run_row {
  std::string node;
  std::int64_t created_ns = 0;
  std::int32_t priority = 0;  ///< The priority at which the run was scheduled.
  std::string pool;  ///< The pool of the round that placed the run; empty: the pool of the node.
  /// The run was preempted or cancelled and its end was not reported yet: it holds its room, and a
  /// round takes no other notice of it.
  bool stopping = false;
};

struct job_row {
  ulid id;
  std::string queue;
  shape_id shape = 0;
  std::uint32_t priority = 0;  ///< The user's priority; jobs with a smaller number go first.
  std::int64_t submit_ns = 0;
  std::optional<gang_row> gang;
  std::vector<std::string> pools;  ///< The pools in which it may run; empty: every pool.
  /// The run of a leased, pending or running job; nothing for a queued one.
  std::optional<run_row> run;
};

}  // namespace argosy::scheduling
