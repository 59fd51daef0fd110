// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/plan_parts.hpp"

namespace argosy::rounds {

namespace {

using parts = std::map<model::queue_name, std::shared_ptr<ledger::place_request>>;

ledger::place_request& part_of(parts& all, const model::queue_name& queue, std::uint64_t round) {
  auto& slot = all[queue];
  if (!slot) {
    slot = std::make_shared<ledger::place_request>();
    slot->round = round;
  }
  return *slot;
}

/// The node's name within its cluster: node ids are "cluster/node".
model::node_name node_name(const scheduling::snapshot& snapshot, std::uint32_t node) {
  const auto id = snapshot.node_id(node);
  return model::node_name{std::string{id.substr(snapshot.node_executor(node).size() + 1)}};
}

std::string preemption_reason(const scheduling::preemption& preempted,
                              const scheduling::snapshot& snapshot) {
  std::string by;
  if (!preempted.preemptor.is_nil()) {
    by = " by job " + to_string(preempted.preemptor);
    if (const auto job = snapshot.find_job(preempted.preemptor))
      by += " of queue " + std::string{snapshot.job_queue(*job)};
  }
  switch (preempted.cause) {
    case scheduling::preemption_cause::fair_share:
      return "preempted" + by + " to balance the queues' shares";
    case scheduling::preemption_cause::gang_mate:
      return "preempted with another member of its gang" + by;
    case scheduling::preemption_cause::urgency:
      return by.empty() ? "preempted by a job of a higher priority class"
                        : "preempted" + by + ", whose priority class is higher";
    case scheduling::preemption_cause::not_returned:
      break;
  }
  return "preempted" + by + " since its queue is above its share and its room was needed";
}

}  // namespace

parts split_plan(const scheduling::plan& plan, const scheduling::snapshot& snapshot,
                 const model::pool_name& pool, std::uint64_t round) {
  parts all;
  for (const auto& lease : plan.leases) {
    const model::queue_name queue{snapshot.job_queue(lease.job_index)};
    part_of(all, queue, round)
        .leases.push_back({lease.job,
                           model::cluster_name{std::string{snapshot.node_executor(lease.node)}},
                           node_name(snapshot, lease.node), pool, lease.priority});
  }
  for (const auto& preempted : plan.preemptions) {
    const model::queue_name queue{snapshot.job_queue(preempted.job_index)};
    part_of(all, queue, round)
        .preemptions.push_back(
            {preempted.job, preempted.preemptor, preemption_reason(preempted, snapshot)});
  }
  return all;
}

}  // namespace argosy::rounds
