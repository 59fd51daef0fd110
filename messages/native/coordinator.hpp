// SPDX-License-Identifier: Apache-2.0
// This file declares what the COORDINATOR says of itself, and what the EXPLAINER says of jobs that
// wait and of the shares of queues.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/model/identifiers.hpp"

namespace argosy::native {

/// The shares of a queue in one pool, as fractions of the pool.
struct queue_share {
  double fair = 0;
  double actual = 0;
  double demand = 0;
};

/// Nodes of a pool that do not take a job, all for the same cause.
struct excluded_nodes {
  std::uint32_t nodes = 0;
  std::string why;  ///< A clause with its subject: "3 nodes have too little cpu free: ...".
};

/// A job that rounds look at before another one of its queue.
struct job_ahead {
  ulid id;
  std::string why;  ///< A clause: "its priority class goes first".
};

/// What the rounds of one pool say about a job that waits.
struct pool_reason {
  model::pool_name pool;
  std::string code;    ///< JOB_DOES_NOT_FIT or another code; empty: no round has looked at the job.
  bool never = false;  ///< The job can never run in this pool, whatever ends there.
  std::uint64_t round = 0;
  std::int64_t time_ns = 0;
  std::string text;  ///< One line for people, the pool's name included.
  /// Each clause says what would have to change for the job to start here; the cheapest is first.
  std::vector<std::string> remedies{};
  std::vector<excluded_nodes> nodes{};  ///< By cause, most nodes first.
  /// The share of the job's queue in the round; nothing if it took no part.
  std::optional<queue_share> share{};
};

/// Why a job waits, according to the last rounds that looked at it.
struct placement_report {
  bool known = false;  ///< The job may be scheduled; members of incomplete gangs may not.
  /// The number of the most promising pool's last round; 0: no round has looked at the job.
  std::uint64_t round = 0;
  std::int64_t time_ns = 0;
  std::string code;                ///< The code of the most promising pool, or empty.
  std::string reason;              ///< One sentence for people.
  std::vector<pool_reason> pools;  ///< The pools, the most promising one first.
  /// The job's place among the queued jobs of its queue, from 1; 0 if it has none.
  std::uint64_t place = 0;
  /// The first few of the jobs before it in its queue, the first first.
  std::vector<job_ahead> ahead;
};
using placement_ptr = std::shared_ptr<const placement_report>;

/// Why a job waits, in the short form for lists.
struct waiting_reason {
  std::string code;
  std::string reason;  ///< One sentence; empty for a job that may not be scheduled yet.
};

/// The jobs of a question, and in their order why each of them waits.
using job_ids_ptr = std::shared_ptr<const std::vector<ulid>>;
using waiting_reasons_ptr = std::shared_ptr<const std::vector<waiting_reason>>;

using pool_shares = std::map<model::pool_name, queue_share>;  ///< The shares of one queue by pool.

/// A QUEUE or NODE that does not answer, so that rounds go on without it.
struct silence {
  std::string who;            ///< "queue a" or "node c/n".
  std::int64_t since_ns = 0;  ///< Unix time.
};

struct coordinator_status {
  model::log_position position{};  ///< The position of the last commit.
  std::uint64_t rounds = 0;
  std::int64_t last_round_ns = 0;
  std::int64_t last_duration_ns = 0;
  std::vector<silence> silent;
};
using coordinator_status_ptr = std::shared_ptr<const coordinator_status>;

struct share_list {
  std::map<model::queue_name, pool_shares>
      shares;  ///< The shares in each pool's last round, by queue.
  /// By how much, 0..1, the tokens for starts of failing queues come more slowly.
  std::map<model::queue_name, double> slowed;
};
using share_list_ptr = std::shared_ptr<const share_list>;

}  // namespace argosy::native
