// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/retention.hpp"

namespace argosy::ledger {

std::optional<model::event> expire_due(const retention_config& config, const oldest_kept& oldest,
                                       std::int64_t now_ns) {
  model::history_expired limits;
  limits.events_before_ns = now_ns - config.events.count();
  limits.jobs_before_ns = now_ns - config.jobs.count();
  limits.client_ids_before_ns = now_ns - config.client_ids.count();
  limits.records_max = config.records_max;
  limits.audit_before_ns = now_ns - config.audit.count();
  if (oldest.audit_last >= config.audit_records_max)
    limits.audit_below = oldest.audit_last - config.audit_records_max + 1;
  const auto due = [](const std::optional<std::int64_t>& time, std::int64_t before) {
    return time && *time < before;
  };
  if (!due(oldest.events_ns, limits.events_before_ns) &&
      !due(oldest.rounds_ns, limits.events_before_ns) &&
      !due(oldest.jobs_ns, limits.jobs_before_ns) &&
      !due(oldest.client_ids_ns, limits.client_ids_before_ns) &&
      !due(oldest.audit_ns, limits.audit_before_ns) && oldest.audit_first >= limits.audit_below)
    return std::nullopt;
  return model::event{now_ns, {}, limits};
}

}  // namespace argosy::ledger
