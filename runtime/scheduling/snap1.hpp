// SPDX-License-Identifier: Apache-2.0
// SNAP1: a world as text, one record a line, for offline rounds, benches and recorded decisions.
// Reading needs about twice the memory of the text. Fields that only Argosy knows come last and may
// be left out:
//   N ... taints unschedulable|- extraResources pool
//   Q ... priorityFactor cordoned|-      L ... fraction pool
//   R ... priority pool stopping|-
//   J ... uniformityLabel extraResources pools(a|b) minimumCardinality
// There '-' is as if left out. An R line with node -1 runs on a node that is gone; terms of
// affinity are joined by ||. A number out of its range, a word that is none and a record that
// stands twice are refused, never read as something else.
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

/// A world that reads back to the same decisions: the snapshot as SNAP1 with all keys of the
/// configuration and of the parameters. Names are written by snap1::plain(); gangs as numbers.
[[nodiscard]] std::string write_snap1(const snapshot& from, const config& conf,
                                      const round_params& params);

/// 'S job node priority' for each job that starts, 'P job node' for each that is preempted; sorted
/// bytewise, each with a line end.
[[nodiscard]] std::string decisions(const snap1_world& world, const plan& decided);

}  // namespace argosy::scheduling
