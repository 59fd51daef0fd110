// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/unplaced_kinds.hpp"

#include <algorithm>
#include <utility>

namespace argosy::rounds {

namespace {

using cause = unplaced_kinds::cause;
using scheduling::reason;

std::uint64_t jobs_in(const std::vector<cause>& causes) {
  std::uint64_t out = 0;
  for (const auto& each : causes) out += each.jobs;
  return out;
}

/// Counts the jobs with those that are kept back for the same.
void add(std::vector<cause>& to, const cause& more) {
  const auto same = std::ranges::find(to, more.code, &cause::code);
  if (same == to.end()) {
    to.push_back(more);
    return;
  }
  same->jobs += more.jobs;
  if (same->example.is_nil()) same->example = more.example;
}

bool lacks_members(const scheduling::tables& t, const scheduling::job_record& job) {
  return job.gang != scheduling::none &&
         t.gangs[job.gang].members.size() < t.gang_terms[job.gang_terms].cardinality;
}

/// Returns the reason of most jobs, or that for which the round named this one; nothing if there is
/// none. Only a gang that still lacks members is told that it is incomplete.
std::optional<reason> chosen(const std::vector<cause>& from, const ulid& job, bool lacks) {
  const cause* best = nullptr;
  for (const auto& each : from) {
    if (each.code == reason::gang_incomplete) {
      if (lacks) return each.code;
      continue;
    }
    if (each.example == job) return each.code;
    if (best == nullptr || each.jobs > best->jobs) best = &each;
  }
  return best == nullptr ? std::nullopt : std::optional{best->code};
}

}  // namespace

unplaced_kinds::unplaced_kinds(const scheduling::plan& plan, const scheduling::snapshot& from,
                               std::size_t most) {
  const auto& t = from.data();
  for (const auto& refused : plan.refusals) {
    const auto& job = t.jobs[refused.job_index];
    note({model::queue_name{from.queue_name(job.queue)}, job.shape, job.gang_terms},
         {refused.code, refused.jobs, job.id});
  }
  for (const auto& skipped : plan.skips) {
    model::queue_name queue{from.queue_name(skipped.queue)};
    const cause why{skipped.code, skipped.jobs, {}};
    if (skipped.shape == scheduling::none)
      add(others_[std::move(queue)], why);
    else
      note({std::move(queue), skipped.shape, scheduling::none}, why);
  }
  if (!kinds_.empty() || !others_.empty())
    for (const auto& lease : plan.leases) placed_.insert(lease.job);
  keep(most);
}

void unplaced_kinds::note(kind of, const cause& why) {
  add(kinds_[std::move(of)], why);
}

void unplaced_kinds::keep(std::size_t most) {
  if (kinds_.size() <= most) return;
  std::vector<std::uint64_t> sizes;
  sizes.reserve(kinds_.size());
  for (const auto& [of, causes] : kinds_) sizes.push_back(jobs_in(causes));
  const auto last = sizes.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::nth_element(sizes, last, std::ranges::greater{});
  // Kinds with as many jobs as the first one that has to go stay as long as there is room.
  const auto least = *last;
  auto left = most - static_cast<std::size_t>(
                         std::count_if(sizes.begin(), last, [&](auto n) { return n > least; }));
  std::map<model::queue_name, std::vector<cause>> dropped;
  std::erase_if(kinds_, [&](const auto& entry) {
    const auto jobs = jobs_in(entry.second);
    if (jobs > least || (jobs == least && left > 0 && left-- > 0)) return false;
    for (const auto& each : entry.second)
      add(dropped[entry.first.queue], {each.code, each.jobs, {}});
    return true;
  });
  for (auto& [queue, causes] : dropped) others_.try_emplace(queue, std::move(causes));
}

std::optional<reason> unplaced_kinds::find(const scheduling::snapshot& from,
                                           std::uint32_t number) const {
  const auto& t = from.data();
  const auto& job = t.jobs[number];
  if (placed_.contains(job.id)) return {};
  const auto lacks = lacks_members(t, job);
  kind of{model::queue_name{from.queue_name(job.queue)}, job.shape, job.gang_terms};
  if (const auto found = kinds_.find(of); found != kinds_.end())
    if (const auto why = chosen(found->second, job.id, lacks)) return why;
  if (std::exchange(of.gang_terms, scheduling::none) != scheduling::none)
    if (const auto found = kinds_.find(of); found != kinds_.end())
      if (chosen(found->second, job.id, lacks) == reason::job_does_not_fit)
        return reason::gang_does_not_fit;
  const auto found = others_.find(of.queue);
  return found == others_.end() ? std::nullopt : chosen(found->second, job.id, lacks);
}

void unplaced_kinds::renumber(const std::vector<scheduling::shape_id>& shapes) {
  for (auto& [of, causes] : std::exchange(kinds_, {})) {
    auto moved = of;
    moved.shape = shapes.at(of.shape);
    if (moved.shape != scheduling::none) kinds_.emplace(std::move(moved), std::move(causes));
  }
}

}  // namespace argosy::rounds
