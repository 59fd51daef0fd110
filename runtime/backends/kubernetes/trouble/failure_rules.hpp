// SPDX-License-Identifier: Apache-2.0
// The rules of a cluster's operator that sort failed runs into categories. Pure.
#pragma once

#include <string>
#include <vector>

#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/backends/kubernetes/trouble/pod_event.hpp"
#include "runtime/backends/rules/trouble_rules.hpp"
#include "runtime/model/job.hpp"

namespace argosy::backends {

/// The first rule that holds; null: none does. `pod` may be null.
[[nodiscard]] const failure_rule* find_rule(const std::vector<failure_rule>& rules,
                                            const model::run_outcome& outcome, const pod_view* pod,
                                            const std::vector<pod_event>& events);

/// The category and subcategory of the rule, as run_outcome::category has them.
[[nodiscard]] std::string category_of(const failure_rule& rule);

}  // namespace argosy::backends
