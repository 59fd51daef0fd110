// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/retry/return_causes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/ledger/health/closures.hpp"
#include "runtime/ledger/retry/retry_shape.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::ledger {

namespace {

using model::return_cause;
using model::run_phase;

/// A row says what an agent's word for a refused run means for the job: the run comes back for a
/// cause, or nothing if the job is to blame and fails, since it would be refused again everywhere.
struct refusal_row {
  std::string_view reason;
  std::optional<return_cause> cause;
};
constexpr std::array refusals{
    refusal_row{model::reason_backend_error, return_cause::refused_by_node},
    refusal_row{model::reason_cluster_refused, return_cause::refused_by_cluster},
    refusal_row{model::reason_refused_here, return_cause::refused_here},
    refusal_row{model::reason_unsupported, std::nullopt},
    refusal_row{model::reason_user_not_allowed, std::nullopt},
    refusal_row{model::reason_submission_refused, std::nullopt},
    refusal_row{model::reason_quota_exceeded, std::nullopt},
};

/// A run that ended by one of these was ended by somebody else than its job and its user.
constexpr std::array<std::string_view, 6> disruptions{
    model::reason_evicted,       model::reason_evicted_on_request, model::reason_displaced,
    model::reason_node_shutdown, model::reason_node_gone,          model::reason_deleted};

}  // namespace

bool names_nodes(const model::job_shape& shape) {
  const auto avoids = [](const model::affinity_rule& rule) {
    return rule.operation == model::affinity_rule::op::not_in && rule.key == avoided_node_label;
  };
  return !shape.node_selector.empty() || std::ranges::any_of(shape.affinity, [&](const auto& term) {
    return !std::ranges::all_of(term, avoids);
  });
}

std::optional<return_cause> return_cause_of(const model::run_report& report,
                                            const model::job_record& record) {
  if (report.phase != run_phase::refused) return return_cause::unstarted;
  if (is_refused_to_all(report)) return return_cause::refused_to_all;
  const auto* const row = std::ranges::find(refusals, report.outcome.reason, &refusal_row::reason);
  if (row == refusals.end()) return return_cause::unstarted;
  // A job that may go to few nodes would wait for ever if it avoided them one by one.
  if (row->cause == return_cause::refused_here && report.outcome.reach.empty() &&
      names_nodes(*record.header->shape))
    return return_cause::refused_by_cluster;
  return row->cause;
}

bool is_disruption(const model::run_report& report) {
  const bool ended = report.phase == run_phase::failed || report.phase == run_phase::refused;
  return ended && std::ranges::find(disruptions, report.outcome.reason) != disruptions.end();
}

bool is_refusal_of_run(const model::run_report& report) {
  return report.phase == run_phase::refused && model::is_refusal_of_run(report.outcome.category);
}

}  // namespace argosy::ledger
