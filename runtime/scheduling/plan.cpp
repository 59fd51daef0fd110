// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/plan.hpp"

#include <array>
#include <string>

#include "runtime/base/check.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {

namespace {

struct reason_text {
  reason code;
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array<reason_text, 25> reason_texts = {{
    {reason::placed, "PLACED", "the job was placed"},
    {reason::job_does_not_fit, "JOB_DOES_NOT_FIT", "the job fits on no node at its priority"},
    {reason::gang_does_not_fit, "GANG_DOES_NOT_FIT",
     "the members of its gang do not all fit at the same time"},
    {reason::no_uniform_value, "NO_UNIFORM_VALUE",
     "its gang fits under no single value of its uniformity label"},
    {reason::no_single_cluster, "NO_SINGLE_CLUSTER",
     "its gang must be in one cluster and fits in none"},
    {reason::max_resources_per_round, "MAX_RESOURCES_PER_ROUND",
     "the round started as much as maximumResourceFractionToSchedule allows; another one follows"},
    {reason::queue_cordoned, "QUEUE_CORDONED", "its queue is cordoned"},
    {reason::global_rate_limit, "GLOBAL_RATE_LIMIT",
     "maximumSchedulingRate is used up for now; it starts when tokens have come"},
    {reason::gang_exceeds_burst, "GANG_EXCEEDS_BURST",
     "its gang is larger than maximumSchedulingBurst and can never start; make it smaller, or have "
     "the burst raised"},
    {reason::gang_above_tokens, "GANG_ABOVE_TOKENS",
     "its gang is larger than what maximumSchedulingRate allows now; it starts when enough tokens "
     "have come"},
    {reason::queue_rate_limit, "QUEUE_RATE_LIMIT",
     "maximumPerQueueSchedulingRate is used up for now; it starts when tokens have come"},
    {reason::gang_exceeds_queue_burst, "GANG_EXCEEDS_QUEUE_BURST",
     "its gang is larger than maximumPerQueueSchedulingBurst and can never start; make it smaller, "
     "or have the burst raised"},
    {reason::gang_above_queue_tokens, "GANG_ABOVE_QUEUE_TOKENS",
     "its gang is larger than what maximumPerQueueSchedulingRate allows now; it starts when enough "
     "tokens have come"},
    {reason::round_time_limit, "ROUND_TIME_LIMIT",
     "the round tried as many new jobs as maxNewDecisions allows; another one follows"},
    {reason::queue_time_limit, "QUEUE_TIME_LIMIT",
     "the round tried as many new jobs of its queue as maxNewDecisionsPerQueue allows; another one "
     "follows"},
    {reason::queue_limit, "QUEUE_LIMIT",
     "its queue uses all that it may for the job's priority class; it starts when others of them "
     "end, or when the limit is raised"},
    {reason::resource_limit, "RESOURCE_LIMIT",
     "a floating resource is used up; it starts when jobs that hold it end"},
    {reason::gang_incomplete, "GANG_INCOMPLETE", "its gang waits for other members"},
    {reason::lookback_limit, "LOOKBACK_LIMIT",
     "it stands further back in its queue than maxQueueLookback; it moves up as others start or "
     "end"},
    {reason::not_reached, "NOT_REACHED", "the round ended before its turn; another one follows"},
    {reason::no_node_has_label, "NO_NODE_HAS_LABEL",
     "no node of the pool has the label whose value its gang must share"},
    {reason::queue_total_limit, "QUEUE_TOTAL_LIMIT",
     "its queue would use more than its resourceLimits allow for jobs of all priority classes "
     "together; it starts when others of the queue end, or when that limit is raised"},
    {reason::resource_rate_limit, "RESOURCE_RATE_LIMIT",
     "maximumResourceSchedulingRate is used up for now for a resource that it requests; it starts "
     "when tokens have come"},
    {reason::queue_resource_rate_limit, "QUEUE_RESOURCE_RATE_LIMIT",
     "maximumPerQueueResourceSchedulingRate is used up for now for a resource that it requests; it "
     "starts when tokens have come"},
    {reason::draw_time_limit, "DRAW_TIME_LIMIT",
     "the round drew lots for as long as maxDrawTime allows; another one follows"},
}};

constexpr bool texts_in_order() {
  for (std::size_t i = 0; i < reason_texts.size(); ++i)
    if (static_cast<std::size_t>(reason_texts[i].code) != i) return false;
  return true;
}
static_assert(texts_in_order());

}  // namespace

std::string_view to_string(reason code) noexcept {
  return reason_texts[static_cast<std::size_t>(code)].name;
}

std::string_view sentence(reason code) noexcept {
  return reason_texts[static_cast<std::size_t>(code)].sentence;
}

std::uint64_t refused_jobs(const plan& made) {
  std::uint64_t out = 0;
  for (const auto& refused : made.refusals) out += refused.jobs;
  return out;
}

std::map<reason, std::uint64_t> unplaced_jobs(const plan& made) {
  std::map<reason, std::uint64_t> out;
  for (const auto& refused : made.refusals) out[refused.code] += refused.jobs;
  for (const auto& skipped : made.skips) out[skipped.code] += skipped.jobs;
  return out;
}

std::string render(const snapshot& from, const refusal& refused) {
  return "job " + to_string(from.job_id(refused.job_index)) + " of queue '" +
         std::string{from.job_queue(refused.job_index)} +
         "': " + std::string{sentence(refused.code)};
}

}  // namespace argosy::scheduling
