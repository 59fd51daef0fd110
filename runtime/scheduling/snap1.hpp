// SPDX-License-Identifier: Apache-2.0
// SNAP1: a world as text, one record a line, for offline rounds, benches and recorded decisions.
// Reading needs about twice the memory of the text. Fields that only Argosy knows come last and may
// be left out: N ... taints unschedulable|- extraResources pool Q ... priorityFactor cordoned|-
// L ... fraction pool R ... priority pool stopping|- J ... uniformityLabel extraResources
// pools(a|b) minimumCardinality In these fields '-' means the same as leaving the field out. An R
// line with node -1 is a job on a node that is gone. Terms of affinity are joined by ||. Numbers
// out of range, unknown words and records that stand twice are refused.
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

/// Reads a world with this configuration; C lines of the text override it. Fails with
/// ec::invalid_argument, whose message names the line.
[[nodiscard]] result<snap1_world> read_snap1(std::string_view text, config conf);

/// Writes a world that reads back to the same decisions: the snapshot as SNAP1 with all keys of the
/// configuration and of the parameters. Names are written by snap1::plain(), gangs as numbers.
[[nodiscard]] std::string write_snap1(const snapshot& from, const config& conf,
                                      const round_params& params);

/// The decisions as lines: 'S job node priority' for each job that starts, 'P job node' for each
/// that is preempted. The lines are sorted bytewise and each has a line end.
[[nodiscard]] std::string decisions(const snap1_world& world, const plan& decided);

}  // namespace argosy::scheduling
