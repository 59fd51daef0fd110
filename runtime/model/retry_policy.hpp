// SPDX-License-Identifier: Apache-2.0
// A retry policy says which failed runs are tried again. Queues name policies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::model {

enum class retry_action : std::uint8_t { fail, retry };

/// How much more memory the next run gets: a factor, or an amount. Exactly one of them is set.
struct memory_bump {
  std::optional<double> factor;       ///< More than 1.
  std::optional<std::int64_t> bytes;  ///< More than 0.

  friend bool operator==(const memory_bump&, const memory_bump&) = default;
};

/// What happens to failures of one category.
struct retry_rule {
  retry_action action = retry_action::fail;
  std::string category;
  std::string subcategory{};  ///< Empty: any.
  bool avoid_same_node = false;
  std::optional<memory_bump> memory{};

  friend bool operator==(const retry_rule&, const retry_rule&) = default;
};

struct retry_policy {
  std::string name;
  /// How often a job may be tried again; its first run does not count.
  std::uint32_t limit = 0;
  retry_action otherwise = retry_action::fail;  ///< For failures that no rule names.
  std::vector<retry_rule> rules;                ///< The first one that fits counts.

  friend bool operator==(const retry_policy&, const retry_policy&) = default;
};

/// Checks a name: 1 to 63 of a to z, 0 to 9 and '-', with no '-' at the ends.
[[nodiscard]] result<void> validate_policy_name(std::string_view name);

/// Checks all that the comments above promise. Fails with ec::invalid_argument, naming the rule.
[[nodiscard]] result<void> validate(const retry_policy& policy);

/// The names in their order, each once, where it stands first.
[[nodiscard]] std::vector<std::string> each_once(const std::vector<std::string>& names);

}  // namespace argosy::model
