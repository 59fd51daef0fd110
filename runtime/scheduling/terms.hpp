// SPDX-License-Identifier: Apache-2.0
// This file tells where a job may go, resources aside: taints, tolerations and required node
// affinity as values. They are plain data, used in rows and in the configuration, on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace argosy::scheduling {

/// Pairs of a name and a value, for labels and selectors. Each name stands at most once.
using label_list = std::vector<std::pair<std::string, std::string>>;

/// The label that every node has, with its id as value.
inline constexpr std::string_view node_id_label = "armadaproject.io/nodeId";
/// The key of the taint of a node that takes no new jobs.
inline constexpr std::string_view unschedulable_taint_key = "armadaproject.io/unschedulable";

/// The value of a label in a list that is sorted by name; null if the label is not there.
[[nodiscard]] const std::string* find_label(const label_list& sorted,
                                            std::string_view name) noexcept;

struct taint {
  std::string key;
  std::string value;
  std::string effect;  ///< NoSchedule, NoExecute or PreferNoSchedule.

  friend bool operator==(const taint&, const taint&) = default;
  friend auto operator<=>(const taint&, const taint&) = default;
};

struct toleration {
  std::string key;  ///< Empty: any key.
  std::string value;
  bool exists = false;  ///< True for the operator Exists, which takes any value; false for Equal.
  std::string effect;   ///< Empty: any effect.

  friend bool operator==(const toleration&, const toleration&) = default;
  friend auto operator<=>(const toleration&, const toleration&) = default;
};

enum class affinity_operator : std::uint8_t { in, not_in, exists, does_not_exist, gt, lt, invalid };

/// One rule of required node affinity. A malformed rule, such as In without values or Gt without an
/// integer, is `invalid` for the round; whoever accepts jobs should refuse it.
struct affinity_rule {
  std::string label;
  affinity_operator op = affinity_operator::exists;
  std::vector<std::string> values;

  friend bool operator==(const affinity_rule&, const affinity_rule&) = default;
};

/// All rules of a term must hold.
using affinity_term = std::vector<affinity_rule>;

/// With `to_preempt` this is for room that other jobs have.
[[nodiscard]] bool tolerates(const toleration& tolerance, const taint& spot,
                             bool to_preempt = false) noexcept;

/// Whether Kubernetes would accept the rule.
[[nodiscard]] bool is_valid(const affinity_rule& rule) noexcept;

/// Like find_label(), but for node_id_label it returns the node's id, which may be null.
[[nodiscard]] const std::string* find_label_or_id(const label_list& sorted, std::string_view name,
                                                  const std::string* node_id) noexcept;

/// Whether the rule holds on a node with these labels, sorted by name, and this id; a null id
/// equals no id. An invalid rule holds nowhere.
[[nodiscard]] bool holds(const affinity_rule& rule, const label_list& sorted,
                         const std::string* node_id) noexcept;

}  // namespace argosy::scheduling
