// SPDX-License-Identifier: Apache-2.0
// What the log has of a round: what it decided, what it handed on to later rounds, and what else it
// takes to decide it again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/model/identifiers.hpp"
#include "runtime/model/job.hpp"
#include "runtime/model/round_health.hpp"

namespace argosy::model {

/// One thing that rounds hand on to later rounds beside what runs and waits. Later entries with the
/// same kind, pool, name, job and resource replace earlier ones.
struct carried_entry {
  enum class kind : std::uint8_t {
    start_tokens,       ///< The tokens for starts that all queues share.
    queue_tokens,       ///< The tokens for starts of the queue `name`.
    preemption_tokens,  ///< The tokens for preemptions in `pool`.
    usage,              ///< The usage priority of the queue `name` in `pool`.
    penalty,  ///< The amounts that the short job `job` of queue `name` still counts for in `pool`.
    preempted,        ///< A plan preempted `job`, which is to leave the snapshot.
    node_health,      ///< The estimates of the node `name`, "cluster/node".
    queue_health,     ///< The estimates of the queue `name`.
    start_resources,  ///< The tokens of `resource` for starts that all queues share.
    queue_resources,  ///< The tokens of `resource` for starts of the queue `name`.
    /// Rounds give the node `name`, "cluster/node", no new jobs. The level is 1, or 2 if it is
    /// quarantined.
    closed_node,
  };
  kind what = kind::start_tokens;
  model::pool_name pool{};
  std::string name{};
  ulid job{};
  bool gone = false;  ///< True: the entry is to be forgotten, and the members below mean nothing.
  /// Unix time: when the level was as given, or for a penalty until when it counts.
  std::int64_t time_ns = 0;
  double level = 0;  ///< Tokens, or a usage priority.
  double cores = 0;  ///< The cores that the queue uses since that time.
  resource_list amounts{};
  /// By how much, 0..1, the tokens of a queue come more slowly since its runs fail.
  double slowed = 0;
  health_record health{};  ///< The estimates of a node or queue.
  std::string resource{};

  friend bool operator==(const carried_entry&, const carried_entry&) = default;
};

/// The changes of a queue that a cycle took, if they are not just those up to the position of the
/// snapshot: it took later ones too, or rounds before it lacked some.
struct queue_cut {
  model::queue_name queue;
  log_position since{};     ///< The position of the first change that it took.
  log_position position{};  ///< It took all changes up to this position.

  friend bool operator==(const queue_cut&, const queue_cut&) = default;
};

/// What a round decided, and what has to be known to decide it again beside the events up to its
/// position.
struct round_decided {
  std::uint64_t number = 0;
  log_position snapshot_position{};  ///< The log position that the snapshot reflects.
  model::pool_name pool;
  std::uint64_t seed = 0;
  std::uint64_t config_version = 0;  ///< The hash of the scheduling configuration.
  std::uint64_t digest = 0;          ///< The hash of the decisions, plan::digest.
  std::uint32_t leases = 0;
  std::uint32_t preemptions = 0;
  std::int64_t duration_ns = 0;
  /// The entries that have changed since the round began, of those that rounds hand on.
  std::vector<carried_entry> carried{};
  std::int64_t began_ns = 0;  ///< Unix time of the round.
  /// The entries that had changed since the record before when the round began.
  std::vector<carried_entry> before{};
  std::uint64_t draw_limit = 0;   ///< plan::draw_limit.
  std::vector<queue_cut> cuts{};  ///< The cuts of its cycle, and of cycles without a record.
};

}  // namespace argosy::model
