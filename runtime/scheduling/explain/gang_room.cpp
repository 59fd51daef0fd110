// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/gang_room.hpp"

#include <algorithm>
#include <vector>

#include "runtime/scheduling/engine/round_parts.hpp"
#include "runtime/scheduling/explain/amounts.hpp"
#include "runtime/scheduling/explain/capacity.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {

std::optional<gang_room> room_for_gang(const snapshot& from, const config& conf,
                                       std::string_view pool_name, const ulid& job) {
  const auto& t = from.data();
  const auto pool = t.pools.find(pool_name);
  const auto found = t.job_numbers.find(job);
  if (pool == none || !from.settled() || found == t.job_numbers.end()) return {};
  const auto& record = t.jobs[found->second];
  if (record.gang == none) return {};
  const auto where = togetherness_of(from, conf, found->second);
  const auto members = waiting_members(from, record.gang);

  gang_room out;
  for (const auto& [shape, count] : members) out.members += count;
  out.minimum = least_together(from, conf, found->second);
  out.label = where.label;
  out.label_read = where.label_read;
  out.fit_ever = static_cast<std::uint32_t>(
      pool_capacity(from, conf, pool_name).takes_together(members, where));
  // A round of nobody but this gang, in which nobody gives way.
  auto quiet = conf;
  quiet.disable_fair_share_preemption = true;
  quiet.disable_urgency_preemption = true;
  round_params params;
  params.pool = pool_name;
  std::vector<std::uint32_t> waiting;
  for (const auto member : t.gangs[record.gang].members)
    if (!t.jobs[member].has_run()) waiting.push_back(member);
  std::sort(waiting.begin(), waiting.end(),
            [&](std::uint32_t a, std::uint32_t b) { return queued_before(t, a, b); });
  if (waiting.empty()) return out;
  engine::gang g;
  g.counted = true;
  for (const auto member : waiting) {
    engine::offer o;
    o.job = member;
    o.shape = t.jobs[member].shape;
    o.gang = record.gang;
    o.members = static_cast<std::uint32_t>(waiting.size());
    g.offers.push_back(o);
  }
  engine::world nodes(t, quiet, params, pool);
  const auto placed = engine::round_parts(nodes, params).places.count_places(g);
  out.label_carried = placed.label_carried;
  out.fit_now = static_cast<std::uint32_t>(placed.count);
  if (!placed.value.empty()) out.where = "under " + where.label + "=" + placed.value;
  if (placed.executor != none) out.where = "in cluster " + t.executors.name(placed.executor);
  if (placed.next != none) out.next_needs = requests_text(from, conf, t.jobs[placed.next].shape);
  return out;
}

}  // namespace argosy::scheduling
