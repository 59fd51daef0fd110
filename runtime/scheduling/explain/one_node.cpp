// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/one_node.hpp"

#include <algorithm>
#include <limits>

#include "runtime/scheduling/explain/amounts.hpp"
#include "runtime/scheduling/explain/capacity.hpp"
#include "runtime/scheduling/explain/exclusions.hpp"
#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

/// Below all priorities: every job that is bound counts.
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

bool is_listed(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool tolerated(const std::vector<toleration>& by, const taint& spot, const config& conf) {
  if (conf.soft_taints_prefer && spot.effect == "PreferNoSchedule") return true;
  return std::any_of(by.begin(), by.end(), [&](const auto& one) { return tolerates(one, spot); });
}

/// The tolerations that a job of this away type has in addition.
std::vector<toleration> tolerations_of(const away_type& away, const config& conf) {
  std::vector<toleration> out;
  for (const auto& type : conf.node_types)
    if (type.name == away.node_type)
      for (const auto& spot : type.taints)
        out.push_back({spot.key, spot.value, spot.value == "*", spot.effect});
  return out;
}

}  // namespace

one_node::one_node(const snapshot& from, const config& conf, std::uint32_t number)
    : from_(from), conf_(conf), t_(from.data()), node_(from.data().nodes[number]) {
  for (std::uint32_t d = 0; d < t_.node_dims; ++d) {
    const auto at = std::size_t{number} * t_.node_dims + d;
    total_.push_back(std::max<std::int64_t>(0, t_.node_total[at] - t_.node_held[at]));
  }
  free_ = free_at(lowest);
}

one_node::amounts one_node::free_at(std::int64_t priority) const {
  auto out = total_;
  const auto take = [&](const std::int64_t* sum) {
    for (std::uint32_t d = 0; d < t_.node_dims; ++d) out[d] -= sum[d];
  };
  // Jobs that may not be preempted have the highest cutoff that there is.
  for (std::size_t i = 0; i < node_.cutoffs.size(); ++i)
    if (node_.cutoffs[i] >= priority) take(node_.bound.data() + i * t_.node_dims);
  if (!node_.stopping_need.empty() && conf_.base != preset::current)
    take(node_.stopping_need.data());
  return out;
}

bool one_node::fits(const std::int64_t* need, const amounts& room) const {
  const std::int64_t least =
      conf_.base == preset::current ? std::numeric_limits<std::int64_t>::min() : 0;
  for (std::uint32_t d = 0; d < t_.node_dims; ++d)
    if (need[d] > std::max(room[d], least)) return false;
  return true;
}

std::vector<obstacle> one_node::closures() const {
  std::vector<obstacle> out;
  if (node_.unschedulable)
    out.push_back({node_.quarantined ? obstacle_kind::quarantined : obstacle_kind::closed});
  else if (conf_.base == preset::current &&
           std::any_of(free_.begin(), free_.end(), [](auto amount) { return amount < 0; }))
    out.push_back({obstacle_kind::overfull});
  return out;
}

void one_node::judge_taints(const job_record& job, node_judgement& into) const {
  const auto& shape = t_.shapes[job.shape];
  auto own = t_.terms[shape.terms].tolerations;
  own.insert(own.end(), conf_.default_tolerations.begin(), conf_.default_tolerations.end());
  static const taint shut{std::string{unschedulable_taint_key}, "true", "NoSchedule"};
  const auto& kind = t_.class_of(job);
  into.priority = kind.priority;
  if (!tolerated(own, shut, conf_)) into.obstacles = closures();
  std::vector<const taint*> left;
  for (const auto& spot : t_.profiles[node_.profile].taints)
    if (!tolerated(own, spot, conf_)) left.push_back(&spot);
  if (left.empty()) return;
  for (const auto& away : kind.away) {
    if (conf_.disable_away) break;
    const auto added = tolerations_of(away, conf_);
    if (!std::all_of(left.begin(), left.end(),
                     [&](const auto* spot) { return tolerated(added, *spot, conf_); }))
      continue;
    into.away = true;
    into.priority = away.priority;
    return;
  }
  for (const auto* spot : left)
    into.obstacles.push_back({obstacle_kind::taint, text_of(*spot, own)});
}

void one_node::judge_terms(const job_record& job, node_judgement& into) const {
  const auto& terms = t_.terms[t_.shapes[job.shape].terms];
  const auto& labels = t_.profiles[node_.profile].labels;
  for (const auto& [label, wanted] : terms.selector) {
    const auto* have = find_label_or_id(labels, label, &node_.id);
    if (have == nullptr || *have != wanted)
      into.obstacles.push_back(
          {obstacle_kind::label, label + "=" + wanted, have == nullptr ? "" : label + "=" + *have});
  }
  std::string failing;
  for (const auto& term : terms.affinity) {
    const auto rule = std::find_if(term.begin(), term.end(), [&](const auto& each) {
      return !holds(each, labels, &node_.id);
    });
    if (rule == term.end()) return;
    failing += (failing.empty() ? "" : ", nor ") + text_of(*rule);
  }
  if (!failing.empty()) into.obstacles.push_back({obstacle_kind::affinity, failing});
}

void one_node::judge_gang(std::uint32_t job, node_judgement& into) const {
  const auto where = togetherness_of(from_, conf_, job);
  if (where.label.empty() || where.label == node_id_label) return;
  if (find_label(t_.profiles[node_.profile].labels, where.label) == nullptr)
    into.obstacles.push_back({obstacle_kind::label, where.label});
}

void one_node::judge_room(const std::int64_t* need, node_judgement& into) const {
  const bool matches = into.fits_if_open();
  bool enough = true;
  for (std::uint32_t d = 0; d < t_.node_dims; ++d) {
    const auto& name = t_.dim_names[d];
    if (need[d] > std::max<std::int64_t>(0, total_[d])) {
      into.obstacles.push_back({obstacle_kind::too_small, name, {}, need[d], total_[d], total_[d]});
      enough = false;
    }
  }
  if (!enough) return;
  for (std::uint32_t d = 0; d < t_.node_dims; ++d)
    if (need[d] > 0 && need[d] > free_[d])
      into.obstacles.push_back({obstacle_kind::no_room,
                                t_.dim_names[d],
                                {},
                                need[d],
                                std::max<std::int64_t>(0, free_[d]),
                                total_[d]});
  if (!matches || into.fits_if_open()) return;
  into.room_by_preemption = fits(need, free_at(into.priority));
}

node_judgement one_node::judge(std::uint32_t job) const {
  const auto& record = t_.jobs[job];
  node_judgement out;
  judge_taints(record, out);
  const auto place = std::find_if(out.obstacles.begin(), out.obstacles.end(),
                                  [](const auto& each) { return each.kind > obstacle_kind::pool; });
  std::vector<obstacle> of_pool;
  const auto* need = t_.amounts(record.shape);
  for (std::uint32_t d = 0; d < t_.dims; ++d)
    if (need[d] != 0 && is_listed(conf_.unscheduled_resources, t_.dim_names[d]))
      of_pool.push_back({obstacle_kind::unscheduled, t_.dim_names[d]});
  out.obstacles.insert(place, of_pool.begin(), of_pool.end());
  judge_terms(record, out);
  judge_gang(job, out);
  judge_room(need, out);
  // Which pools a job may enter follows from what else is in its way, but for its gang's mates.
  const auto& pools = t_.pool_sets[record.pools];
  if (out.obstacles.empty() && !pools.empty() &&
      std::find(pools.begin(), pools.end(), node_.pool) == pools.end()) {
    std::string names;
    for (const auto pool : pools) names += (names.empty() ? "" : ", ") + t_.pools.name(pool);
    out.obstacles.push_back({obstacle_kind::pool, names, t_.pools.name(node_.pool)});
  }
  return out;
}

node_judgement one_node::judge(const ulid& job) const {
  return judge(t_.job_numbers.find(job)->second);
}

std::vector<resource_room> one_node::room(std::uint32_t job) const {
  const auto* need = job == none ? nullptr : t_.amounts(t_.jobs[job].shape);
  std::vector<std::int32_t> priorities;
  for (const auto& each : conf_.classes) priorities.push_back(each.priority);
  std::sort(priorities.begin(), priorities.end());
  priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
  std::vector<resource_room> out;
  for (std::uint32_t d = 0; d < t_.node_dims; ++d) {
    const auto& name = t_.dim_names[d];
    if (need == nullptr ? total_[d] == 0 : need[d] == 0) continue;
    // Most nodes have no limit of pods, so that their number says nothing.
    if (name == pod_resource && total_[d] >= unlimited_pods) continue;
    const auto units = [&](std::int64_t steps) {
      return amount_in_units(std::max<std::int64_t>(0, steps), name, conf_);
    };
    auto& line = out.emplace_back();
    line.resource = name;
    line.asked = need == nullptr ? 0 : units(need[d]);
    line.total = units(total_[d]);
    line.free = units(free_[d]);
    for (const auto priority : priorities)
      line.at_priority.emplace_back(priority, units(free_at(priority)[d]));
  }
  return out;
}

std::optional<std::uint32_t> find_node(const snapshot& from, std::string_view id) {
  const auto& t = from.data();
  const auto found = t.node_numbers.find(id);
  if (found == t.node_numbers.end() || !t.nodes[found->second].present) return {};
  return found->second;
}

std::string_view pool_of_node(const snapshot& from, std::uint32_t node) {
  const auto& t = from.data();
  return t.pools.name(t.nodes[node].pool);
}

}  // namespace argosy::scheduling
