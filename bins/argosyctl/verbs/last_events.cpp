// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/last_events.hpp"

#include <algorithm>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::ClusterEvent;

/// A screen has room for so many; JSON has all.
constexpr std::uint32_t events_shown = 20;

look look_of(const std::string& kind) {
  if (kind == "joined" || kind == "heard" || kind == "nodeJoined" || kind == "quarantineEnded")
    return look::good;
  if (kind == "silent" || kind == "quarantined" || kind == "runLost" || kind == "runRefused")
    return look::bad;
  return kind == "cordoned" || kind == "drainBegun" || kind == "runFailed" ? look::warning
                                                                           : look::plain;
}

/// People read from the oldest on, as in the list of a job's events.
table rows_of(const argosy::v1::ListClusterEventsResponse& known, bool of_node) {
  std::vector<column> columns{{.title = "TIME"}, {.title = "EVENT", .yields_to = 20}};
  if (!of_node) columns.insert(columns.begin() + 1, column{.title = "NODE", .yields_to = 8});
  table rows{std::move(columns)};
  std::vector<const ClusterEvent*> in_order;
  for (const auto& event : known.events()) in_order.push_back(&event);
  std::reverse(in_order.begin(), in_order.end());
  for (const auto* event : in_order) {
    std::vector<cell> row{utc_time(event->time_ns())};
    if (!of_node) row.emplace_back(event->node());
    // A node is told what happened to its whole cluster as well.
    const bool of_cluster = of_node && event->node().empty();
    row.push_back({(of_cluster ? "its cluster: " : "") + event->text(), look_of(event->kind())});
    rows.add(std::move(row));
  }
  return rows;
}

}  // namespace

result<void> add_last_events(session& s, client& server, const std::string& cluster,
                             const std::string& node, listing& to) {
  argosy::v1::ListClusterEventsRequest request;
  request.set_cluster(cluster);
  request.set_node(node);
  if (s.as == format::table) request.set_limit(events_shown);
  auto known =
      call<argosy::v1::ListClusterEventsResponse>(server, "Query.ListClusterEvents", request);
  if (!known) {
    const auto code = known.error().code;
    if (code == ec::unreachable || code == ec::cancelled) return fail(std::move(known.error()));
    return {};
  }
  const auto since = utc_time(known->since_ns());
  to.tables.insert_or_assign(
      to.names.size() - 1,
      std::pair{known->events().empty() ? "No events since " + since
                                        : "Last events, of those since " + since,
                rows_of(*known, !node.empty())});
  auto& object = to.json.back();
  object.pop_back();
  object += R"(,"lastEvents":)" + json_of(*known) + "}";
  return {};
}

}  // namespace argosy::ctl
