// SPDX-License-Identifier: Apache-2.0
#include "messages/past/job_history.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace argosy::past {

namespace {

const model::job_record* find_job(const view::recovered_state& state, const ulid& job) {
  for (const auto& [name, queue] : state.queues)
    if (const auto* found = queue->find(job)) return found;
  return nullptr;
}

bool is_about(const std::vector<scheduling::lease>& leases, const ulid& job) {
  return std::ranges::find(leases, job, &scheduling::lease::job) != leases.end();
}

bool is_about(const std::vector<scheduling::preemption>& preemptions, const ulid& job) {
  return std::ranges::find(preemptions, job, &scheduling::preemption::job) != preemptions.end();
}

/// The clause without what follows from it, which is the same for every round.
std::string short_text(scheduling::reason code) {
  const std::string text{scheduling::sentence(code)};
  return text.substr(0, text.find("; "));
}

/// Returns nothing if the round says nothing of the job. `waits` is false if it had a run: then
/// what is said of equal jobs of its queue is not about it.
std::optional<cause_entry> entry_of(const past_cycle& cycle, const past_round& round,
                                    const ulid& job, bool waits) {
  cause_entry out{round.record.pool, {}, {}, 1, round.record.number, round.record.began_ns};
  if (is_about(round.plan.leases, job)) {
    out.code = "PLACED";
    out.why = "it got a place";
    return out;
  }
  if (is_about(round.plan.preemptions, job)) {
    out.code = "PREEMPTED";
    out.why = "it lost its place";
    return out;
  }
  const auto said =
      waits ? cycle.history->code_in(*cycle.fold, round.record.pool, job) : std::nullopt;
  if (!said) return {};
  out.code = to_string(*said);
  out.why = short_text(*said);
  return out;
}

cause_entry entry_of_all(const past_cycle& cycle, const model::job_record& job) {
  const auto& first = cycle.rounds.front().record;
  cause_entry out{{},           "NOT_LOOKED_AT", "no round looked at it", cycle.rounds.size(),
                  first.number, first.began_ns};
  if (job.live_run() != nullptr) {
    out.code = "RUNNING";
    out.why = "it had a run";
  } else if (job.hold) {
    out.code = model::code_of(*job.hold);
    out.why = is_held(job.hold) ? "it was held back" : job.hold->reason;
  } else if (!cycle.fold->find(job.header->id)) {
    out.why = "its gang lacked members, so that no round looked at it";
  }
  return out;
}

}  // namespace

std::vector<cause_entry> entries_of(const past_cycle& cycle, const view::recovered_state& state,
                                    const ulid& job) {
  const auto* record = find_job(state, job);
  if (record == nullptr || cycle.rounds.empty()) return {};
  std::vector<cause_entry> out;
  for (const auto& round : cycle.rounds)
    if (auto entry = entry_of(cycle, round, job, record->live_run() == nullptr))
      out.push_back(std::move(*entry));
  if (out.empty()) out.push_back(entry_of_all(cycle, *record));
  return out;
}

}  // namespace argosy::past
