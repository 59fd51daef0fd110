// SPDX-License-Identifier: Apache-2.0
// The settings of a queue, the unit of fairness.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"

namespace argosy::model {

/// Who may do what with a queue.
struct queue_permission {
  struct subject {
    std::string kind;  ///< "User" or "Group".
    std::string name;
    friend bool operator==(const subject&, const subject&) = default;
  };
  std::vector<subject> subjects;
  std::vector<std::string> verbs;

  friend bool operator==(const queue_permission&, const queue_permission&) = default;
};

/// Fractions of a pool's resources that a queue may use with one priority class.
struct queue_class_limit {
  std::map<std::string, double> fraction;                                 ///< By resource, 0..1.
  std::map<std::string, std::map<std::string, double>> fraction_by_pool;  ///< Pool, resource.

  friend bool operator==(const queue_class_limit&, const queue_class_limit&) = default;
};

struct queue_settings {
  std::string name;
  double priority_factor = 1.0;  ///< At least 1; the weight is its inverse.
  bool cordoned = false;         ///< Takes no jobs into rounds; submission stays possible.
  std::vector<std::string> owners;
  std::vector<std::string> group_owners;
  std::vector<queue_permission> permissions;
  std::map<std::string, queue_class_limit> limits;  ///< By priority class.
  label_list labels;
  std::vector<std::string> retry_policies;

  friend bool operator==(const queue_settings&, const queue_settings&) = default;
};

/// Bytes of the name of a queue, cluster, pool or node.
inline constexpr std::size_t name_size_max = 253;

/// A DNS-1123 subdomain: [a-z0-9.-], labels of 1..63 starting and ending alphanumeric,
/// name_size_max in all. `what` names the thing in the error ("queue name").
[[nodiscard]] result<void> validate_name(std::string_view name, std::string_view what);

/// The first control character's offset in the error; what names the field.
[[nodiscard]] result<void> validate_printable(std::string_view text, std::string_view what,
                                              std::size_t size_max);

}  // namespace argosy::model
