// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/between/carry_over.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/scheduling/between/usage.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

using kind = model::carried_entry::kind;

double carry_over::usage::at(const config& conf, std::int64_t now_ns) const {
  const std::chrono::nanoseconds elapsed{std::max<std::int64_t>(0, now_ns - since_ns)};
  const std::chrono::nanoseconds half_time{conf.usage_half_time_ns};
  return decay_usage(conf.usage_decay, priority, cores, elapsed, half_time);
}

double carry_over::slowed_of(const std::string& queue) const {
  const auto found = slowed_.find(queue);
  return found == slowed_.end() ? 0 : found->second;
}

void carry_over::slow(const config& conf, const std::map<std::string, double>& by,
                      std::int64_t now_ns) {
  slowed_ = by;
  for (auto& [queue, bucket] : queues_) {
    const auto slowed = slowed_of(queue);
    if (slowed == bucket.slowed) continue;
    // The tokens of the time until now have come at the former rate.
    bucket.refill(conf.queue_rate, conf.queue_burst, now_ns);
    bucket.tokens.take(0);
    bucket.slowed = slowed;
    changed_.insert({.what = kind::queue_tokens, .name = queue});
  }
  slow_resources(conf, now_ns);
}

void carry_over::open(const config& conf, round_params& params) {
  const auto now = params.round_time_ns;
  auto& pool = pools_[params.pool];
  params.tokens = global_.refill(conf.rate, conf.burst, now);
  params.preemption_tokens =
      pool.preemptions.refill(conf.preemption_rate, conf.preemption_burst, now);
  params.queue_tokens.clear();
  for (auto at = queues_.begin(); at != queues_.end();) {
    const auto level = at->second.refill(conf.queue_rate, conf.queue_burst, now);
    if (level >= conf.queue_burst) {
      changed_.insert({.what = kind::queue_tokens, .name = at->first});
      at = queues_.erase(at);  // A full bucket is like one that is not there.
      continue;
    }
    params.queue_tokens.emplace_back(at->first, level);
    ++at;
  }
  open_resources(conf, params);
  open_penalties(params, pool);
  open_usage(conf, params, pool);
}

void carry_over::open_penalties(round_params& params, pool_state& pool) {
  params.penalties.clear();
  for (auto at = pool.penalties.begin(); at != pool.penalties.end();) {
    if (at->second.until_ns <= params.round_time_ns) {
      changed_.insert({.what = kind::penalty, .pool = params.pool, .job = at->first});
      at = pool.penalties.erase(at);
      continue;
    }
    params.penalties.emplace_back(at->second.queue, at->second.amounts);
    ++at;
  }
}

void carry_over::open_usage(const config& conf, round_params& params, pool_state& pool) {
  params.usage_priority.clear();
  if (!conf.usage_priority) return;
  for (auto at = pool.usages.begin(); at != pool.usages.end();) {
    auto& used = at->second;
    const auto priority = used.at(conf, params.round_time_ns);
    const key name{.what = kind::usage, .pool = params.pool, .name = at->first};
    // The literal form has another value when time passes in two steps.
    if (conf.usage_decay == usage_form::literal) {
      used = {priority, used.cores, params.round_time_ns};
      changed_.insert(name);
    }
    if (priority <= usage_priority_floor && used.cores <= 0) {
      changed_.insert(name);
      at = pool.usages.erase(at);
      continue;
    }
    params.usage_priority.emplace_back(at->first, priority);
    ++at;
  }
}

/// From now on the queue uses so many cores.
void carry_over::use(const config& conf, const std::string& pool, const std::string& queue,
                     double cores, std::int64_t now_ns) {
  auto& used = pools_[pool].usages[queue];
  if (used.cores == cores) return;
  used = {used.at(conf, now_ns), cores, now_ns};
  changed_.insert({.what = kind::usage, .pool = pool, .name = queue});
}

void carry_over::rest(const std::vector<std::string>& busy,
                      absl::FunctionRef<const config&(const std::string&)> conf_of,
                      std::int64_t now_ns) {
  for (auto& [name, pool] : pools_) {
    if (pool.usages.empty() || std::find(busy.begin(), busy.end(), name) != busy.end()) continue;
    for (auto& [queue, used] : pool.usages) use(conf_of(name), name, queue, 0, now_ns);
  }
}

std::vector<std::string> carry_over::in_turn(std::vector<std::string> pools) {
  has_taker_ = false;
  std::ranges::sort(pools);
  std::ranges::rotate(pools, std::ranges::upper_bound(pools, first_taker_));
  return pools;
}

std::optional<std::int64_t> carry_over::first_penalty_end(const std::string& pool) const {
  std::optional<std::int64_t> first;
  const auto found = pools_.find(pool);
  if (found == pools_.end()) return first;
  for (const auto& [job, entry] : found->second.penalties)
    first = first ? std::min(*first, entry.until_ns) : entry.until_ns;
  return first;
}

void carry_over::close(const config& conf, const round_params& params, const plan& decided) {
  if (!decided.error.empty() || !decided.violation.empty()) return;
  auto& pool = pools_[params.pool];
  bool took = false;
  if (decided.tokens_used != 0 && std::isfinite(conf.rate)) {
    took = true;
    global_.take(static_cast<double>(decided.tokens_used));
    changed_.insert({.what = kind::start_tokens});
  }
  if (decided.preemption_tokens_used != 0 && std::isfinite(conf.preemption_rate)) {
    pool.preemptions.take(static_cast<double>(decided.preemption_tokens_used));
    changed_.insert({.what = kind::preemption_tokens, .pool = params.pool});
  }
  took = close_resources(conf, params.round_time_ns, decided) || took;
  std::map<std::string_view, double> cores;
  for (const auto& queue : decided.queues) {
    if (queue.tokens_used != 0 && std::isfinite(conf.queue_burst)) {
      took = true;
      const auto [at, full] = queues_.try_emplace(queue.name);
      // The other buckets are filled up to this round's time or a later one.
      if (full) {
        at->second.slowed = slowed_of(queue.name);
        at->second.refill(conf.queue_rate, conf.queue_burst, params.round_time_ns);
      }
      at->second.tokens.take(static_cast<double>(queue.tokens_used));
      changed_.insert({.what = kind::queue_tokens, .name = queue.name});
    }
    if (conf.usage_priority && queue.usage_cores > 0) cores[queue.name] = queue.usage_cores;
  }
  if (took && !std::exchange(has_taker_, true)) first_taker_ = params.pool;
  for (const auto& [queue, used] : pool.usages)
    if (!cores.contains(queue)) use(conf, params.pool, queue, 0, params.round_time_ns);
  for (const auto& [queue, used] : cores)
    use(conf, params.pool, std::string{queue}, used, params.round_time_ns);
  if (conf.short_job_cutoff_ns == 0) return;
  for (const auto& lease : decided.leases)
    if (preempted_.erase(lease.job) != 0)
      changed_.insert({.what = kind::preempted, .job = lease.job});
  for (const auto& lost : decided.preemptions)
    if (preempted_.insert(lost.job).second)
      changed_.insert({.what = kind::preempted, .job = lost.job});
}

void carry_over::leaves(const snapshot& from, const config& conf, const ulid& job,
                        std::int64_t now_ns) {
  if (conf.short_job_cutoff_ns == 0) return;
  if (preempted_.erase(job) != 0) {
    changed_.insert({.what = kind::preempted, .job = job});
    return;
  }
  const auto& t = from.data();
  const auto found = t.job_numbers.find(job);
  if (found == t.job_numbers.end()) return;
  const auto& record = t.jobs[found->second];
  if (!record.has_run()) return;
  penalty entry;
  entry.until_ns = record.created_ns + conf.short_job_cutoff_ns;
  if (entry.until_ns <= now_ns) return;
  entry.queue = t.queues[record.queue].name;
  const auto* request = t.amounts(record.shape);
  for (std::uint32_t d = 0; d < t.dims; ++d)
    if (request[d] != 0) entry.amounts.emplace_back(t.dim_names[d], request[d]);
  if (entry.amounts.empty()) return;
  std::ranges::sort(entry.amounts);
  const auto& pool = t.pools.name(record.run_pool);
  pools_[pool].penalties.insert_or_assign(job, std::move(entry));
  changed_.insert({.what = kind::penalty, .pool = pool, .job = job});
}

std::vector<model::carried_entry> carry_over::take_changes(std::size_t count_max) {
  std::vector<model::carried_entry> out;
  while (!changed_.empty() && out.size() < count_max)
    out.push_back(entry_of(changed_.extract(changed_.begin()).value()));
  return out;
}

model::carried_entry carry_over::entry_of(const key& which) const {
  model::carried_entry out{which.what, model::pool_name{which.pool}, which.name, which.job};
  out.resource = which.resource;
  out.gone = true;
  const auto pool = pools_.find(which.pool);
  const auto set_bucket = [&](const token_bucket& bucket) {
    out.gone = false;
    out.level = bucket.level();
    out.time_ns = bucket.time_ns();
  };
  switch (which.what) {
    case kind::start_tokens:
      set_bucket(global_);
      break;
    case kind::queue_tokens:
      if (const auto at = queues_.find(which.name); at != queues_.end()) {
        set_bucket(at->second.tokens);
        out.slowed = at->second.slowed;
      }
      break;
    case kind::start_resources:
      if (const auto at = resources_.find(which.resource); at != resources_.end())
        set_bucket(at->second);
      break;
    case kind::queue_resources:
      if (const auto at = queue_resources_.find({which.name, which.resource});
          at != queue_resources_.end()) {
        set_bucket(at->second.tokens);
        out.slowed = at->second.slowed;
      }
      break;
    case kind::preemption_tokens:
      set_bucket(pool->second.preemptions);
      break;
    case kind::usage:
      if (const auto at = pool->second.usages.find(which.name); at != pool->second.usages.end()) {
        out.gone = false;
        out.level = at->second.priority;
        out.cores = at->second.cores;
        out.time_ns = at->second.since_ns;
      }
      break;
    case kind::penalty:
      if (const auto at = pool->second.penalties.find(which.job);
          at != pool->second.penalties.end()) {
        out.gone = false;
        out.name = at->second.queue;
        out.time_ns = at->second.until_ns;
        out.amounts = at->second.amounts;
      }
      break;
    case kind::preempted:
      out.gone = !preempted_.contains(which.job);
      break;
    case kind::node_health:
    case kind::queue_health:
    case kind::closed_node:
      break;  // They are of ledger::health_core and closed_nodes.
  }
  return out;
}

void carry_over::restore(const model::carried_entry& entry) {
  if (entry.gone) return;
  switch (entry.what) {
    case kind::start_tokens:
      global_ = {entry.level, entry.time_ns};
      break;
    case kind::queue_tokens:
      queues_[entry.name] = {{entry.level, entry.time_ns}, entry.slowed};
      break;
    case kind::start_resources:
      resources_[entry.resource] = {entry.level, entry.time_ns};
      break;
    case kind::queue_resources:
      queue_resources_[{entry.name, entry.resource}] = {{entry.level, entry.time_ns}, entry.slowed};
      break;
    case kind::preemption_tokens:
      pools_[entry.pool].preemptions = {entry.level, entry.time_ns};
      break;
    case kind::usage:
      pools_[entry.pool].usages[entry.name] = {entry.level, entry.cores, entry.time_ns};
      break;
    case kind::penalty:
      pools_[entry.pool].penalties[entry.job] = {entry.name, entry.time_ns, entry.amounts};
      break;
    case kind::preempted:
      preempted_.insert(entry.job);
      break;
    case kind::node_health:
    case kind::queue_health:
    case kind::closed_node:
      break;
  }
}

}  // namespace argosy::scheduling
