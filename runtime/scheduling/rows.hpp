// SPDX-License-Identifier: Apache-2.0
// What is folded into a snapshot: one struct per entity, complete values, no deltas of fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/terms.hpp"

namespace argosy::scheduling {

/// What config::pod_limits counts.
inline constexpr std::string_view pod_resource = "pods";
/// Of nodes that do not say how many they take.
inline constexpr std::int64_t unlimited_pods = std::int64_t{1} << 31;

/// Number of an interned shape in one snapshot.
using shape_id = std::uint32_t;

struct node_row {
  std::string id;
  std::string executor;
  std::string pool;
  resource_list total;  ///< Allocatable by the cluster's own account.
  resource_list held;   ///< What others than this pool's jobs hold there.
  label_list labels;
  std::vector<taint> taints;
  bool unschedulable = false;  ///< Cordoned or drained: takes no new jobs.
};

/// A cap on what a queue's jobs of one class may use, as fractions of the pool.
struct queue_limit {
  std::string priority_class;
  std::string pool;  ///< Empty: every pool without an entry of its own.
  fraction_list fractions;
};

struct queue_row {
  std::string name;
  double priority_factor = 1.0;  ///< Weight = 1 / factor; 1 if the factor is not above 0.
  bool cordoned = false;
  std::vector<queue_limit> limits;
};

/// What jobs with equal scheduling keys share. Interned; see snapshot::intern().
struct shape_row {
  std::string priority_class;  ///< Unknown names act as the default class.
  resource_list requests;      ///< Node and floating resources; others count in the key only.
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
  std::int32_t priority = 0;  ///< At which it was scheduled.
  std::string pool;           ///< Of the round that placed it; empty: the node's.
  /// It was preempted or cancelled, and its end was not reported yet: it holds its room, and is
  /// nothing else to a round.
  bool stopping = false;
};

struct job_row {
  ulid id;
  std::string queue;
  shape_id shape = 0;
  std::uint32_t priority = 0;  ///< Smaller first.
  std::int64_t submit_ns = 0;
  std::optional<gang_row> gang;
  std::vector<std::string> pools;  ///< Where it may run; empty: in every pool.
  std::optional<run_row> run;      ///< Set: leased, pending or running. Else queued.
};

}  // namespace argosy::scheduling
