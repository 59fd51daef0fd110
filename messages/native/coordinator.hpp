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

/// What the rounds of one pool say of a job that waits.
struct pool_reason {
  std::string pool;
  std::string code;    ///< JOB_DOES_NOT_FIT and the like; empty: no round has looked at it.
  bool never = false;  ///< It can never run here, whatever ends.
  std::uint64_t round = 0;
  std::int64_t time_ns = 0;
  std::string text;  ///< One line for people, the pool's name included.
};

/// Why a job waits, as of the last rounds that looked at it.
struct placement_report {
  bool known = false;       ///< The job may be scheduled; members of incomplete gangs may not.
  std::uint64_t round = 0;  ///< Of the most promising pool; 0: no round has looked at the job.
  std::int64_t time_ns = 0;
  std::string code;                ///< Of the most promising pool, or empty.
  std::string reason;              ///< One sentence.
  std::vector<pool_reason> pools;  ///< The most promising first.
};
using placement_ptr = std::shared_ptr<const placement_report>;

/// The short form for lists.
struct waiting_reason {
  std::string code;
  std::string reason;  ///< One sentence; empty for a job that may not be scheduled yet.
};

/// Jobs, and why each of them waits.
using job_ids_ptr = std::shared_ptr<const std::vector<ulid>>;
using waiting_reasons_ptr = std::shared_ptr<const std::vector<waiting_reason>>;

/// Of one pool, as fractions of it.
struct queue_share {
  double fair = 0;
  double actual = 0;
  double demand = 0;
};
using pool_shares = std::map<std::string, queue_share>;  ///< By pool.

struct coordinator_status {
  std::uint64_t position = 0;  ///< Of the last commit.
  std::uint64_t rounds = 0;
  std::int64_t last_round_ns = 0;
  std::int64_t last_duration_ns = 0;
  std::map<std::string, pool_shares> shares;  ///< Of each pool's last round, by queue.
};
using coordinator_status_ptr = std::shared_ptr<const coordinator_status>;

}  // namespace argosy::native
