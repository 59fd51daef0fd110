// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster_append.hpp"

#include <iterator>

#include "messages/codec/log/record_parts.hpp"

namespace argosy::actors {

void cluster_append::append(std::vector<model::event> events, continuation done) {
  if (events.empty() && done) {
    if (in_flight_.empty())
      done({});
    else
      in_flight_.last().push_back(std::move(done));
  }
  const auto anywhere = [](const model::event&, const model::event&) { return true; };
  auto parts = codec::divide_into_records(std::move(events), part_bytes_max_, anywhere);
  for (auto& part : parts) {
    auto request = std::make_shared<native::append_request>();
    request->events = std::move(part);
    for (const auto& event : request->events) {
      recent_.take(event, *core_);
      auto changes = core_->apply(event);
      std::move(changes.begin(), changes.end(), std::back_inserter(request->changes));
    }
    std::vector<continuation> waiting;
    if (&part == &parts.back() && done) waiting.push_back(std::move(done));
    in_flight_.send(self_, std::move(request), std::move(waiting));
  }
}

void cluster_append::appended(const native::append_outcome& outcome) {
  const auto waiting = in_flight_.take(self_, outcome);
  for (const auto& done : waiting)
    if (outcome.position)
      done({});
    else
      done(fail(outcome.position.error()));
}

}  // namespace argosy::actors
