// SPDX-License-Identifier: Apache-2.0
// What the COORDINATOR and its ROUNDs tell.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/ulid.hpp"

namespace argosy::native {

/// Why a job stands where it stands, as of the last round that looked at it.
struct placement_report {
  bool known = false;       ///< The job may be scheduled; members of incomplete gangs may not.
  std::uint64_t round = 0;  ///< 0: no round has seen it.
  std::int64_t time_ns = 0;
  std::string reason;                ///< One sentence; empty if it was placed.
  std::vector<std::string> details;  ///< Counts by cause, one a line.
};
using placement_ptr = std::shared_ptr<const placement_report>;

/// Jobs, and for each of them the code of the reason for which the last round left it waiting;
/// empty where there is none.
using job_ids_ptr = std::shared_ptr<const std::vector<ulid>>;
using reason_codes_ptr = std::shared_ptr<const std::vector<std::string>>;

struct queue_share {
  double fair = 0;
  double actual = 0;
  double demand = 0;
};

struct coordinator_status {
  std::uint64_t position = 0;  ///< Of the last commit.
  std::uint64_t rounds = 0;
  std::int64_t last_round_ns = 0;
  std::int64_t last_duration_ns = 0;
  std::map<std::string, queue_share> shares;  ///< Of the last round, by queue.
};
using coordinator_status_ptr = std::shared_ptr<const coordinator_status>;

}  // namespace argosy::native
