// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/start_orders.hpp"

#include <memory>
#include <utility>

#include "messages/native/job_spans.hpp"

namespace argosy::rounds {

native::place_reply_ptr start_orders(const ledger::place_reply& placed,
                                     const start_occasion& occasion) {
  auto out = std::make_shared<native::place_reply>();
  out->position = occasion.position;
  out->refused = placed.refused.size();
  for (const auto& run : placed.started) {
    auto start = ledger::make_start(*run.header, run.run.number, run.node);
    start.leased_ns = run.leased_ns;
    start.trace =
        native::record(run.header->trace,
                       native::lease_span(run, occasion.round, occasion.actor, occasion.now_ns));
    out->start[run.cluster].push_back(std::move(start));
  }
  return out;
}

}  // namespace argosy::rounds
