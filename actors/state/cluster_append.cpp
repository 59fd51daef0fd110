// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster_append.hpp"

#include <iterator>
#include <utility>

#include "messages/codec/log/record_parts.hpp"

namespace argosy::actors {

std::vector<std::shared_ptr<native::append_request>> apply_in_parts(
    ledger::cluster_core& core, std::vector<model::event> events, std::size_t part_bytes_max) {
  const auto anywhere = [](const model::event&, const model::event&) { return true; };
  std::vector<std::shared_ptr<native::append_request>> out;
  for (auto& part : codec::divide_into_records(std::move(events), part_bytes_max, anywhere)) {
    auto& request = out.emplace_back(std::make_shared<native::append_request>());
    request->events = std::move(part);
    for (const auto& event : request->events) {
      auto changes = core.apply(event);
      std::move(changes.begin(), changes.end(), std::back_inserter(request->changes));
    }
  }
  return out;
}

}  // namespace argosy::actors
