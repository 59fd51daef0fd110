// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/retention.hpp"

#include <algorithm>
#include <utility>

#include "runtime/base/check.hpp"

namespace argosy::ledger {

namespace {

using span = kept_by_state::span;

/// How specific a rule is for the queue; nothing when it is for others.
std::optional<std::size_t> specificity(std::string_view rule, std::string_view queue) {
  if (rule == queue) return rule.size() + 1;
  if (!rule.ends_with('*')) return std::nullopt;
  rule.remove_suffix(1);
  return queue.starts_with(rule) ? std::optional{rule.size()} : std::nullopt;
}

/// What the rule says of the state.
const span& said(const queue_retention& rule, model::job_state state) {
  const auto& of_state = rule.by_state.of(state);
  return of_state ? of_state : rule.all;
}

std::vector<model::ended_before> ended_due(const retention_config& config,
                                           const std::vector<oldest_ended>& oldest,
                                           std::int64_t now_ns) {
  std::vector<model::ended_before> out;
  for (const auto& one : oldest) {
    const auto before_ns = now_ns - kept_for(config, one.queue, one.state).count();
    if (one.time_ns >= before_ns) continue;
    out.push_back({one.queue, one.state, before_ns});
    if (out.size() == ended_limits_max) break;
  }
  return out;
}

}  // namespace

const span& kept_by_state::of(model::job_state state) const {
  switch (state) {
    case model::job_state::succeeded:
      return succeeded;
    case model::job_state::failed:
      return failed;
    case model::job_state::preempted:
      return preempted;
    case model::job_state::cancelled:
      return cancelled;
    default:
      ARGOSY_CHECK(state == model::job_state::rejected);
      return rejected;
  }
}

std::chrono::nanoseconds kept_for(const retention_config& config, std::string_view queue,
                                  model::job_state state) {
  const span* best = nullptr;
  std::size_t best_rank = 0;
  for (const auto& rule : config.jobs_by_queue) {
    const auto rank = specificity(rule.pattern, queue);
    if (!rank || !said(rule, state) || (best != nullptr && *rank <= best_rank)) continue;
    best = &said(rule, state);
    best_rank = *rank;
  }
  if (best != nullptr) return **best;
  return config.jobs_by_state.of(state).value_or(config.jobs);
}

std::chrono::nanoseconds shortest_kept(const retention_config& config) {
  auto out = std::min({config.events, config.jobs, config.client_ids, config.audit});
  const auto take = [&out](const span& one) { out = std::min(out, one.value_or(out)); };
  const auto take_all = [&take](const kept_by_state& spans) {
    for (const auto* one :
         {&spans.succeeded, &spans.failed, &spans.preempted, &spans.cancelled, &spans.rejected})
      take(*one);
  };
  take_all(config.jobs_by_state);
  for (const auto& rule : config.jobs_by_queue) {
    take(rule.all);
    take_all(rule.by_state);
  }
  return out;
}

std::optional<model::event> expire_due(const retention_config& config, const oldest_kept& oldest,
                                       std::int64_t now_ns, std::vector<std::uint64_t> surplus) {
  model::history_expired limits;
  limits.events_before_ns = now_ns - config.events.count();
  limits.ended = ended_due(config, oldest.ended, now_ns);
  limits.client_ids_before_ns = now_ns - config.client_ids.count();
  limits.records_max = config.records_max;
  limits.audit_before_ns = now_ns - config.audit.count();
  limits.audit_numbers = std::move(surplus);
  const auto due = [](const std::optional<std::int64_t>& time, std::int64_t before) {
    return time && *time < before;
  };
  if (!due(oldest.events_ns, limits.events_before_ns) &&
      !due(oldest.rounds_ns, limits.events_before_ns) && limits.ended.empty() &&
      !due(oldest.client_ids_ns, limits.client_ids_before_ns) &&
      !due(oldest.audit_ns, limits.audit_before_ns) && limits.audit_numbers.empty())
    return std::nullopt;
  return model::event{now_ns, {}, std::move(limits)};
}

bool may_be_too_many_calls(const retention_config& config, const oldest_kept& oldest) noexcept {
  return oldest.audit_first != 0 &&
         oldest.audit_last - oldest.audit_first >= config.audit_records_max;
}

}  // namespace argosy::ledger
