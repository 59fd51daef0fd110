// SPDX-License-Identifier: Apache-2.0
// The rules of a cluster's operator that sort failed runs into categories. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/backends/kubernetes/trouble/pod_event.hpp"
#include "runtime/base/pattern/pattern.hpp"
#include "runtime/model/job.hpp"

namespace argosy::backends {

/// A rule holds if everything that it has holds; one that has nothing holds always.
struct failure_rule {
  std::string category;  ///< As run_outcome::category.
  std::string hint{};    ///< What the user can do; it is added to the message. May be empty.
  // These look at one ended container, which all of them have to fit.
  std::string container{};                      ///< Its name; empty: any container.
  std::vector<std::uint32_t> exit_codes{};      ///< It has one of these codes.
  std::vector<std::uint32_t> not_exit_codes{};  ///< It failed, with none of these codes.
  std::optional<pattern> termination{};         ///< Its termination message has this.
  // These look at the run.
  std::vector<std::string> reasons{};  ///< The run, its pod or one of its containers has one.
  std::optional<pattern> error{};      ///< The message of the run's end has this.
  std::optional<pattern> event{};      ///< The message of one of its pod's events has this.
};

/// The first rule that holds; null: none does. `pod` may be null.
[[nodiscard]] const failure_rule* find_rule(const std::vector<failure_rule>& rules,
                                            const model::run_outcome& outcome, const pod_view* pod,
                                            const std::vector<pod_event>& events);

}  // namespace argosy::backends
