// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/round_view.hpp"

#include <utility>

#include "messages/rounds/label_note.hpp"

namespace argosy::rounds {

round_view::round_view(config_ptr common, std::map<std::string, config_ptr> by_pool)
    : common_(common), fold_(common, by_pool), history_(std::move(common), std::move(by_pool)) {}

void round_view::take(const view_step& step) {
  std::visit([this](const auto& what) { carry_out(what); }, step);
}

/// The COORDINATOR has told of errors.
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
  history_.keep_only(step.pools);
  trends_.keep_only(history_.pools(fold_));
  slowed_ = step.slowed;
}

void round_view::carry_out(const round_done& step) {
  const auto& pool = step.params.pool;
  history_.decided(pool, *step.plan, fold_.snapshot(), step.number, step.begun_ns);
  trends_.decided(pool, *step.plan, step.begun_ns, step.took_ns);
  static_cast<void>(fold_.decided(pool));
}

void round_view::carry_out(const native::round_settings_ptr& step) {
  common_ = step->common;
  history_.configure(step->common, step->pools);
  fold_.configure(step->common, step->pools);
}

std::string round_view::label_note(const std::vector<std::string>& labels) const {
  return rounds::label_note(fold_.snapshot(), *common_, labels);
}

}  // namespace argosy::rounds
