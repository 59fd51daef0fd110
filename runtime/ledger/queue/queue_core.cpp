// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/queue/queue_core.hpp"

#include <algorithm>
#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/ledger/gang_core.hpp"
#include "runtime/ledger/queue/job_rules.hpp"

namespace argosy::ledger {

model::start_run make_start(const model::job_header& header, std::uint32_t run,
                            const model::node_name& node) {
  model::start_run order;
  order.run = {header.id, run};
  order.queue = header.queue;
  order.job_set = header.job_set;
  order.name_space = header.name_space;
  order.owner = header.owner;
  order.node = node;
  if (header.shape) {
    order.requests = header.shape->requests;
    order.attached = header.shape->attached;
  }
  order.grace_seconds = header.grace_seconds;
  order.deadline_seconds = header.deadline_seconds;
  order.keep_on_disconnect = header.keep_on_disconnect;
  order.spec = header.spec;
  order.trace = header.trace;
  return order;
}

queue_core::queue_core(model::queue_name name, queue_config config)
    : name_(std::move(name)), config_(config), client_ids_(config.client_id_retention_ns) {}

void queue_core::fit_gangs(std::size_t members_max) noexcept {
  if (members_max < config_.gang_cardinality_max)
    config_.gang_cardinality_max = static_cast<std::uint32_t>(members_max);
}

void queue_core::restore(const model::queue_settings& settings) {
  settings_ = settings;
  settings_dirty_ = true;
}

void queue_core::restore(const queue_totals& totals, std::shared_ptr<const queue_sums> sums) {
  totals_ = totals;
  if (sums) sums_ = std::move(sums);
}

void queue_core::restore(model::job_record record) {
  if (!record.header || model::is_terminal(record.state) || jobs_.contains(record.header->id))
    return;
  insert(std::move(record));
}

void queue_core::restore(const put_client_id& entry) {
  client_ids_.note(entry);
}

void queue_core::gang_reported(const gang_report& report) {
  const auto found = gangs_.find(report.gang);
  if (found == gangs_.end()) return;
  auto& gang = found->second;
  if (!std::equal(gang.members.begin(), gang.members.end(), report.members.begin(),
                  report.members.end()))
    return;
  const bool all_wait = std::all_of(gang.members.begin(), gang.members.end(), [&](const ulid& id) {
    return jobs_.at(id)->record.live_run() == nullptr;
  });
  gang.open = report.open && all_wait;
  gang.sizes = report.sizes;
  dirty_gangs_.insert(report.gang);
}

void queue_core::use_policies(retry_policies_ptr policies) noexcept {
  policies_ = std::move(policies);
}

const model::retry_policy* queue_core::first_policy() const {
  if (!settings_) return nullptr;
  const auto& own = settings_->retry_policies;
  const auto found = policies_->find(own.empty() ? config_.retries.default_policy : own.front());
  return found == policies_->end() ? nullptr : &found->second;
}

queue_delta queue_core::take_dirty() {
  queue_delta delta;
  delta.queue_changed = std::exchange(settings_dirty_, false);
  for (const auto& id : dirty_gangs_) {
    const auto found = gangs_.find(id);
    if (found != gangs_.end())
      dirty_.insert(found->second.members.begin(), found->second.members.end());
  }
  dirty_gangs_.clear();
  std::vector<ulid> changed(dirty_.begin(), dirty_.end());
  dirty_.clear();
  std::sort(changed.begin(), changed.end());
  for (const auto& id : changed) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) {
      delta.jobs.removed.push_back(id);
      continue;
    }
    auto& entry = *found->second;
    if (!schedulable(entry.record)) {
      if (std::exchange(entry.visible, false)) delta.jobs.removed.push_back(id);
      continue;
    }
    entry.visible = true;
    job_upsert item;
    item.header = entry.record.header;
    item.priority = entry.record.priority;
    item.stopping = entry.record.stopping != model::stop_cause::none;
    if (const auto* run = entry.record.live_run())
      item.run = std::make_shared<const model::run_record>(*run);
    if (const auto* members = gang_of(entry.record)) item.gang = members->sizes;
    if (entry.record.hold) item.blocked_ns = entry.record.hold->since_ns;
    delta.jobs.set.push_back(std::move(item));
  }
  return delta;
}

void queue_core::touch_all() {
  settings_dirty_ = true;
  for (const auto& [id, entry] : jobs_) dirty_.insert(id);
}

std::size_t queue_core::prune_client_ids(std::int64_t now_ns) {
  return client_ids_.prune(now_ns);
}

const model::queue_settings* queue_core::settings() const noexcept {
  return settings_ ? &*settings_ : nullptr;
}

const model::job_record* queue_core::find(const ulid& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second->record;
}

std::size_t queue_core::count(model::job_state state) const {
  const auto index = static_cast<std::size_t>(state);
  return index < counts_.size() ? counts_[index] : 0;
}

std::vector<model::pool_name> queue_core::active_pools() const {
  std::vector<model::pool_name> out;
  for (const auto& [pool, runs] : placed_) out.push_back(pool);
  return out;
}

void queue_core::for_each(const std::function<void(const model::job_record&)>& visit) const {
  for (const auto& [id, entry] : jobs_) visit(entry->record);
}

std::vector<job_set_counts> queue_core::job_sets() const {
  std::vector<job_set_counts> out;
  out.reserve(job_sets_.size());
  for (const auto& [name, set] : job_sets_) {
    job_set_counts counts{name, 0, 0};
    for (const auto& id : set->jobs)
      ++(jobs_.at(id)->record.state == model::job_state::queued ? counts.queued : counts.active);
    out.push_back(std::move(counts));
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.job_set < b.job_set; });
  return out;
}

std::vector<gang_roll> queue_core::gangs() const {
  std::vector<gang_roll> out;
  out.reserve(gangs_.size());
  for (const auto& [id, gang] : gangs_) {
    gang_roll roll{gang.info, {}};
    for (const auto& member : gang.members) {
      const auto& record = jobs_.at(member)->record;
      roll.members.push_back({member, record.live_run() != nullptr, !record.runs.empty()});
    }
    out.push_back(std::move(roll));
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.gang->id < b.gang->id; });
  return out;
}

queue_core::job_entry& queue_core::insert(model::job_record record) {
  const auto id = record.header->id;
  auto made = std::make_unique<job_entry>();
  made->record = std::move(record);
  auto& set = job_sets_[made->record.header->job_set];
  if (!set) set = std::make_unique<job_set>();
  set->jobs.insert(id);
  made->set = set.get();
  ++counts_[static_cast<std::size_t>(made->record.state)];
  if (const auto* run = made->record.live_run()) count_placed(*run, true);
  auto& entry = *jobs_.emplace(id, std::move(made)).first->second;
  join_gang(entry.record);
  if (entry.record.hold) count_hold({}, entry.record);
  if (const auto& after = entry.record.header->after)
    for (const auto& on : *after) dependents_[on.job].insert(id);
  dirty_.insert(id);
  return entry;
}

void queue_core::join_gang(const model::job_record& record) {
  const auto* info = gang_info_of(*record.header);
  if (info == nullptr) return;
  auto& gang = gangs_[info->id];
  if (!gang.info) {
    gang.info = record.header->gang;
    gang.sizes = record.header->gang;
    if (record.header->shape) gang.priority_class = record.header->shape->priority_class;
  }
  gang.members.insert(record.header->id);
  close_gang(gang);
}

void queue_core::remove(const ulid& job) {
  const auto found = jobs_.find(job);
  auto& entry = *found->second;
  entry.set->jobs.erase(job);
  if (entry.set->jobs.empty()) job_sets_.erase(entry.record.header->job_set);
  if (auto* gang = gang_of(entry.record)) {
    gang->members.erase(job);
    if (gang->members.empty())
      gangs_.erase(gang_info_of(*entry.record.header)->id);
    else
      close_gang(*gang);
  }
  if (const auto after = entry.record.header->after)
    for (const auto& on : *after)
      if (const auto others = dependents_.find(on.job); others != dependents_.end()) {
        others->second.erase(job);
        if (others->second.empty()) dependents_.erase(others);
      }
  dirty_.insert(job);
  jobs_.erase(found);
}

void queue_core::close_gang(gang_entry& gang) {
  if (std::exchange(gang.open, false)) dirty_gangs_.insert(gang.info->id);
}

const queue_core::gang_entry* queue_core::gang_of(const model::job_record& record) const {
  const auto* info = gang_info_of(*record.header);
  if (info == nullptr) return nullptr;
  const auto found = gangs_.find(info->id);
  return found == gangs_.end() ? nullptr : &found->second;
}

queue_core::gang_entry* queue_core::gang_of(const model::job_record& record) {
  return const_cast<gang_entry*>(std::as_const(*this).gang_of(record));
}

bool queue_core::schedulable(const model::job_record& record) const {
  if (record.live_run() != nullptr) return true;
  if (record.stopping != model::stop_cause::none) return false;
  if (is_kept_back(record.hold) && !is_planted(planted_fault::releases_held_jobs)) return false;
  const auto* members = gang_of(record);
  return members == nullptr || members->open;
}

model::event queue_core::make_event(std::int64_t now_ns, model::event_payload payload) const {
  return {now_ns, name_, std::move(payload)};
}

}  // namespace argosy::ledger
