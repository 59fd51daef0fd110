// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/start_orders.hpp"

#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "messages/native/job_spans.hpp"

namespace argosy::rounds {

namespace {

/// The nodes of the members that start together, by their ids, which follow the submission.
using member_nodes = std::map<ulid, model::node_name>;

std::string_view gang_id(const model::job_header& header) {
  return header.gang && header.gang->cardinality > 1 ? std::string_view{header.gang->id}
                                                     : std::string_view{};
}

std::map<std::string_view, member_nodes> gangs_of(const ledger::place_reply& placed) {
  std::map<std::string_view, member_nodes> out;
  for (const auto& run : placed.started)
    if (const auto id = gang_id(*run.header); !id.empty()) out[id][run.run.job] = run.node;
  return out;
}

}  // namespace

native::place_reply_ptr start_orders(const ledger::place_reply& placed,
                                     const start_occasion& occasion) {
  auto out = std::make_shared<native::place_reply>();
  out->position = occasion.position;
  out->refused = placed.refused.size();
  const auto gangs = gangs_of(placed);
  for (const auto& run : placed.started) {
    auto start = ledger::make_start(*run.header, run.run.number, run.node);
    if (const auto gang = gangs.find(gang_id(*run.header)); gang != gangs.end()) {
      for (const auto& [member, node] : gang->second) start.gang_nodes.push_back(node);
      start.gang_rank = static_cast<std::uint32_t>(
          std::distance(gang->second.begin(), gang->second.find(run.run.job)));
    }
    start.leased_ns = run.leased_ns;
    start.trace =
        native::record(run.header->trace,
                       native::lease_span(run, occasion.round, occasion.actor, occasion.now_ns));
    out->start[run.cluster].push_back(std::move(start));
  }
  return out;
}

}  // namespace argosy::rounds
