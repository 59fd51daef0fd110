// SPDX-License-Identifier: Apache-2.0
// This file declares what a simulated run will do, decided at its start from its annotations, its
// key and a seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "runtime/backends/rules/sim_defaults.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"
#include "runtime/model/sim_annotation.hpp"

namespace argosy::backends {

namespace sim_annotation = model::sim_annotation;

struct sim_plan {
  std::chrono::nanoseconds runtime{};
  std::int32_t exit_code = 0;

  friend bool operator==(const sim_plan&, const sim_plan&) = default;
};

/// "90", "1.5", "1m30s", "250ms"; units ns, us, ms, s, m, h; at most ten years, not negative.
/// ec::invalid_argument quotes the text.
[[nodiscard]] result<std::chrono::nanoseconds> parse_sim_duration(std::string_view text);

/// The same run, seed and annotations give the same plan. ec::invalid_argument names the
/// annotation.
[[nodiscard]] result<sim_plan> plan_simulated_run(const model::run_key& run,
                                                  const model::label_list& annotations,
                                                  const sim_defaults& defaults);

}  // namespace argosy::backends
