// SPDX-License-Identifier: Apache-2.0
// This file declares what a round decided, as data. Node and job numbers refer to the snapshot that
// the round read and are valid until that snapshot changes; ids are valid for ever.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/ulid.hpp"

namespace argosy::scheduling {

class snapshot;

inline constexpr std::uint32_t none = 0xffffffffu;

/// Why a job, or all remaining jobs of a queue, got no place.
enum class reason : std::uint8_t {
  placed,
  job_does_not_fit,
  gang_does_not_fit,
  no_uniform_value,         ///< The gang fits under no value of its uniformity label.
  no_single_cluster,        ///< The gang must be in one cluster and fits in none.
  max_resources_per_round,  ///< The round's cap on newly scheduled resources was reached.
  queue_cordoned,
  global_rate_limit,
  gang_exceeds_burst,  ///< The gang has more members than the bucket can ever hold tokens.
  gang_above_tokens,   ///< The gang has more members than there are tokens in the bucket now.
  queue_rate_limit,
  gang_exceeds_queue_burst,
  gang_above_queue_tokens,
  round_time_limit,
  queue_time_limit,
  queue_limit,     ///< The queue's limit for the job's class was reached.
  resource_limit,  ///< A floating resource is used up.
  gang_incomplete,
  lookback_limit,
  not_reached,        ///< The round ended before the job's turn.
  no_node_has_label,  ///< No node of the pool has the gang's uniformity label.
  queue_total_limit,  ///< The queue's limit for all classes together was reached.
  resource_rate_limit,
  queue_resource_rate_limit,
  draw_time_limit,  ///< No more lots were drawn in this round.
};

/// The code as a word in capitals, for example JOB_DOES_NOT_FIT.
[[nodiscard]] std::string_view to_string(reason code) noexcept;
/// What stood in the job's way, as a clause for its owner, for example "its queue is cordoned".
[[nodiscard]] std::string_view sentence(reason code) noexcept;

enum class preemption_cause : std::uint8_t {
  fair_share,  ///< The job was pushed out by `preemptor`, whose queue has the better claim.
  gang_mate,   ///< Another member of its gang was pushed out by `preemptor`.
  urgency,     ///< `preemptor`, of a higher class, took its room.
  /// The job was evicted for balance, and for want of room or because of a limit did not come back.
  not_returned,
};

struct lease {
  ulid job;
  std::uint32_t job_index = none;
  std::uint32_t node = none;  ///< See snapshot::node_id() and snapshot::node_executor().
  std::int32_t priority = 0;
  bool away = false;
};

struct preemption {
  ulid job;
  std::uint32_t job_index = none;
  std::uint32_t node = none;
  preemption_cause cause = preemption_cause::not_returned;
  ulid preemptor;  ///< The job that took its place; nil if no single job did.
  std::uint32_t preemptor_index = none;
};

/// Jobs of one queue, with equal shapes and equal terms of their gangs, that had their turn and got
/// no place for one reason. The first of them is named; see snapshot::job_id() and explain().
struct refusal {
  std::uint32_t job_index = none;
  reason code = reason::job_does_not_fit;
  std::uint64_t jobs = 1;
};

/// Jobs that were not tried because an equal one fitted nowhere, or because their queue ended.
struct skip_count {
  std::uint32_t queue = none;  ///< See snapshot::queue_name().
  std::uint32_t shape = none;  ///< `none`: the jobs have any shape.
  reason code = reason::job_does_not_fit;
  std::uint64_t jobs = 0;
};

/// The figures of one queue. Amounts stand in the order of plan::resources.
struct queue_figures {
  std::string name;
  /// These are a queue's jobs of other pools that run here; `name` is then "<queue>-away", which a
  /// queue may be called as well.
  bool guests = false;
  double weight = 0;
  double fair_share = 0;
  double capped_share = 0;    ///< The adjusted fair share, at most the demand.
  double uncapped_share = 0;  ///< The share that the queue would have with endless demand.
  double demand_share = 0;    ///< The cost of what the queue wants, within its limits.
  double cost_before = 0;     ///< The cost of what runs before the round.
  double cost_after = 0;
  /// What runs after the round, converted to cores; 0 for guests. See books::cores().
  double usage_cores = 0;
  std::uint64_t leased = 0;
  std::uint64_t preempted = 0;
  /// The number of new jobs placed, which is taken from the queue's bucket.
  std::uint64_t tokens_used = 0;
  std::vector<std::int64_t> used_before;
  std::vector<std::int64_t> used_after;
  std::vector<std::int64_t> demand;
  /// The sum of what its placed new jobs use. It is taken from the queue's buckets of resources.
  std::vector<std::int64_t> resources_taken;
};

struct plan {
  std::string error;      ///< Not empty: the round failed and decided nothing.
  std::string violation;  ///< Not empty: the self-check discarded what was decided.
  std::vector<std::string> resources;
  std::vector<std::int64_t> pool_total;
  std::vector<lease> leases;
  std::vector<preemption> preemptions;
  /// The members that their gangs start without, as their minimum cardinality allows.
  std::vector<ulid> failed;
  std::vector<refusal> refusals;
  std::vector<skip_count> skips;
  std::vector<queue_figures> queues;  ///< The active queues, in name order.
  /// The number of jobs that were evicted for balance and came back to their place.
  std::uint64_t rescheduled = 0;
  /// The number of jobs that only config::eviction_probability kept from being evicted.
  std::uint64_t spared_by_draw = 0;
  /// When the first of those may be evicted that only their age kept from it; nothing if there are
  /// none. See priority_class::min_run_time_ns.
  std::optional<std::int64_t> of_age_ns;
  /// The number of new jobs placed, which is taken from the global bucket.
  std::uint64_t tokens_used = 0;
  std::uint64_t preemption_tokens_used = 0;
  /// After so many lots no more were drawn, see round_params::draw_limit; 0: nothing ended them.
  std::uint64_t draw_limit = 0;
  std::uint64_t digest = 0;  ///< A hash of the leases and preemptions in order of job id.
};

/// How many jobs had their turn and got no place.
[[nodiscard]] std::uint64_t refused_jobs(const plan& made);
/// How many jobs got no place, by reason, whether they had their turn or not.
[[nodiscard]] std::map<reason, std::uint64_t> unplaced_jobs(const plan& made);

/// A line with the job, its queue, and the sentence.
[[nodiscard]] std::string render(const snapshot& from, const refusal& refused);

}  // namespace argosy::scheduling
