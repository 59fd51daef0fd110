// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/gang_room.hpp"

#include <map>
#include <utility>
#include <vector>

#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/space.hpp"
#include "runtime/scheduling/explain/amounts.hpp"
#include "runtime/scheduling/explain/capacity.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {

namespace {

class room_finder {
 public:
  room_finder(const tables& t, const config& conf, std::uint32_t pool)
      : t_(t),
        nodes_(t, conf, {}, pool),
        matching_(nodes_),
        row_(nodes_.row_of(engine::evicted_priority)) {}

  /// The nodes grouped by the value that jobs on them would share; one group "" if nothing has to
  /// be shared.
  [[nodiscard]] std::map<std::string, std::vector<std::uint32_t>> groups(
      const togetherness& where) const {
    std::map<std::string, std::vector<std::uint32_t>> out;
    for (std::uint32_t node = 0; node < nodes_.node_count(); ++node) {
      const auto& record = t_.nodes[nodes_.slots[node]];
      if (!where.label.empty()) {
        const auto* value =
            find_label_or_id(t_.profiles[record.profile].labels, where.label, &record.id);
        if (value != nullptr) out[*value].push_back(node);
      } else {
        out[where.one_cluster ? t_.executors.name(record.executor) : ""].push_back(node);
      }
    }
    return out;
  }

  struct fit {
    std::uint32_t members = 0;
    shape_id next = none;  ///< The shape of the first member that did not fit; `none` if all did.
  };
  [[nodiscard]] fit place(const shape_counts& members, const std::vector<std::uint32_t>& group) {
    fit out;
    // What is left on nodes that were given members.
    std::map<std::uint32_t, std::vector<std::int64_t>> left;
    for (const auto& [shape, count] : members) {
      auto wanted = count;
      for (auto at = group.begin(); at != group.end() && wanted > 0; ++at)
        wanted -= fill(shape, *at, wanted, left);
      out.members += count - wanted;
      if (wanted > 0 && out.next == none) out.next = shape;
    }
    return out;
  }

 private:
  /// Puts up to `wanted` jobs of the shape on the node and returns how many fitted.
  std::uint32_t fill(shape_id shape, std::uint32_t node, std::uint32_t wanted,
                     std::map<std::uint32_t, std::vector<std::int64_t>>& left) {
    engine::added_terms added;
    added.defaults = true;
    if (!matching_.suits(matching_.find(t_.shapes[shape].terms, added), node)) return 0;
    const auto* need = t_.amounts(shape);
    const auto given = left.find(node);
    const auto* room = given == left.end() ? nodes_.free(node, row_) : given->second.data();
    if (!nodes_.fits(need, room)) return 0;
    auto& rest = left.try_emplace(node, room, room + nodes_.dims).first->second;
    std::uint32_t count = 0;
    for (; count < wanted && nodes_.fits(need, rest.data()); ++count)
      for (std::uint32_t d = 0; d < nodes_.dims; ++d) rest[d] -= need[d];
    return count;
  }

  const tables& t_;
  engine::space nodes_;
  engine::matching matching_;
  std::uint32_t row_;
};

}  // namespace

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
  room_finder finder(t, conf, pool);
  const auto groups = finder.groups(where);
  out.label_carried = where.label.empty() || !groups.empty();
  auto next = members.empty() ? none : members.front().first;
  for (const auto& [value, nodes] : groups) {
    const auto fit = finder.place(members, nodes);
    if (value != groups.begin()->first && fit.members <= out.fit_now) continue;
    out.fit_now = fit.members;
    next = fit.next;
    out.where = !where.label.empty() ? "under " + where.label + "=" + value
                : where.one_cluster  ? "in cluster " + value
                                     : "";
  }
  if (next != none) out.next_needs = requests_text(from, conf, next);
  return out;
}

}  // namespace argosy::scheduling
