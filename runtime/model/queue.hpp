// SPDX-License-Identifier: Apache-2.0
// The settings of a queue, the unit of fairness.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
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
  std::map<std::string, double> fraction;  ///< The fraction of each resource, 0..1.
  std::map<std::string, std::map<std::string, double>> fraction_by_pool;  ///< Pool, resource.

  friend bool operator==(const queue_class_limit&, const queue_class_limit&) = default;
};

struct queue_settings {
  queue_name name;
  double priority_factor = 1.0;  ///< Above 0; the weight is its inverse.
  /// No job of the queue takes part in rounds as a new one; submission stays possible.
  bool cordoned = false;
  std::vector<std::string> owners;
  std::vector<std::string> group_owners;
  std::vector<queue_permission> permissions;
  std::map<std::string, queue_class_limit> limits;  ///< The limits of each priority class.
  /// The fraction of each resource of a pool, 0..1, that its jobs of all priority classes may use
  /// together.
  std::map<std::string, double> total_limit{};
  label_list labels;
  std::vector<std::string> retry_policies;

  /// All fields, from which the version of the settings follows: a new one comes last.
  [[nodiscard]] auto fields() const {
    return std::tie(name, priority_factor, cordoned, owners, group_owners, permissions, limits,
                    labels, retry_policies, total_limit);
  }
  friend bool operator==(const queue_settings&, const queue_settings&) = default;
};

/// The longest name of a queue, cluster, pool or node, in bytes.
inline constexpr std::size_t name_size_max = 253;

/// Checks that a name is a DNS-1123 subdomain: [a-z0-9.-] in labels of 1..63 bytes that start and
/// end alphanumeric, with at most name_size_max bytes in all. `what` names the thing in the error
/// ("queue name").
[[nodiscard]] result<void> validate_name(std::string_view name, std::string_view what);

/// Checks that a queue may have this name: 1 to name_size_max of A-Z, a-z, 0-9, '-', '_' and '.',
/// the first of them a letter or digit. Small and capital letters differ. Armada does not check
/// names of queues, so that users have such that are no names of hosts. `what` names the thing in
/// the error ("queue").
[[nodiscard]] result<void> validate_queue_name(std::string_view name, std::string_view what);

/// Checks that a text has no control character. The error has the offset of the first one; `what`
/// names the field.
[[nodiscard]] result<void> validate_printable(std::string_view text, std::string_view what,
                                              std::size_t size_max);

}  // namespace argosy::model
