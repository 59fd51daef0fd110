// SPDX-License-Identifier: Apache-2.0
// A queue's part of a plan: which leases and preemptions are still possible. Gangs are judged as a
// whole.
#include <absl/container/btree_map.h>

#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/ledger/gang_core.hpp"
#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/ledger/queue/queue_overlay.hpp"

namespace argosy::ledger {

class queue_core::placement {
 public:
  placement(const queue_core& core, const place_request& plan, std::int64_t now_ns)
      : core_(core), plan_(plan), now_ns_(now_ns), view_(core, now_ns) {}

  decision<place_reply> decide();

 private:
  using lease_list = std::vector<const planned_lease*>;

  void preempt(const planned_preemption& item);
  /// Says why the job cannot be leased; empty if it can.
  [[nodiscard]] std::string obstacle(const ulid& job) const;
  [[nodiscard]] std::string gang_obstacle(const gang_entry& members,
                                          const lease_list& leases) const;
  void lease(const planned_lease& item);
  void lease_gang(const std::string& id, const lease_list& leases);
  void refuse(const ulid& job, std::string reason) {
    reply_.refused.push_back({job, std::move(reason)});
  }

  const queue_core& core_;
  const place_request& plan_;
  const std::int64_t now_ns_;
  overlay view_;
  place_reply reply_;
};

void queue_core::placement::preempt(const planned_preemption& item) {
  const auto* record = view_.find(item.job);
  if (record == nullptr || record->live_run() == nullptr)
    return refuse(item.job, "its run has ended");
  if (record->stopping != model::stop_cause::none)
    return refuse(item.job, "its run is being stopped already");
  const model::run_key run{item.job, record->live_run()->number};
  view_.add(item.job,
            model::run_preempting{run, item.preemptor, item.reason, {}, view_.sends_back(*record)});
  view_.stop(*view_.find(item.job));
  ++reply_.preempted;
}

std::string queue_core::placement::obstacle(const ulid& job) const {
  if (!core_.settings_) return "the queue was deleted";
  if (core_.settings_->cordoned && !is_planted(planted_fault::ignores_closed_queues))
    return "the queue is cordoned";
  const auto* record = view_.find(job);
  if (record == nullptr) return "the job has ended";
  if (record->state != model::job_state::queued) return "the job has a run already";
  if (record->stopping != model::stop_cause::none) return "the job is being cancelled";
  if (record->hold && !is_planted(planted_fault::releases_held_jobs)) return "the job is held";
  return {};
}

void queue_core::placement::lease(const planned_lease& item) {
  const auto* record = view_.find(item.job);
  const model::run_key run{
      item.job, is_planted(planted_fault::numbers_runs_anew) ? 1 : next_run_number(*record)};
  auto header = record->header;
  view_.add(item.job,
            model::job_leased{run, item.cluster, item.node, item.pool, item.priority, plan_.round});
  reply_.started.push_back({run, item.cluster, item.node, std::move(header), now_ns_});
}

std::string queue_core::placement::gang_obstacle(const gang_entry& members,
                                                 const lease_list& leases) const {
  absl::flat_hash_set<ulid> listed;
  for (const auto* item : leases) {
    if (auto why = obstacle(item->job); !why.empty())
      return "member " + to_string(item->job) + " of its gang: " + why;
    if (!listed.insert(item->job).second)
      return "member " + to_string(item->job) + " of its gang is placed twice";
  }
  std::size_t waiting = 0;
  for (const auto& id : members.members)
    if (obstacle(id).empty()) ++waiting;
  if (waiting != members.members.size()) return "a member of its gang still has a run";
  if (waiting < members.sizes->cardinality)
    return "its gang has " + std::to_string(waiting) + " of " +
           std::to_string(members.sizes->cardinality) + " members";
  if (!members.open) return "its gang has just changed; a later round looks at it again";
  if (gang_may_start(*members.sizes, waiting, leases.size())) return {};
  return "only " + std::to_string(leases.size()) +
         " members of its gang were placed, and it needs " +
         std::to_string(members.sizes->minimum_cardinality);
}

void queue_core::placement::lease_gang(const std::string& id, const lease_list& leases) {
  const auto found = core_.gangs_.find(id);
  const auto why = found == core_.gangs_.end() ? std::string{"its gang has ended"}
                                               : gang_obstacle(found->second, leases);
  if (!why.empty()) {
    for (const auto* item : leases) refuse(item->job, why);
    return;
  }
  for (const auto* item : leases)
    if (!is_planted(planted_fault::starts_gangs_in_part) || item != leases.back()) lease(*item);
  const auto& members = found->second.members;
  if (leases.size() == members.size()) return;
  const auto text = "its gang '" + id + "' started with " + std::to_string(leases.size()) + " of " +
                    std::to_string(members.size()) + " members; there was no room for this one";
  for (const auto& member : members) {
    if (view_.find(member)->state != model::job_state::queued) continue;
    view_.add(member, model::job_rejected{member, text});
    ++reply_.rejected;
  }
}

decision<place_reply> queue_core::placement::decide() {
  for (const auto& item : plan_.preemptions) preempt(item);
  absl::btree_map<std::string, lease_list> gangs;
  for (const auto& item : plan_.leases) {
    const auto* record = view_.find(item.job);
    const auto* info = record == nullptr ? nullptr : gang_info_of(*record->header);
    if (info != nullptr) {
      gangs[info->id].push_back(&item);
      continue;
    }
    if (auto why = obstacle(item.job); !why.empty())
      refuse(item.job, std::move(why));
    else
      lease(item);
  }
  for (const auto& [id, leases] : gangs) lease_gang(id, leases);
  return std::move(view_).finish(std::move(reply_));
}

decision<place_reply> queue_core::place(const place_request& plan, std::int64_t now_ns) const {
  return placement{*this, plan, now_ns}.decide();
}

}  // namespace argosy::ledger
