// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/capacity.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

bool names(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::vector<toleration> tolerations_of(const tables& t, const config& conf,
                                       const shape_record& shape) {
  auto all = t.terms[shape.terms].tolerations;
  all.insert(all.end(), conf.default_tolerations.begin(), conf.default_tolerations.end());
  if (conf.disable_away || shape.class_index >= conf.classes.size()) return all;
  for (const auto& away : conf.classes[shape.class_index].away)
    for (const auto& type : conf.node_types) {
      if (type.name != away.node_type) continue;
      for (const auto& spot : type.taints)
        all.push_back({spot.key, spot.value, spot.value == "*", spot.effect});
    }
  return all;
}

}  // namespace

togetherness togetherness_of(const snapshot& from, const config& conf, std::uint32_t job) {
  const auto& t = from.data();
  const auto& record = t.jobs[job];
  if (record.gang == none) return {};
  const auto label = t.gang_terms[record.gang_terms].label;
  togetherness where;
  where.label = label == none ? conf.default_uniformity_label : t.label_names.name(label);
  where.label_read = where.label.empty() || conf.base != preset::current ||
                     (where.label != node_id_label && names(conf.indexed_labels, where.label));
  where.one_cluster = where.label.empty() && conf.gang_in_one_cluster;
  return where;
}

shape_counts waiting_members(const snapshot& from, std::uint32_t gang) {
  const auto& t = from.data();
  std::map<shape_id, std::uint32_t> counts;
  for (const auto member : t.gangs[gang].members)
    if (!t.jobs[member].has_run()) ++counts[t.jobs[member].shape];
  shape_counts out(counts.begin(), counts.end());
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) {
    const auto* x = t.amounts(a.first);
    const auto* y = t.amounts(b.first);
    return std::lexicographical_compare(y, y + t.dims, x, x + t.dims);
  });
  return out;
}

std::uint32_t least_together(const snapshot& from, const config& conf, std::uint32_t job) {
  const auto& t = from.data();
  const auto& record = t.jobs[job];
  if (record.gang == none) return 1;
  const auto& sizes = t.gang_terms[record.gang_terms];
  const auto& members = t.gangs[record.gang].members;
  const auto started = static_cast<std::uint32_t>(std::count_if(
      members.begin(), members.end(), [&](std::uint32_t each) { return t.jobs[each].has_run(); }));
  const auto least = conf.minimum_cardinality ? sizes.minimum : sizes.cardinality;
  return least > started ? least - started : 1;
}

std::optional<job_kind> kind_of(const snapshot& from, const ulid& job) {
  const auto& t = from.data();
  const auto found = t.job_numbers.find(job);
  if (found == t.job_numbers.end()) return {};
  const auto& record = t.jobs[found->second];
  return record.gang == none ? job_kind{record.shape, none} : job_kind{none, record.gang};
}

/// How jobs of one shape fit the nodes.
class pool_capacity::fitness {
 public:
  fitness(const tables& t, const tables& jobs, const config& conf, const std::string& pool,
          shape_id shape)
      : t_(t),
        conf_(conf),
        terms_(jobs.terms[jobs.shapes[shape].terms]),
        need_(jobs.amounts(shape)),
        tolerations_(tolerations_of(jobs, conf, jobs.shapes[shape])),
        known_(t.profiles.size(), unknown),
        withheld_(find_withheld(pool)) {}
  fitness(const pool_capacity& of, shape_id shape)
      : fitness(of.t_, of.jobs_, of.conf_, of.pool_, shape) {}

  /// How many jobs of the shape an empty node holds.
  [[nodiscard]] std::uint64_t places(std::uint32_t slot) {
    if (withheld_) return 0;
    auto count = std::numeric_limits<std::int64_t>::max();
    const auto* total = totals(slot);
    for (std::uint32_t d = 0; d < t_.node_dims; ++d)
      if (need_[d] > 0) count = std::min(count, total[d] / need_[d]);
    if (count <= 0 || !matches(t_.nodes[slot])) return 0;
    return static_cast<std::uint64_t>(count);
  }

  /// Whether the node takes such jobs now, if it could take them.
  [[nodiscard]] bool is_open(std::uint32_t slot) const {
    const auto& node = t_.nodes[slot];
    return !node.unschedulable &&
           std::ranges::none_of(t_.profiles[node.profile].taints, [&](const taint& spot) {
             return is_passing(spot, tolerations_) && !bears(spot);
           });
  }

  /// Why one node excludes the job: the first cause that applies.
  [[nodiscard]] exclusion judge(std::uint32_t slot) const {
    const auto& node = t_.nodes[slot];
    if (withheld_) return *withheld_;
    if (auto why = mismatch(t_.profiles[node.profile], &node.id)) return std::move(*why);
    const auto* total = totals(slot);
    for (std::uint32_t d = 0; d < t_.node_dims; ++d)
      if (need_[d] > std::max<std::int64_t>(0, total[d]))
        return {exclusion_cause::too_small, t_.dim_names[d], 1, std::max<std::int64_t>(0, total[d]),
                need_[d]};
    return {exclusion_cause::has_room, {}, 1};
  }

 private:
  enum verdict : std::uint8_t { unknown, yes, no };

  [[nodiscard]] const std::int64_t* totals(std::uint32_t slot) const {
    return t_.node_total.data() + std::size_t{slot} * t_.node_dims;
  }

  /// The first requested resource that no round gives out, or of which the whole pool has too
  /// little.
  [[nodiscard]] std::optional<exclusion> find_withheld(const std::string& pool) const {
    for (std::uint32_t d = 0; d < t_.dims; ++d) {
      if (need_[d] == 0) continue;
      const auto& resource = t_.dim_names[d];
      if (names(conf_.unscheduled_resources, resource))
        return exclusion{exclusion_cause::unscheduled, resource, 1};
      if (d < t_.node_dims) continue;
      std::int64_t total = 0;
      for (const auto& floating : conf_.floating)
        if (floating.name == resource && (floating.pools.empty() || names(floating.pools, pool)))
          total += floating.total;
      if (need_[d] > total)
        return exclusion{exclusion_cause::pool_short, resource, 1, total, need_[d]};
    }
    return {};
  }

  [[nodiscard]] bool matches(const node_record& node) {
    const auto& profile = t_.profiles[node.profile];
    if (terms_.names_node) return !mismatch(profile, &node.id);
    auto& known = known_[node.profile];
    if (known == unknown) known = mismatch(profile, nullptr) ? no : yes;
    return known == yes;
  }

  [[nodiscard]] std::optional<exclusion> mismatch(const profile_record& profile,
                                                  const std::string* id) const {
    for (const auto& spot : profile.taints)
      if (!is_tolerated(spot))
        return exclusion{exclusion_cause::taint, text_of(spot, tolerations_), 1};
    for (const auto& [label, wanted] : terms_.selector) {
      const auto* have = find_label_or_id(profile.labels, label, id);
      if (have == nullptr || *have != wanted)
        return exclusion{exclusion_cause::selector, label + "=" + wanted, 1};
    }
    const auto is_true = [&](const affinity_term& term) {
      return std::all_of(term.begin(), term.end(),
                         [&](const auto& rule) { return holds(rule, profile.labels, id); });
    };
    if (terms_.affinity.empty() ||
        std::any_of(terms_.affinity.begin(), terms_.affinity.end(), is_true))
      return {};
    return exclusion{exclusion_cause::affinity, {}, 1};
  }

  /// Whether the job bears the taint for as long as it is there.
  [[nodiscard]] bool bears(const taint& spot) const {
    if (conf_.soft_taints_prefer && spot.effect == "PreferNoSchedule") return true;
    return std::ranges::any_of(tolerations_,
                               [&](const auto& each) { return tolerates(each, spot); });
  }

  [[nodiscard]] bool is_tolerated(const taint& spot) const {
    return bears(spot) || is_passing(spot, tolerations_);
  }

  const tables& t_;
  const config& conf_;
  const terms_record& terms_;
  const std::int64_t* need_;
  std::vector<toleration> tolerations_;
  std::vector<verdict> known_;  ///< The verdict about each profile.
  std::optional<exclusion> withheld_;
};

pool_capacity::pool_capacity(const snapshot& nodes, const snapshot& jobs, const config& conf,
                             std::string_view pool)
    : jobs_from_(jobs), t_(nodes.data()), jobs_(jobs.data()), conf_(conf), pool_(pool) {
  std::vector<std::uint32_t> lending{t_.pools.find(pool)};
  for (const auto& name : conf.away_pools) lending.push_back(t_.pools.find(name));
  for (std::uint32_t slot = 0; slot < t_.nodes.size(); ++slot) {
    const auto& node = t_.nodes[slot];
    if (node.present && std::find(lending.begin(), lending.end(), node.pool) != lending.end())
      slots_.push_back(slot);
  }
}

std::uint32_t pool_capacity::first_that_takes(const snapshot& from, const config& conf,
                                              const std::string& pool, shape_id shape,
                                              std::span<const std::uint32_t> slots) {
  if (slots.empty()) return none;
  fitness one(from.data(), from.data(), conf, pool, shape);
  const auto found =
      std::ranges::find_if(slots, [&](std::uint32_t slot) { return one.places(slot) != 0; });
  return found == slots.end() ? none : *found;
}

bool pool_capacity::takes(shape_id shape) const {
  fitness one(*this, shape);
  return std::ranges::any_of(slots_, [&](std::uint32_t slot) { return one.places(slot) != 0; });
}

bool pool_capacity::is_closed_to(const ulid& job) const {
  const auto found = jobs_.job_numbers.find(job);
  if (found == jobs_.job_numbers.end()) return false;
  fitness one(*this, jobs_.jobs[found->second].shape);
  return std::none_of(slots_.begin(), slots_.end(), [&](std::uint32_t slot) {
    return one.places(slot) != 0 && one.is_open(slot);
  });
}

exclusions pool_capacity::judge(shape_id shape) const {
  const fitness one(*this, shape);
  exclusion_tally tally;
  for (const auto slot : slots_) tally.add(one.judge(slot));
  return tally.take();
}

std::optional<impossibility> pool_capacity::why_never(const ulid& job) const {
  const auto found = jobs_.job_numbers.find(job);
  if (found == jobs_.job_numbers.end()) return {};
  const auto& record = jobs_.jobs[found->second];
  if (record.gang == none) {
    if (takes(record.shape)) return {};
    return impossibility{judge(record.shape), {}};
  }
  const auto members = waiting_members(jobs_from_, record.gang);
  gang_room room;
  for (const auto& [shape, count] : members) room.members += count;
  room.minimum = least_together(jobs_from_, conf_, found->second);
  const auto where = togetherness_of(jobs_from_, conf_, found->second);
  room.fit_ever = static_cast<std::uint32_t>(takes_together(members, where));
  if (room.fit_ever >= room.minimum) return {};
  room.label = where.label;
  room.label_read = where.label_read;
  room.label_carried =
      where.label.empty() || std::any_of(slots_.begin(), slots_.end(), [&](std::uint32_t slot) {
        const auto& node = t_.nodes[slot];
        return find_label_or_id(t_.profiles[node.profile].labels, where.label, &node.id) != nullptr;
      });
  return impossibility{judge(record.shape), std::move(room)};
}

std::uint64_t pool_capacity::takes_together(const shape_counts& members,
                                            const togetherness& where) const {
  if (!where.label_read) return 0;
  std::map<std::string_view, std::uint64_t> sums;
  for (const auto& [shape, count] : members) {
    fitness one(*this, shape);
    std::map<std::string_view, std::uint64_t> places;
    for (const auto slot : slots_) {
      const auto& node = t_.nodes[slot];
      std::string_view group;
      if (!where.label.empty()) {
        const auto* value =
            find_label_or_id(t_.profiles[node.profile].labels, where.label, &node.id);
        if (value == nullptr) continue;
        group = *value;
      } else if (where.one_cluster) {
        group = t_.executors.name(node.executor);
      }
      auto& sum = places[group];
      if (sum < count) sum += std::min<std::uint64_t>(count - sum, one.places(slot));
    }
    for (const auto& [group, sum] : places) sums[group] += sum;
  }
  std::uint64_t most = 0;
  for (const auto& [group, sum] : sums) most = std::max(most, sum);
  return most;
}

}  // namespace argosy::scheduling
