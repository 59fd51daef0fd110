// SPDX-License-Identifier: Apache-2.0
// Dependencies: a job waits until other jobs of its queue have started or ended as it needs. While
// it waits it has a hold of its own, which follows from the other jobs' states, so that no event
// ends it: the event that ends the wait is that of the other job. A job whose wait can never end
// well is cancelled, or held, in the decision that ends the other job.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/ledger/queue/queue_overlay.hpp"
#include "runtime/ledger/queue/queue_waits.hpp"

namespace argosy::ledger {

namespace {

using model::dependency_condition;
using model::job_state;

/// "job 01k... has succeeded".
std::string wish_text(const model::job_dependency& on) {
  return "job " + to_string(on.job) + " has " +
         std::string{model::dependency_condition_names[static_cast<std::size_t>(on.when)]};
}

/// In whose name jobs end that can never start.
constexpr const char* dependency_judge = "argosy";

const std::vector<model::job_dependency>& after_of(const model::job_header& header) {
  static const std::vector<model::job_dependency> none;
  return header.after ? *header.after : none;
}

bool is_open(const queue_core& core, const model::job_dependency& on) {
  const auto* record = core.find(on.job);
  if (record == nullptr) return false;
  return on.when != dependency_condition::started || !has_started(*record);
}

}  // namespace

bool is_met(dependency_condition when, const model::job_record& ended) noexcept {
  switch (when) {
    case dependency_condition::succeeded:
      return ended.state == job_state::succeeded;
    case dependency_condition::failed:
      return ended.state == job_state::failed;
    case dependency_condition::started:
      return has_started(ended);
    case dependency_condition::ended:
      break;
  }
  return true;
}

std::shared_ptr<const model::job_hold> queue_core::waits::of(const queue_core& core,
                                                             const model::job_header& header,
                                                             std::int64_t now_ns) {
  std::size_t open = 0;
  const model::job_dependency* first = nullptr;
  const auto look_at = [&](const model::job_header& of) {
    for (const auto& on : after_of(of))
      if (is_open(core, on)) {
        ++open;
        if (first == nullptr) first = &on;
      }
  };
  look_at(header);
  if (const auto* info = gang_info_of(header))
    if (const auto gang = core.gangs_.find(info->id); gang != core.gangs_.end())
      for (const auto& id : gang->second.members)
        if (id != header.id) look_at(*core.jobs_.at(id)->record.header);
  if (first == nullptr) return nullptr;
  model::job_hold hold{{}, "waits until " + wish_text(*first), now_ns};
  if (open > 1) hold.reason += ", and for " + std::to_string(open - 1) + " more";
  hold.waits = true;
  return std::make_shared<const model::job_hold>(std::move(hold));
}

void queue_core::waits::release(queue_core& core, const model::job_record& record,
                                change_list& changes) {
  const auto found = core.dependents_.find(record.header->id);
  if (found == core.dependents_.end()) return;
  const bool has_ended = model::is_terminal(record.state);
  for (const auto& id : found->second) {
    const auto entry = core.jobs_.find(id);
    if (entry == core.jobs_.end()) continue;
    auto& waiting = entry->second->record;
    if (!waiting.hold || !waiting.hold->waits) continue;
    const bool is_ill = has_ended && std::ranges::any_of(after_of(*waiting.header), [&](auto& on) {
                          return on.job == record.header->id && !is_met(on.when, record);
                        });
    if (is_ill) continue;
    const auto before = waiting.hold;
    waiting.hold = of(core, *waiting.header, before->since_ns);
    waiting.changed_ns = record.changed_ns;
    core.count_hold(before, waiting);
    core.spread_hold(waiting, changes);
    changes.emplace_back(put_job{waiting, false});
    core.dirty_.insert(id);
  }
  if (has_ended) core.dependents_.erase(found);
}

/// One event about a member holds all of a gang that wait.
bool queue_core::overlay::holds_first_of(const model::job_record& record) {
  const auto* info = gang_info_of(*record.header);
  return info == nullptr || held_gangs_.insert(info->id).second;
}

void queue_core::overlay::end_dependents_of(const ulid& ended) {
  const auto waiting = core_.dependents_.find(ended);
  if (waiting == core_.dependents_.end()) return;
  const auto last = touched_.at(ended).state;
  for (const auto& id : waiting->second) {
    const auto* record = find(id);
    if (record == nullptr || record->state != job_state::queued || !record->runs.empty()) continue;
    const auto header = record->header;
    const auto wish = std::ranges::find_if(after_of(*header), [&](const auto& on) {
      return on.job == ended && !is_met(on.when, touched_.at(ended));
    });
    if (wish == after_of(*header).end()) continue;
    const auto why =
        "it waited until " + wish_text(*wish) + ", which is " + std::string{to_string(last)};
    if (!header->hold_if_unmet) {
      add(id, model::job_cancelling{id, dependency_judge, why});
      add(id, model::job_cancelled{id, dependency_judge, why});
    } else if ((!record->hold || record->hold->waits) && holds_first_of(*record)) {
      add(id, model::job_held{id, dependency_judge, why});
    }
  }
}

void queue_core::overlay::end_dependents() {
  const auto own = events_.size();
  for (std::size_t from = 0; from != events_.size();) {
    const auto to = events_.size();
    for (; from != to; ++from) {
      const auto id = model::job_of(events_[from]);
      const auto now = touched_.find(id);
      if (now != touched_.end() && model::is_terminal(now->second.state)) end_dependents_of(id);
    }
    end_broken_gangs();
  }
  if (events_.size() == own) return;
  // What follows stands before what it follows from, so that no record of the log has the end of a
  // job without its consequences. The events of one job stay together, in their order.
  const auto first = events_.begin() + static_cast<std::ptrdiff_t>(own);
  absl::flat_hash_map<ulid, std::vector<model::event>> by_job;
  std::vector<ulid> last_first;
  for (auto at = events_.end(); at != first;)
    if (const auto id = model::job_of(*--at); by_job.try_emplace(id).second)
      last_first.push_back(id);
  for (auto at = first; at != events_.end(); ++at)
    by_job[model::job_of(*at)].push_back(std::move(*at));
  events_.erase(first, events_.end());
  std::vector<model::event> all;
  for (const auto& id : last_first) std::ranges::move(by_job[id], std::back_inserter(all));
  std::ranges::move(events_, std::back_inserter(all));
  events_ = std::move(all);
}

}  // namespace argosy::ledger
