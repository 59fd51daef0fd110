// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/retry/runs_in_vain.hpp"

#include <algorithm>

#include "runtime/ledger/queue/job_rules.hpp"

namespace argosy::ledger {

namespace {

using model::job_record;
using model::run_record;

bool is_in_vain(const run_record& run) {
  return run.state == model::run_state::lease_returned && run.started_ns == 0 &&
         (run.outcome.reason == model::reason_cluster_refused ||
          run.outcome.reason == reason_recalled);
}

}  // namespace

void leave_out_runs(job_record& record) {
  constexpr std::ptrdiff_t in_vain_max = 16;
  auto& runs = record.runs;
  const auto others = std::find_if_not(runs.rbegin(), runs.rend(), &is_in_vain);
  const auto first = others.base();
  if (runs.end() - first < 2) return;
  const auto& last = runs.back();
  const auto before = runs.end() - 2;
  if (before->cluster == last.cluster && before->outcome.reason == last.outcome.reason)
    runs.erase(before);
  else if (runs.end() - first > in_vain_max)
    runs.erase(first);
}

std::uint32_t left_out_before(const job_record& record, std::size_t run) noexcept {
  const auto next = run == 0 ? 1 : record.runs[run - 1].number + 1;
  return record.runs[run].number - std::min(next, record.runs[run].number);
}

std::string note_left_out(const job_record& record, std::size_t run) {
  const auto count = left_out_before(record, run);
  if (count == 0) return {};
  return std::to_string(count) + (count == 1 ? " run" : " runs") +
         " before it came back in the same way and left no record";
}

}  // namespace argosy::ledger
