// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/queue_place.hpp"

#include <algorithm>

#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

std::uint64_t place_in_queue(const snapshot& from, const ulid& job) {
  const auto& t = from.data();
  const auto found = t.job_numbers.find(job);
  if (found == t.job_numbers.end()) return 0;
  const auto number = found->second;
  const auto& record = t.jobs[number];
  if (!record.live() || record.has_run()) return 0;
  const auto& queued = t.queues[record.queue].queued;
  const auto before = [&](const queued_entry& entry, std::uint32_t other) {
    return queued_before(t, entry.job, other);
  };
  if (from.settled()) {
    const auto at = std::lower_bound(queued.begin(), queued.end(), number, before);
    return static_cast<std::uint64_t>(at - queued.begin()) + 1;
  }
  // The list still has entries of jobs that have left the queue.
  const auto ahead = std::count_if(queued.begin(), queued.end(), [&](const queued_entry& entry) {
    const auto& other = t.jobs[entry.job];
    return other.queue == record.queue && !other.running && before(entry, number);
  });
  return static_cast<std::uint64_t>(ahead) + 1;
}

std::string_view sentence(ahead_cause why) {
  switch (why) {
    case ahead_cause::priority_class:
      return "its priority class goes first";
    case ahead_cause::priority:
      return "its priority goes first";
    case ahead_cause::time:
      break;
  }
  return "it was submitted earlier";
}

std::vector<ahead_job> jobs_ahead(const snapshot& from, const ulid& job, std::size_t most) {
  const auto place = from.settled() ? place_in_queue(from, job) : 0;
  if (place < 2) return {};
  const auto& t = from.data();
  const auto& record = t.jobs[t.job_numbers.find(job)->second];
  const auto& queued = t.queues[record.queue].queued;
  std::vector<ahead_job> out;
  for (std::size_t i = 0; i < std::min<std::size_t>(most, place - 1); ++i) {
    const auto& other = t.jobs[queued[i].job];
    auto why = ahead_cause::time;
    if (class_rank(t, other) != class_rank(t, record))
      why = ahead_cause::priority_class;
    else if (other.priority != record.priority)
      why = ahead_cause::priority;
    out.push_back({from.job_id(queued[i].job), why});
  }
  return out;
}

}  // namespace argosy::scheduling
