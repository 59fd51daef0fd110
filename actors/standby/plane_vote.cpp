// SPDX-License-Identifier: Apache-2.0
#include "actors/standby/plane_vote.hpp"

#include <algorithm>

#include "runtime/logging/logger.hpp"

namespace argosy::actors {

namespace {

const logging::logger vote_logger{"standby"};

}  // namespace

ledger::binding_answer plane_vote::answer(const ledger::binding_question& question,
                                          const model::record_name& end, bool hears_leader) {
  ledger::binding_answer out{plane_, question.epoch, false, hears_leader, {}, end};
  const auto next = ledger::bound_by(bound_, question);
  // The store may have records of a claim that this plane was never bound to.
  if (!hears_leader && next && question.epoch > end.epoch) {
    const auto kept = keep_(*next);
    if (kept) {
      bound_ = *next;
      drop();
      out.is_bound = true;
    } else {
      vote_logger.error("this plane cannot bind itself, since that is not kept",
                        logging::kv("error", kept.error().detail));
    }
  }
  out.highest = std::max(bound_.epoch, end.epoch);
  return out;
}

result<void> plane_vote::begin(const model::record_name& end, std::vector<ledger::plane_set> sets,
                               model::epoch highest) {
  const auto epoch = std::max({end.epoch, bound_.epoch, highest, highest_}).next();
  const ledger::plane_binding next{epoch, plane_};
  if (auto kept = keep_(next); !kept) return kept;
  bound_ = next;
  round_.emplace(plane_, epoch, end, std::move(sets));
  return {};
}

ledger::claim_progress plane_vote::take(const ledger::binding_answer& answer) {
  highest_ = std::max({highest_, answer.highest, answer.end.epoch});
  if (!round_) return ledger::claim_progress::refused;
  return round_->take(answer);
}

model::epoch plane_vote::granted(const model::record_name& end) const {
  const bool holds = round_ && round_->progress() == ledger::claim_progress::granted &&
                     round_->epoch() == bound_.epoch && !ledger::is_farther(round_->end(), end);
  return holds ? round_->epoch() : model::epoch{};
}

}  // namespace argosy::actors
