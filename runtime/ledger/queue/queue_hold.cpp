// SPDX-License-Identifier: Apache-2.0
// What keeps queued jobs from being scheduled. Holds: somebody keeps them until he releases them.
// Of a gang all waiting members are held or none, so that one event about a member stands for all
// of them. Gangs wait for members that are not there; how long follows from the records of live
// jobs and the time alone, so that recovery needs no record of gangs.
#include <algorithm>
#include <utility>

#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/ledger/queue/queue_overlay.hpp"

namespace argosy::ledger {

decision<selection_reply> queue_core::hold(const job_selection& which, bool on,
                                           const std::string& who, const std::string& why,
                                           std::int64_t now_ns) const {
  auto alone = which;
  alone.with_gangs = false;
  const auto ids = select(alone);
  if (!ids) return {fail(ids.error()), {}, {}};
  decision<selection_reply> out{selection_reply{}, {}, {}};
  absl::flat_hash_set<std::string> gangs;
  const auto is_meant = [on](const model::job_record& record) {
    return record.state == model::job_state::queued && on == (record.hold == nullptr);
  };
  for (const auto& id : *ids) {
    const auto& record = *find(id);
    if (record.live_run() != nullptr) ++out.reply->running;
    if (!is_meant(record)) continue;
    const auto* gang = gang_of(record);
    if (gang != nullptr && !gangs.insert(gang->info->id).second) continue;
    if (on)
      out.events.push_back(make_event(now_ns, model::job_held{id, who, why}));
    else
      out.events.push_back(make_event(now_ns, model::job_released{id, who, why}));
    if (gang == nullptr) out.reply->ids.push_back(id);
    if (gang == nullptr) continue;
    for (const auto& member : gang->members)
      if (is_meant(*find(member))) out.reply->ids.push_back(member);
  }
  return out;
}

std::shared_ptr<const model::job_hold> queue_core::first_hold(const model::job_header& header,
                                                              std::int64_t now_ns) const {
  if (const auto* info = gang_info_of(header))
    if (const auto gang = gangs_.find(info->id); gang != gangs_.end() && gang->second.hold)
      return gang->second.hold;
  if (!header.held) return nullptr;
  return std::make_shared<const model::job_hold>(
      model::job_hold{header.owner, "submitted so", now_ns});
}

void queue_core::count_hold(model::job_record& record) {
  const bool held = record.hold != nullptr;
  if (held && last_hold_ && *record.hold == *last_hold_) record.hold = last_hold_;
  if (held) last_hold_ = record.hold;
  held ? ++held_ : --held_;
  auto* gang = gang_of(record);
  if (gang == nullptr) return;
  if (held) {
    ++gang->held;
    gang->hold = record.hold;
  } else if (--gang->held == 0) {
    gang->hold.reset();
  }
}

void queue_core::spread_hold(const model::job_record& from, change_list& changes) {
  const auto* gang = gang_of(from);
  if (gang == nullptr) return;
  for (const auto& id : gang->members) {
    auto& record = jobs_.at(id)->record;
    const bool same = (record.hold != nullptr) == (from.hold != nullptr);
    if (record.state != model::job_state::queued || same) continue;
    record.hold = from.hold;
    record.changed_ns = from.changed_ns;
    count_hold(record);
    changes.emplace_back(put_job{record, false});
    dirty_.insert(id);
  }
}

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
  if (limit_ns > 0 && !gang.hold)
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
