// SPDX-License-Identifier: Apache-2.0
// This file defines how the tokens of resources are carried over from round to round.
#include <limits>
#include <utility>

#include "runtime/scheduling/between/carry_over.hpp"

namespace argosy::scheduling {

using kind = model::carried_entry::kind;

namespace {

const double* number_of(const fraction_list& of, const std::string& resource) {
  for (const auto& [name, number] : of)
    if (name == resource) return &number;
  return nullptr;
}

struct filled {
  double level = 0;
  bool full = true;  ///< Such a bucket is like one that is not there.
};

/// Brings the bucket of a resource up to this time. What is configured is in units, and the bucket
/// in steps.
template <class Bucket>
filled refill(const fraction_list& rates, const fraction_list& bursts, const config& conf,
              const std::string& resource, Bucket& bucket, std::int64_t now_ns) {
  const auto* burst = number_of(bursts, resource);
  if (burst == nullptr) return {};
  const auto steps = steps_of_unit(conf, resource);
  const auto* rate = number_of(rates, resource);
  const auto level =
      bucket.refill(rate == nullptr ? std::numeric_limits<double>::infinity() : *rate * steps,
                    *burst * steps, now_ns);
  return {level, level >= *burst * steps};
}

}  // namespace

void carry_over::slow_resources(const config& conf, std::int64_t now_ns) {
  for (auto& [of, bucket] : queue_resources_) {
    const auto& [queue, resource] = of;
    const auto slowed = slowed_of(queue);
    if (slowed == bucket.slowed) continue;
    refill(conf.queue_resource_rate, conf.queue_resource_burst, conf, resource, bucket, now_ns);
    bucket.tokens.take(0);
    bucket.slowed = slowed;
    changed_.insert({.what = kind::queue_resources, .name = queue, .resource = resource});
  }
}

void carry_over::open_resources(const config& conf, round_params& params) {
  const auto now = params.round_time_ns;
  params.resource_tokens.clear();
  for (auto at = resources_.begin(); at != resources_.end();) {
    auto& [resource, bucket] = *at;
    const auto [level, full] =
        refill(conf.resource_rate, conf.resource_burst, conf, resource, bucket, now);
    if (full) {
      changed_.insert({.what = kind::start_resources, .resource = resource});
      at = resources_.erase(at);
      continue;
    }
    params.resource_tokens.emplace_back(resource, level);
    ++at;
  }
  auto& all = params.queue_resource_tokens;
  all.clear();
  for (auto at = queue_resources_.begin(); at != queue_resources_.end();) {
    const auto& [queue, resource] = at->first;
    const auto [level, full] = refill(conf.queue_resource_rate, conf.queue_resource_burst, conf,
                                      resource, at->second, now);
    if (full) {
      changed_.insert({.what = kind::queue_resources, .name = queue, .resource = resource});
      at = queue_resources_.erase(at);
      continue;
    }
    if (all.empty() || all.back().first != queue) all.push_back({queue, {}});
    all.back().second.emplace_back(resource, level);
    ++at;
  }
}

bool carry_over::close_resources(const config& conf, std::int64_t now_ns, const plan& decided) {
  bool took = false;
  for (std::size_t d = 0; d < decided.resources.size(); ++d) {
    const auto& resource = decided.resources[d];
    double sum = 0;
    for (const auto& queue : decided.queues) {
      if (d >= queue.resources_taken.size() || queue.resources_taken[d] == 0) continue;
      const auto taken = static_cast<double>(queue.resources_taken[d]);
      sum += taken;
      if (number_of(conf.queue_resource_burst, resource) == nullptr) continue;
      const auto [at, full] = queue_resources_.try_emplace({queue.name, resource});
      if (full) {
        at->second.slowed = slowed_of(queue.name);
        refill(conf.queue_resource_rate, conf.queue_resource_burst, conf, resource, at->second,
               now_ns);
      }
      at->second.tokens.take(taken);
      took = true;
      changed_.insert({.what = kind::queue_resources, .name = queue.name, .resource = resource});
    }
    if (sum == 0 || number_of(conf.resource_burst, resource) == nullptr) continue;
    const auto [at, full] = resources_.try_emplace(resource);
    if (full) refill(conf.resource_rate, conf.resource_burst, conf, resource, at->second, now_ns);
    at->second.take(sum);
    took = true;
    changed_.insert({.what = kind::start_resources, .resource = resource});
  }
  return took;
}

}  // namespace argosy::scheduling
