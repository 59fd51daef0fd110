// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/carry_over.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

double token_bucket::refill(double rate, double burst, std::int64_t now_ns) {
  if (!opened_ || std::isinf(rate)) {
    level_ = burst;
  } else if (now_ns > last_ns_) {
    const auto seconds = static_cast<double>(now_ns - last_ns_) * 1e-9;
    level_ = std::min(burst, level_ + rate * seconds);
  }
  level_ = std::min(level_, burst);
  opened_ = true;
  last_ns_ = now_ns;
  return level_;
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
      at = queues_.erase(at);  // A full bucket is like one that is not there.
      continue;
    }
    params.queue_tokens.emplace_back(at->first, level);
    ++at;
  }
  open_penalties(params, pool);
  open_usage(conf, params, pool);
}

void carry_over::open_penalties(round_params& params, pool_state& pool) {
  std::erase_if(pool.penalties,
                [&](const penalty& entry) { return entry.until_ns <= params.round_time_ns; });
  params.penalties.clear();
  for (const auto& entry : pool.penalties)
    params.penalties.emplace_back(entry.queue, entry.amounts);
}

void carry_over::decay(const config& conf, pool_state& pool, std::int64_t now_ns) {
  const std::chrono::nanoseconds elapsed{std::max<std::int64_t>(0, now_ns - pool.usage_time_ns)};
  const std::chrono::nanoseconds half_time{conf.usage_half_time_ns};
  for (auto& [queue, used] : pool.usages)
    used.priority = decay_usage(conf.usage_decay, used.priority, used.cores, elapsed, half_time);
  std::erase_if(pool.usages, [](const auto& entry) {
    return entry.second.priority <= usage_priority_floor && entry.second.cores <= 0;
  });
  pool.usage_time_ns = now_ns;
}

void carry_over::open_usage(const config& conf, round_params& params, pool_state& pool) {
  params.usage_priority.clear();
  if (!conf.usage_priority) return;
  decay(conf, pool, params.round_time_ns);
  for (const auto& [queue, used] : pool.usages)
    params.usage_priority.emplace_back(queue, used.priority);
}

void carry_over::rest(const std::vector<std::string>& busy,
                      absl::FunctionRef<const config&(const std::string&)> conf_of,
                      std::int64_t now_ns) {
  for (auto& [name, pool] : pools_) {
    if (pool.usages.empty() || std::find(busy.begin(), busy.end(), name) != busy.end()) continue;
    decay(conf_of(name), pool, now_ns);
    for (auto& [queue, used] : pool.usages) used.cores = 0;
  }
}

std::optional<std::int64_t> carry_over::first_penalty_end(const std::string& pool) const {
  std::optional<std::int64_t> first;
  const auto found = pools_.find(pool);
  if (found == pools_.end()) return first;
  for (const auto& entry : found->second.penalties)
    first = first ? std::min(*first, entry.until_ns) : entry.until_ns;
  return first;
}

void carry_over::close(const config& conf, const round_params& params, const plan& decided) {
  if (!decided.error.empty() || !decided.violation.empty()) return;
  auto& pool = pools_[params.pool];
  global_.take(static_cast<double>(decided.tokens_used));
  pool.preemptions.take(static_cast<double>(decided.preemption_tokens_used));
  for (auto& [name, used] : pool.usages) used.cores = 0;
  for (const auto& queue : decided.queues) {
    if (queue.tokens_used != 0 && std::isfinite(conf.queue_burst)) {
      const auto [at, full] = queues_.try_emplace(queue.name);
      // The other buckets are filled up to this round's time or a later one.
      if (full) at->second.refill(conf.queue_rate, conf.queue_burst, params.round_time_ns);
      at->second.take(static_cast<double>(queue.tokens_used));
    }
    if (conf.usage_priority && queue.usage_cores > 0)
      pool.usages[queue.name].cores = queue.usage_cores;
  }
  if (conf.short_job_cutoff_ns == 0) return;
  for (const auto& lease : decided.leases) preempted_.erase(lease.job);
  for (const auto& lost : decided.preemptions) preempted_.insert(lost.job);
}

void carry_over::leaves(const snapshot& from, const config& conf, const ulid& job,
                        std::int64_t now_ns) {
  if (conf.short_job_cutoff_ns == 0 || preempted_.erase(job) != 0) return;
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
  pools_[t.pools.name(record.run_pool)].penalties.push_back(std::move(entry));
}

}  // namespace argosy::scheduling
