// SPDX-License-Identifier: Apache-2.0
// Gangs wait for members that are not there. How long follows from the records of live jobs and the
// time alone, so that recovery needs no record of gangs.
#include <algorithm>
#include <utility>

#include "runtime/ledger/queue/queue_overlay.hpp"

namespace argosy::ledger {

std::optional<gang_wait> queue_core::overlay::wait_of(const gang_entry& gang,
                                                      std::int64_t since_ns) const {
  if (gang.members.size() >= gang.sizes->cardinality) return std::nullopt;
  auto newest_ns = since_ns;
  for (const auto& id : gang.members) {
    const auto& record = *core_.find(id);
    if (!record.runs.empty()) return std::nullopt;
    newest_ns = std::max(newest_ns, record.changed_ns);
  }
  gang_wait wait{gang.members.size(), gang.info->cardinality, gang.info->minimum_cardinality};
  const auto limit_ns = core_.config_.gang_wait.count();
  if (limit_ns > 0 && !is_kept_back(gang.hold))
    wait.left_ns = std::clamp<std::int64_t>(limit_ns - (now_ns_ - newest_ns), 0, limit_ns);
  return wait;
}

std::optional<gang_wait> queue_core::wait_of_gang(const std::string& gang, std::int64_t now_ns,
                                                  std::int64_t since_ns) const {
  const auto found = gangs_.find(gang);
  if (found == gangs_.end()) return std::nullopt;
  return overlay{*this, now_ns}.wait_of(found->second, since_ns);
}

decision<done> queue_core::end_gang_waits(std::int64_t now_ns, std::int64_t since_ns) const {
  overlay view{*this, now_ns};
  std::vector<const gang_entry*> over;
  for (const auto& [id, gang] : gangs_)
    if (const auto wait = view.wait_of(gang, since_ns); wait && wait->left_ns == 0)
      over.push_back(&gang);
  std::ranges::sort(over, {}, [](const gang_entry* gang) { return gang->info->id; });
  for (const auto* gang : over) view.end_wait(*gang);
  return std::move(view).finish(done{});
}

void queue_core::overlay::end_wait(const gang_entry& gang) {
  const auto& info = *gang.info;
  const auto live = gang.members.size();
  if (live >= info.minimum_cardinality) {
    gang_of(*core_.find(*gang.members.begin())).settled = true;
    return;
  }
  const auto why = "only " + std::to_string(live) + " of the " + std::to_string(info.cardinality) +
                   " members of its gang '" + info.id + "' were there, which needs at least " +
                   std::to_string(info.minimum_cardinality) +
                   ", and no other was submitted in time; submit all of them together";
  for (const auto& job : gang.members) add(job, model::job_rejected{job, why});
}

}  // namespace argosy::ledger
