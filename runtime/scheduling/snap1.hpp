// SPDX-License-Identifier: Apache-2.0
// SNAP1: a world as text, one record a line, for offline rounds, benches and recorded decisions.
// Reading needs about twice the memory of the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {

/// The pool that every SNAP1 node is in.
inline constexpr std::string_view snap1_pool = "default";

struct snap1_world {
  config conf;
  round_params params;
  snapshot jobs_and_nodes;
  std::vector<std::string> job_names;  ///< In byte order; a job's id counts them from 1.

  [[nodiscard]] const std::string& job_name(const ulid& id) const;
};

/// Reads a world over a configuration; C lines of the text win over it. ec::invalid_argument names
/// the line.
[[nodiscard]] result<snap1_world> read_snap1(std::string_view text, config conf);

/// 'S job node priority' for each job that starts, 'P job node' for each that is preempted; sorted
/// bytewise, each with a line end.
[[nodiscard]] std::string decisions(const snap1_world& world, const plan& decided);

}  // namespace argosy::scheduling
