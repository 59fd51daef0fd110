// SPDX-License-Identifier: Apache-2.0
// Commands on a selection of live jobs: cancel, preempt, reprioritise, set aside.
#include <algorithm>
#include <string_view>
#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/ledger/queue/queue_overlay.hpp"

namespace argosy::ledger {

namespace {

template <class Text>
bool contains(const std::vector<Text>& list, const Text& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

bool queue_core::selected(const model::job_record& record, const job_selection& which) const {
  if (!which.job_set.empty() && record.header->job_set != which.job_set) return false;
  switch (record.state) {
    case model::job_state::queued:
      if (!which.queued) return false;
      break;
    case model::job_state::leased:
      if (!which.leased) return false;
      break;
    case model::job_state::pending:
      if (!which.pending) return false;
      break;
    case model::job_state::running:
      if (!which.running) return false;
      break;
    default:
      return false;
  }
  if (!which.classes.empty() &&
      (!record.header->shape || !contains(which.classes, record.header->shape->priority_class)))
    return false;
  if (which.pools.empty() && which.cluster.empty() && which.node.empty()) return true;
  const auto* run = record.live_run();
  return run != nullptr && (which.pools.empty() || contains(which.pools, run->pool)) &&
         (which.cluster.empty() || run->cluster == which.cluster) &&
         (which.node.empty() || run->node == which.node);
}

result<std::vector<ulid>> queue_core::select(const job_selection& which) const {
  std::vector<ulid> out;
  const auto consider = [&](const ulid& id) {
    const auto* record = find(id);
    if (record != nullptr && selected(*record, which)) out.push_back(id);
  };
  if (!which.ids.empty()) {
    auto ids = which.ids;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const auto& id : ids) consider(id);
    return which.with_gangs ? with_gangs(out) : out;
  }
  if (!which.whole)
    return fail(ec::invalid_argument,
                "queue '" + name_ + "': no jobs were named; give job ids or a whole job set");
  if (!which.job_set.empty()) {
    const auto found = job_sets_.find(which.job_set);
    if (found != job_sets_.end())
      for (const auto& id : found->second->jobs) consider(id);
    if (is_planted(planted_fault::cancels_neighbours) && !jobs_.empty())
      out.push_back(jobs_.begin()->first);
    return which.with_gangs ? with_gangs(out) : out;
  }
  for (const auto& [id, entry] : jobs_) consider(id);
  std::sort(out.begin(), out.end());
  return which.with_gangs ? with_gangs(out) : out;
}

std::vector<ulid> queue_core::with_gangs(const std::vector<ulid>& ids) const {
  std::vector<ulid> out;
  absl::flat_hash_set<ulid> known;
  absl::flat_hash_set<std::string_view> gangs;
  const auto add = [&](const ulid& id) {
    if (known.insert(id).second) out.push_back(id);
  };
  for (const auto& id : ids) {
    add(id);
    const auto* gang = gang_of(*find(id));
    if (gang == nullptr || !gangs.insert(gang->info->id).second) continue;
    for (const auto& member : gang->members)
      if (find(member)->live_run() == nullptr) add(member);
  }
  return out;
}

decision<selection_reply> queue_core::cancel(const job_selection& which,
                                             const std::string& requestor,
                                             const std::string& reason, std::int64_t now_ns) const {
  auto ids = select(which);
  if (!ids) return {fail(std::move(ids.error())), {}, {}};
  overlay view{*this, now_ns};
  for (const auto& id : *ids) {
    if (find(id)->stopping == model::stop_cause::cancel) continue;
    if (is_planted(planted_fault::forgets_cancels) && id.bytes.back() % 8 == 5) continue;
    view.add(id, model::job_cancelling{id, requestor, reason});
    const auto* record = view.find(id);
    if (record->live_run() != nullptr)
      view.stop(*record);
    else
      view.add(id, model::job_cancelled{id, requestor, reason});
  }
  auto out = std::move(view).finish(selection_reply{});
  // The rest of a gang may be cancelled with its members.
  for (const auto& event : out.events)
    if (const auto* begun = std::get_if<model::job_cancelling>(&event.payload))
      out.reply->ids.push_back(begun->job);
  return out;
}

decision<selection_reply> queue_core::preempt(const job_selection& which,
                                              const std::string& requestor,
                                              const std::string& reason, std::int64_t now_ns,
                                              bool is_drain) const {
  auto ids = select(which);
  if (!ids) return {fail(std::move(ids.error())), {}, {}};
  overlay view{*this, now_ns};
  selection_reply reply;
  for (const auto& id : *ids) {
    const auto* record = find(id);
    if (record->live_run() == nullptr || record->stopping != model::stop_cause::none) continue;
    const model::run_key run{id, record->live_run()->number};
    const bool comes_back = is_drain && view.sends_back(*record);
    view.add(id, model::run_preempting{run, {}, reason, requestor, comes_back});
    view.stop(*view.find(id));
    reply.ids.push_back(id);
  }
  return std::move(view).finish(std::move(reply));
}

decision<selection_reply> queue_core::reprioritize(const job_selection& which,
                                                   std::uint32_t priority,
                                                   const std::string& requestor,
                                                   std::int64_t now_ns) const {
  auto ids = select(which);
  if (!ids) return {fail(std::move(ids.error())), {}, {}};
  decision<selection_reply> out{selection_reply{}, {}, {}};
  for (const auto& id : *ids) {
    if (find(id)->priority == priority) {
      if (!which.ids.empty()) out.reply->alike.push_back(id);
      continue;
    }
    out.events.push_back(make_event(now_ns, model::job_reprioritized{id, priority, requestor}));
    out.reply->ids.push_back(id);
  }
  return out;
}

decision<selection_reply> queue_core::set_aside(const harmful_job& what,
                                                std::int64_t now_ns) const {
  overlay view{*this, now_ns};
  selection_reply reply;
  const auto* const found = find(what.job);
  if (found == nullptr) return std::move(view).finish(std::move(reply));
  const auto end = [&](const ulid& id) {
    const auto* const record = find(id);
    if (record->stopping == model::stop_cause::cancel) return;
    if (record->live_run() == nullptr) {
      view.add(id, model::job_rejected{id, what.reason});
    } else {
      view.add(id, model::job_cancelling{id, "argosyd", what.reason});
      view.stop(*view.find(id));
    }
    reply.ids.push_back(id);
  };
  if (const auto* gang = gang_of(*found))
    for (const auto& id : gang->members) end(id);
  else
    end(what.job);
  return std::move(view).finish(std::move(reply));
}

}  // namespace argosy::ledger
