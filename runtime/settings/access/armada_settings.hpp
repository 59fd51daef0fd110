// SPDX-License-Identifier: Apache-2.0
// This file declares the section `armadaExecutors` of argosyd's settings: the clusters that
// executors of Armada serve, and by which promise.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ledger/armada/armada_rules.hpp"
#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

/// What is promised of runs whose executor is out of contact.
enum class executor_promise : std::uint8_t {
  none,            ///< Nothing was said, which is refused.
  confirmed_only,  ///< They are over when the executor says so, or an operator, and not before.
};

[[nodiscard]] std::span<const std::string_view> enum_names(executor_promise);

struct armada_cluster_settings {
  executor_promise promise = executor_promise::none;
  ledger::armada_cluster rules;
};

struct armada_settings {
  std::vector<armada_cluster_settings> clusters;
};

void describe(field_table& table, armada_cluster_settings& item);
void describe_armada(field_table& table, armada_settings& item);
[[nodiscard]] std::vector<ledger::armada_cluster> rules_of(const armada_settings& from);

}  // namespace argosy::settings
