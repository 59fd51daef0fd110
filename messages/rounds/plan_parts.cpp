// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/plan_parts.hpp"

#include "runtime/model/node.hpp"

namespace argosy::rounds {

namespace {

using parts = std::map<std::string, std::shared_ptr<ledger::place_request>>;

ledger::place_request& part_of(parts& all, const std::string& queue, std::uint64_t round) {
  auto& slot = all[queue];
  if (!slot) {
    slot = std::make_shared<ledger::place_request>();
    slot->round = round;
  }
  return *slot;
}

/// The node's name within its cluster: node ids are "cluster/node".
std::string node_name(const scheduling::snapshot& snapshot, std::uint32_t node) {
  const auto id = snapshot.node_id(node);
  return std::string{id.substr(snapshot.node_executor(node).size() + 1)};
}

std::string preemption_reason(const scheduling::preemption& preempted) {
  std::string text;
  switch (preempted.cause) {
    case scheduling::preemption_cause::fair_share:
      text = "preempted to balance the queues' shares";
      break;
    case scheduling::preemption_cause::gang_mate:
      text = "preempted since another member of its gang was";
      break;
    case scheduling::preemption_cause::urgency:
      text = "preempted by a job of a higher priority class";
      break;
    case scheduling::preemption_cause::not_returned:
      text = "preempted: its queue is above its share and its room was needed";
      break;
  }
  if (!preempted.preemptor.is_nil()) text += " (by job " + to_string(preempted.preemptor) + ")";
  return text;
}

}  // namespace

parts split_plan(const scheduling::plan& plan, const scheduling::snapshot& snapshot,
                 const std::string& pool, std::uint64_t round) {
  parts all;
  for (const auto& lease : plan.leases) {
    const std::string queue{snapshot.job_queue(lease.job_index)};
    part_of(all, queue, round)
        .leases.push_back({lease.job, std::string{snapshot.node_executor(lease.node)},
                           node_name(snapshot, lease.node), pool, lease.priority});
  }
  for (const auto& preempted : plan.preemptions) {
    const std::string queue{snapshot.job_queue(preempted.job_index)};
    part_of(all, queue, round)
        .preemptions.push_back({preempted.job, preempted.preemptor, preemption_reason(preempted)});
  }
  return all;
}

void round_memory::remember(const scheduling::plan& plan, const scheduling::snapshot& snapshot,
                            std::uint64_t round, std::int64_t time_ns) {
  round_ = round;
  time_ns_ = time_ns;
  refused_.clear();
  skipped_.clear();
  shares_.clear();
  for (const auto& refusal : plan.refusals)
    refused_[snapshot.job_id(refusal.job_index)] = refusal.code;
  for (const auto& skip : plan.skips)
    skipped_[{std::string{snapshot.queue_name(skip.queue)}, skip.shape}] = skip.code;
  for (const auto& queue : plan.queues)
    if (!queue.guests)
      shares_[queue.name] = {queue.fair_share, queue.cost_after, queue.demand_share};
}

std::optional<scheduling::reason> round_memory::find(const ulid& job,
                                                     const delta_fold::job_key& key) const {
  if (const auto found = refused_.find(job); found != refused_.end()) return found->second;
  if (const auto found = skipped_.find({key.queue, key.shape}); found != skipped_.end())
    return found->second;
  if (const auto found = skipped_.find({key.queue, scheduling::none}); found != skipped_.end())
    return found->second;
  return {};
}

namespace {

/// Submission adds this toleration to pods that can run as a process; nobody sets it by hand.
std::string hint(const scheduling::exclusion& why) {
  if (why.cause != scheduling::exclusion_cause::taint ||
      !why.subject.starts_with(model::process_backend_taint))
    return {};
  return "; these nodes run a pod only if it is one container that names its command";
}

}  // namespace

native::placement_report describe(scheduling::reason why, const scheduling::exclusions& counts,
                                  const scheduling::config& conf, const std::string& pool) {
  native::placement_report report;
  report.reason = std::string{to_string(why)} + ": " + std::string{sentence(why)};
  if (counts.nodes == 0) report.details.push_back("pool " + pool + " has no nodes");
  for (const auto& each : counts.causes)
    report.details.push_back(std::to_string(each.nodes) + " of " + std::to_string(counts.nodes) +
                             " nodes in pool " + pool + ": " + to_string(each, conf) + hint(each));
  return report;
}

}  // namespace argosy::rounds
