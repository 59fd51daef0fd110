// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster_agent.hpp"

#include <memory>

#include "actors/caf_error.hpp"

namespace argosy::actors {

void cluster_agent::act(const ledger::send_orders& effect) {
  if (!executor_) return;
  self_
      ->request(executor_, request_timeout_, atom::orders_v,
                std::make_shared<const model::agent_orders>(effect.orders))
      .then([](atom::ok) {},
            [this](const caf::error& err) {
              logger_.warning("orders did not arrive", logging::kv("cluster", cluster_),
                              logging::kv("error", to_string(from_caf(err))));
            });
}

void cluster_agent::act(const ledger::acknowledge& effect) {
  const auto end = unanswered_.upper_bound(effect.ack.committed_sequence);
  for (auto it = unanswered_.begin(); it != end; ++it) it->second.deliver(effect.ack);
  unanswered_.erase(unanswered_.begin(), end);
}

caf::result<model::report_ack> cluster_agent::answer_later(std::uint64_t ticket) {
  auto promise = self_->make_response_promise<caf::typed_response_promise<model::report_ack>>();
  unanswered_.emplace(ticket, promise);
  return promise;
}

void cluster_agent::refuse_reports(model::incarnation incarnation) {
  for (auto& [ticket, promise] : unanswered_)
    promise.deliver(to_caf(
        {ec::conflict, "cluster '" + cluster_ + "' is at incarnation " + to_string(incarnation)}));
  unanswered_.clear();
}

caf::result<native::log_chunk_ptr> cluster_agent::read_log(
    const model::log_request& request) const {
  if (!executor_) return to_caf({ec::unavailable, "cluster '" + cluster_ + "' is not connected"});
  return self_->delegate(executor_, atom::read_log_v, request);
}

}  // namespace argosy::actors
