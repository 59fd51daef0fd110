// SPDX-License-Identifier: Apache-2.0
// Holds: somebody keeps queued jobs from being scheduled until he releases them. Of a gang all
// waiting members are held or none, so that one event about a member stands for all of them.
#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/base/text.hpp"
#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/ledger/queue/queue_overlay.hpp"
#include "runtime/ledger/queue/queue_waits.hpp"

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
    return record.state == model::job_state::queued && on != is_held(record.hold);
  };
  for (const auto& id : *ids) {
    const auto& record = *find(id);
    if (record.live_run() != nullptr) ++out.reply->running;
    if (!is_meant(record)) continue;
    const auto* gang = gang_of(record);
    if (gang != nullptr && !gangs.insert(gang->info->id).second) continue;
    // Whoever holds a blocked job takes the place of the block, so that it is not rejected.
    if (on && record.hold && record.hold->blocked)
      out.events.push_back(make_event(now_ns, model::job_released{id, {}, {}}));
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
  if (!header.held) return waits::of(*this, header, now_ns);
  return std::make_shared<const model::job_hold>(
      model::job_hold{header.owner, "submitted so", now_ns});
}

void queue_core::count_hold(const hold_ptr& before, model::job_record& record) {
  auto* gang = gang_of(record);
  if (before) {
    --holds_.held;
    if (before->waits) --holds_.waiting;
    if (before->blocked) holds_.blocked.erase(record.header->id);
    if (gang != nullptr && --gang->held == 0) gang->hold.reset();
  }
  if (!record.hold) return;
  if (holds_.last && *record.hold == *holds_.last) record.hold = holds_.last;
  holds_.last = record.hold;
  ++holds_.held;
  if (record.hold->waits) ++holds_.waiting;
  if (record.hold->blocked) holds_.blocked.insert(record.header->id);
  if (gang == nullptr) return;
  ++gang->held;
  gang->hold = record.hold;
}

void queue_core::spread_hold(const model::job_record& from, change_list& changes) {
  const auto* gang = gang_of(from);
  if (gang == nullptr) return;
  for (const auto& id : gang->members) {
    auto& record = jobs_.at(id)->record;
    if (record.state != model::job_state::queued || record.hold == from.hold) continue;
    const auto before = std::exchange(record.hold, from.hold);
    record.changed_ns = from.changed_ns;
    count_hold(before, record);
    changes.emplace_back(put_job{record, false});
    dirty_.insert(id);
  }
}

decision<done> judge_unfit(const queue_core& queue, const unfit_findings& what,
                           std::int64_t now_ns) {
  const auto is_waiting = [](const model::job_record* record, bool blocked) {
    if (record == nullptr || record->state != model::job_state::queued) return false;
    if (record->stopping != model::stop_cause::none) return false;
    return blocked ? record->hold && record->hold->blocked : record->hold == nullptr;
  };
  queue_core::overlay view{queue, now_ns};
  if (is_planted(planted_fault::keeps_what_fits_nowhere)) return std::move(view).finish(done{});
  for (const auto& [job, reason] : what.reject) {
    if (!is_waiting(view.find(job), true)) continue;
    std::vector<ulid> all{job};
    std::string why = reason;
    if (const auto* gang = queue.gang_of(*queue.find(job))) {
      all.assign(gang->members.begin(), gang->members.end());
      // All of them fit into one record of the log, as their leases would with their names.
      why = cut_to_size(reason, 2 * model::name_size_max);
    }
    for (const auto& each : all)
      if (is_waiting(view.find(each), true)) view.add(each, model::job_rejected{each, why});
  }
  auto out = std::move(view).finish(done{});
  absl::flat_hash_set<std::string> gangs;
  const auto is_first = [&](const model::job_record& record) {
    const auto* gang = queue.gang_of(record);
    return gang == nullptr || gangs.insert(gang->info->id).second;
  };
  for (const auto& [job, reason] : what.block)
    if (const auto* record = queue.find(job); is_waiting(record, false) && is_first(*record))
      out.events.push_back(queue.make_event(now_ns, model::job_held{job, {}, reason, true}));
  for (const auto& job : what.release)
    if (const auto* record = queue.find(job); is_waiting(record, true) && is_first(*record))
      out.events.push_back(queue.make_event(now_ns, model::job_released{job, {}, {}}));
  return out;
}

}  // namespace argosy::ledger
