// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/queue/cut_ledger.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/base/planted.hpp"

namespace argosy::ledger {

cut_ledger::waiting_job& cut_ledger::put(const ulid& job, model::log_position at,
                                         std::optional<job_upsert> set) {
  auto& entry = waiting_.try_emplace(job, waiting_job{at, at, {}, {}}).first->second;
  entry.position = at;
  entry.set = std::move(set);
  return entry;
}

void cut_ledger::publish(const queue_delta& delta, model::log_position at, bool by_event) {
  published_ = at;
  if (delta.queue_changed && settings_since_.is_zero()) settings_since_ = at;
  const auto note = [&](waiting_job& entry) {
    if (by_event && entry.event.is_zero()) entry.event = at;
  };
  for (const auto& job : delta.jobs.set) note(put(job.header->id, at, job));
  for (const auto& job : delta.jobs.removed) note(put(job, at, {}));
  if (delta.queue_changed || !delta.jobs.set.empty() || !delta.jobs.removed.empty()) news_ = true;
}

bool cut_ledger::take_notice() noexcept {
  if (!news_ || told_) return false;
  told_ = true;
  return true;
}

/// Puts the changes of the lost cut back, except for jobs that changed again since then.
void cut_ledger::take_back_last() {
  if (!last_) return;
  lost_since_ = range_.since;
  for (const auto& job : last_->set)
    waiting_.try_emplace(job.header->id, waiting_job{{}, {}, {}, job}).first->second.since = {};
  for (const auto& job : last_->removed) waiting_.try_emplace(job).first->second.since = {};
  last_.reset();
}

std::shared_ptr<const job_changes> cut_ledger::cut(model::log_position at) {
  take_back_last();
  const bool straddled = std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& item) {
    return item.second.since <= at && item.second.position > at;
  });
  range_ = {std::exchange(lost_since_, {}), at};
  const auto has = [this](model::log_position since) {
    if (!since.is_zero() && (range_.since.is_zero() || since < range_.since)) range_.since = since;
  };
  // A cut has the settings of now.
  has(std::exchange(settings_since_, {}));
  if (straddled) {
    range_.position = published_;
    at = {std::numeric_limits<std::uint64_t>::max()};
  }
  auto out = std::make_shared<job_changes>();
  absl::erase_if(waiting_, [&](auto& item) {
    auto& [id, job] = item;
    if (job.position > at) return false;
    has(job.event);
    if (is_planted(planted_fault::keeps_room_of_ended_jobs) && !job.set && id.bytes.back() % 4 == 3)
      return true;
    if (job.set)
      out->set.push_back(std::move(*job.set));
    else
      out->removed.push_back(id);
    return true;
  });
  // The order of a hash table differs from process to process, and a round follows that of the cut.
  std::ranges::sort(out->set, {}, [](const job_upsert& job) { return job.header->id; });
  std::ranges::sort(out->removed);
  told_ = false;
  news_ = !waiting_.empty();
  last_ = out;
  return out;
}

}  // namespace argosy::ledger
