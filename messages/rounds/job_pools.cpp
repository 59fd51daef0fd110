// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/job_pools.hpp"

#include <algorithm>
#include <vector>

#include "runtime/scheduling/tables.hpp"

namespace argosy::rounds {

void job_pools::see_node(const scheduling::snapshot& in, const std::string& id) {
  const auto& numbers = in.data().node_numbers;
  if (const auto found = numbers.find(id); found != numbers.end()) eligible_.see(found->second);
}

/// A gang that a job joins or leaves has to be looked at again.
void job_pools::note_gang(const scheduling::snapshot& in, std::uint32_t job) {
  if (const auto gang = in.data().jobs[job].gang; gang != scheduling::none)
    changed_gangs_.insert(gang);
}

void job_pools::leaves(const scheduling::snapshot& in, const ulid& job) {
  if (const auto number = in.find_job(job)) note_gang(in, *number);
  unfit_.erase(job);
}

void job_pools::enters(scheduling::snapshot& in, const ulid& job, std::int64_t blocked_ns) {
  if (blocked_ns != 0) {
    unfit_[job].blocked_ns = blocked_ns;
    new_blocks_ = true;
  }
  changes(in, job);
}

void job_pools::changes(scheduling::snapshot& in, const ulid& job) {
  const auto number = in.find_job(job);
  if (!number) return;
  put(in, *number, eligible_.pools_of(in, in.job_shape(*number)));
  note_gang(in, *number);
}

void job_pools::put(scheduling::snapshot& in, std::uint32_t job, std::uint16_t pool_set) {
  const auto& t = in.data();
  const auto& record = t.jobs[job];
  const auto known = unfit_.find(record.id);
  const bool is_blocked = known != unfit_.end() && known->second.blocked_ns != 0;
  if (is_blocked) pool_set = scheduling::pool_set(in, {std::string{scheduling::no_pool}});
  put_in(in, job, pool_set);
  const auto& pools = t.pool_sets[pool_set];
  const bool is_unfit = pools.size() == 1 && t.pools.name(pools.front()) == scheduling::no_pool;
  if (record.has_run() || !is_unfit)
    unfit_.erase(record.id);
  else if (known == unfit_.end() || known->second.queue.empty())
    unfit_[record.id].queue = model::queue_name{in.job_queue(job)};
}

void job_pools::settle(scheduling::snapshot& in) {
  const auto changed = eligible_.settle(in);
  const auto& t = in.data();
  if (!changed.empty()) {
    std::vector<bool> is_changed(t.shapes.size());
    for (const auto shape : changed) is_changed[shape] = true;
    for (const auto& queue : t.queues)
      for (const auto& entry : queue.queued) {
        if (!is_changed[entry.shape]) continue;
        if (entry.gang == scheduling::none)
          put(in, entry.job, eligible_.pools_of(in, entry.shape));
        else
          changed_gangs_.insert(entry.gang);
      }
  }
  for (const auto gang : std::exchange(changed_gangs_, {})) {
    settle_gang(in, gang);
    told_gangs_.insert(gang);
  }
  if (!in.settled()) in.settle();
}

/// A gang starts in one pool, so that one is of use only if it could take all of them.
void job_pools::settle_gang(scheduling::snapshot& in, std::uint32_t gang) {
  const auto& t = in.data();
  std::set<std::uint16_t> sets;
  std::vector<std::uint32_t> waiting;
  for (const auto member : t.gangs[gang].members) {
    if (t.jobs[member].has_run()) continue;
    waiting.push_back(member);
    sets.insert(eligible_.pools_of(in, t.jobs[member].shape));
  }
  sets.erase(0);  // It stands for every pool.
  std::uint16_t common = 0;
  if (sets.size() == 1) common = *sets.begin();
  if (sets.size() > 1) {
    auto shared = t.pool_sets[*sets.begin()];
    for (const auto set : sets)
      std::erase_if(shared, [&](std::uint32_t pool) {
        return !std::ranges::binary_search(t.pool_sets[set], pool);
      });
    std::vector<std::string> names;
    for (const auto pool : shared) names.push_back(t.pools.name(pool));
    if (names.empty()) names.emplace_back(scheduling::no_pool);
    common = scheduling::pool_set(in, names);
  }
  for (const auto member : waiting) put(in, member, common);
}

bool job_pools::is_eligible(const scheduling::snapshot& in, const ulid& job,
                            const model::pool_name& pool) const {
  const auto found = in.find_job(job);
  if (!found) return false;
  const auto& t = in.data();
  const auto& pools = t.pool_sets[t.jobs[*found].pools];
  return pools.empty() || std::ranges::binary_search(pools, t.pools.find(pool));
}

bool job_pools::could_run(const scheduling::snapshot& in, const ulid& job) const {
  const auto found = in.find_job(job);
  if (!found) return true;
  const auto& t = in.data();
  const auto& record = t.jobs[*found];
  if (record.gang == scheduling::none) return eligible_.is_taken(record.shape);
  return std::ranges::all_of(t.gangs[record.gang].members, [&](std::uint32_t member) {
    return t.jobs[member].has_run() || eligible_.is_taken(t.jobs[member].shape);
  });
}

}  // namespace argosy::rounds
