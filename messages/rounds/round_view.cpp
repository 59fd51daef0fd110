// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/round_view.hpp"

#include <utility>

#include "messages/rounds/label_note.hpp"
#include "messages/rounds/unfit_jobs.hpp"

namespace argosy::rounds {

round_view::round_view(config_ptr common, std::map<std::string, config_ptr> by_pool)
    : common_(common), fold_(common, by_pool), history_(std::move(common), std::move(by_pool)) {}

void round_view::take(const view_step& step) {
  std::visit([this](const auto& what) { carry_out(what); }, step);
}

/// Drops the errors, which the COORDINATOR has logged.
void round_view::carry_out(const native::queue_delta_ptr& step) {
  history_.set_silent(step->queue, {});
  static_cast<void>(fold_.fold(*step));
}

void round_view::carry_out(const queue_left& step) {
  static_cast<void>(fold_.set_aside(step.queue, step.part ? *step.part : ledger::place_request{}));
  history_.set_silent(step.queue, step.why);
}

void round_view::carry_out(const cut_settled& step) {
  for (const auto& numbers : fold_.settle_for_round()) history_.renumber(numbers);
  // Only the COORDINATOR judges gangs that have changed; here their list would grow.
  static_cast<void>(fold_.placing().take_changed_gangs());
  history_.keep_only(step.pools);
  trends_.keep_only(history_.pools(fold_));
  slowed_ = step.slowed;
}

void round_view::carry_out(const round_done& step) {
  const model::pool_name pool{step.params.pool};
  const auto begun_ns = step.params.round_time_ns;
  history_.decided(pool, *step.plan, fold_.snapshot(), step.number, begun_ns);
  trends_.decided(pool, *step.plan, begun_ns, step.took_ns);
  static_cast<void>(fold_.decided(pool));
}

void round_view::carry_out(const native::round_settings_ptr& step) {
  common_ = step->common;
  history_.configure(step->common, step->pools);
  fold_.configure(step->common, step->pools);
}

std::string round_view::note(const std::vector<std::shared_ptr<const model::job_header>>& jobs,
                             const ledger::unfit_rules& rules) const {
  const auto of_labels = label_note(fold_.snapshot(), *common_, labels_of(jobs));
  const auto of_jobs = unfit_note(fold_, history_.configs(), rules, jobs);
  return of_labels + (of_labels.empty() || of_jobs.empty() ? "" : "; ") + of_jobs;
}

}  // namespace argosy::rounds
