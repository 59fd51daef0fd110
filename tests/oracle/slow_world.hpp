// SPDX-License-Identifier: Apache-2.0
// This file declares a small world as plain values: everything that one round reads. The engine's
// snapshot and the slow oracle are both made from it. It has types of its own, so that the oracle
// shares none with the engine. Amounts are cpu in thousandths of a core, memory in bytes, gpus and
// licences in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace argosy::oracle {

inline constexpr std::size_t node_amounts = 3;
/// The last amount is floating, which means that the pool has it and not a node.
inline constexpr std::size_t all_amounts = 4;
using amounts = std::array<std::int64_t, all_amounts>;
inline constexpr std::array<const char*, all_amounts> amount_names = {"cpu", "memory",
                                                                      "nvidia.com/gpu", "licence"};
inline constexpr double no_limit = std::numeric_limits<double>::infinity();

/// A taint of a node.
struct spot {
  std::string key;
  std::string value;
  std::string effect;
};

/// A toleration of a job.
struct leave {
  std::string key;    ///< An empty text stands for any key.
  std::string value;  ///< The value is not compared if `exists`.
  bool exists = false;
  std::string effect;  ///< An empty text stands for any effect.

  auto operator<=>(const leave&) const = default;
};

/// A rule of a job's node affinity.
struct demand_rule {
  std::string label;
  std::string op;  ///< One of In, NotIn, Exists, DoesNotExist, Gt, Lt; others are invalid.
  std::vector<std::string> values;

  auto operator<=>(const demand_rule&) const = default;
};

/// A kind of node that a class may use away from home.
struct away_row {
  int priority = 0;
  std::vector<spot> taints;  ///< The taints of the foreign nodes; the value "*" stands for any.
};

struct class_row {
  std::string name;
  int priority = 0;
  bool fair = false;    ///< Its jobs may be preempted for balance.
  bool urgent = false;  ///< Its jobs may be preempted by a higher class.
  std::vector<away_row> away;
  std::int64_t least_run = 0;  ///< How long its runs last before they may leave for balance.
};

struct node {
  std::string id;
  std::string cluster;
  amounts total{};
  amounts held{};  ///< What others than this pool's jobs hold.
  std::map<std::string, std::string> labels;
  std::vector<spot> taints;
  bool unschedulable = false;
};

/// A cap of what a queue's jobs of a class may use: `fraction` of the pool's amount number
/// `amount`.
struct limit {
  std::string class_name;
  std::size_t amount = 0;
  double fraction = 1;
};

struct queue {
  std::string name;
  double factor = 1;
  bool cordoned = false;
  std::vector<limit> limits;
  /// The caps of what its jobs of all classes use together; their class names are empty.
  std::vector<limit> total_limits;
  std::optional<double> tokens;
  double usage = 0.5;  ///< The decayed usage.
  amounts penalty{};
};

struct job {
  std::string id;
  std::string queue;
  std::string class_name;
  unsigned priority = 0;
  std::int64_t submitted = 0;
  amounts request{};
  std::map<std::string, std::string> selector;
  std::vector<leave> tolerations;
  std::vector<std::vector<demand_rule>> affinity;
  std::string gang;  ///< The gang's id; it is empty if the job is on its own.
  unsigned cardinality = 1;
  unsigned minimum = 0;  ///< The minimum cardinality; 0 stands for the cardinality.
  std::string label;     ///< The label whose value the members share.
  // The members below count if the job runs.
  std::optional<std::size_t> node;
  std::int64_t created = 0;
  int run_priority = 0;
  bool stopping = false;  ///< It was preempted or cancelled, and its end is not reported yet.
};

/// The presets that are compared here.
enum class kind { argosy, unified, classic, lottery };
inline constexpr std::array<const char*, 4> kind_names = {"argosy", "unified", "classic",
                                                          "lottery"};

/// The groups of keys in which presets differ. A world may take each from another preset.
enum class column {
  cost,
  selection,
  eviction,
  evicted_first,
  queue_order,
  job_order,
  nodes,
  gangs
};
inline constexpr std::size_t column_count = 8;

struct settings {
  kind preset = kind::argosy;
  /// The presets from which columns are taken. Where there is none, the preset's own column counts.
  std::array<std::optional<kind>, column_count> columns;
  /// Replaces the preset's own value if it is set.
  std::optional<double> protected_fraction;
  bool protect_uncapped = false;
  double gang_loss_factor = 4;
  double eviction_probability = 1;  ///< The probability that a node's jobs may be evicted.
  bool prefer_large = false;
  bool usage_orders = false;   ///< Usage that fades orders the turns of queues.
  bool feasible_heads = true;  ///< Bands that could not start at best have no turn.
  bool rank_at_share = true;   ///< A band that crosses its queue's share is ranked at the share.
  std::uint64_t lookback = 0;
  double tokens = no_limit;
  double burst = no_limit;
  double queue_burst = no_limit;
  double preemption_tokens = no_limit;
  std::uint64_t decisions = 0;
  std::uint64_t queue_decisions = 0;
  std::vector<std::pair<std::size_t, double>> round_cap;
  std::vector<std::size_t> unscheduled;
  std::vector<leave> default_tolerations;
  bool no_fair_share = false;
  bool no_urgency = false;
  bool no_away = false;
  bool no_gang_away = false;
  std::string default_label;
  std::vector<std::string> closed;  ///< The clusters that are closed.
  bool lottery_only = false;
  bool direct_slices = false;
  std::uint64_t slice_batch = 200;
  std::uint64_t seed = 0;
  std::int64_t now = 0;  ///< The time of the round, on the clock of job::created.

  [[nodiscard]] kind of(column which) const {
    return columns[static_cast<std::size_t>(which)].value_or(preset);
  }
};

struct world {
  settings rules;
  std::vector<class_row> classes;
  std::string default_class;
  std::int64_t licences = 0;
  std::vector<std::string> indexed_labels;
  std::vector<std::string> indexed_taints;
  std::vector<node> nodes;
  std::vector<queue> queues;
  std::vector<job> jobs;
};

}  // namespace argosy::oracle
