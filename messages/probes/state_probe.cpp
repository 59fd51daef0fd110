// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/state_probe.hpp"

namespace argosy::probes {

void queue_share::show(const ledger::queue_core& core) noexcept {
  const auto count = [&](model::job_state state) {
    return static_cast<std::int64_t>(core.count(state));
  };
  queued_.set(count(model::job_state::queued));
  leased_.set(count(model::job_state::leased));
  pending_.set(count(model::job_state::pending));
  running_.set(count(model::job_state::running));
}

metrics::figure_list queue_share::figures(const ledger::queue_core& core) const {
  const auto count = [&](model::job_state state) { return static_cast<double>(core.count(state)); };
  return {{"queue", core.name()},
          {"exists", core.exists() ? 1.0 : 0.0},
          {"client ids", static_cast<double>(core.client_id_count())},
          {"jobs queued", count(model::job_state::queued)},
          {"jobs leased", count(model::job_state::leased)},
          {"jobs pending", count(model::job_state::pending)},
          {"jobs running", count(model::job_state::running)}};
}

void node_share::show(ledger::node_state state) noexcept {
  const auto at = static_cast<std::size_t>(state);
  for (std::size_t i = 0; i < by_state_.size(); ++i) by_state_[i].set(i == at ? 1 : 0);
}

}  // namespace argosy::probes
