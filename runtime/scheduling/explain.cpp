// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/model/quantity.hpp"
#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/space.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {

namespace {

std::string text_of(const taint& spot) {
  return spot.key + (spot.value.empty() ? "" : "=" + spot.value) + ":" + spot.effect;
}

class examiner {
 public:
  examiner(const tables& t, const config& conf, std::uint32_t pool, shape_id shape)
      : t_(t),
        conf_(conf),
        nodes_(t, conf, {}, pool),
        matching_(nodes_),
        terms_(t.terms[t.shapes[shape].terms]),
        need_(t.amounts(shape)),
        lowest_row_(nodes_.row_of(engine::evicted_priority)) {
    engine::added_terms added;
    added.defaults = true;
    matcher_ = matching_.find(t.shapes[shape].terms, added);
  }

  /// Nodes without this label are excluded.
  void ask_for(const std::string& label) { label_ = &label; }

  exclusions run() {
    exclusions out;
    out.nodes = nodes_.node_count() + nodes_.idle_shut;
    if (const auto d = unscheduled(); d != none) {
      count(exclusion_cause::unscheduled, t_.dim_names[d], 0, out.nodes);
    } else {
      count(exclusion_cause::closed, {}, 0, nodes_.idle_shut);
      for (std::uint32_t node = 0; node < nodes_.node_count(); ++node) judge(node);
    }
    for (auto& [key, why] : found_) out.causes.push_back(std::move(why));
    std::stable_sort(out.causes.begin(), out.causes.end(),
                     [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
    return out;
  }

 private:
  /// The first resource it asks for that no round gives out; `none` if there is none.
  std::uint32_t unscheduled() const {
    for (std::uint32_t d = 0; d < nodes_.dims; ++d)
      if (need_[d] != 0 && std::count(conf_.unscheduled_resources.begin(),
                                      conf_.unscheduled_resources.end(), t_.dim_names[d]) != 0)
        return d;
    return none;
  }

  void judge(std::uint32_t node) {
    const auto& record = t_.nodes[nodes_.slots[node]];
    const auto& profile = t_.profiles[record.profile];
    switch (matching_.judge(matcher_, node)) {
      case engine::verdict::taint:
        if (nodes_.shut[node] != 0 || nodes_.barred[node] != 0)
          count(exclusion_cause::closed, {});
        else
          count(exclusion_cause::taint, first_taint(profile));
        return;
      case engine::verdict::selector:
        count(exclusion_cause::selector, first_label(profile, record.id));
        return;
      case engine::verdict::fits:
        if (label_ != nullptr && *label_ != node_id_label &&
            find_label(profile.labels, *label_) == nullptr)
          count(exclusion_cause::selector, *label_);
        else
          judge_room(node);
        return;
      default:
        count(exclusion_cause::affinity, {});
    }
  }

  void judge_room(std::uint32_t node) {
    const auto* total = nodes_.total.data() + std::size_t{node} * nodes_.dims;
    if (const auto d = lacking(total); d != none)
      return count(exclusion_cause::too_small, t_.dim_names[d], total[d]);
    const auto* room = nodes_.free(node, lowest_row_);
    if (const auto d = lacking(room); d != none)
      return count(exclusion_cause::no_room, t_.dim_names[d], std::max<std::int64_t>(0, room[d]));
    count(exclusion_cause::has_room, {});
  }

  /// The first resource of which there is too little; `none` if all suffice.
  [[nodiscard]] std::uint32_t lacking(const std::int64_t* room) const {
    for (std::uint32_t d = 0; d < nodes_.dims; ++d)
      if (need_[d] > nodes_.usable(room[d])) return d;
    return none;
  }

  std::string first_taint(const profile_record& profile) const {
    const auto& tolerations = matching_.get(matcher_).tolerations;
    for (const auto& spot : profile.taints) {
      if (conf_.soft_taints_prefer && spot.effect == "PreferNoSchedule") continue;
      if (std::none_of(tolerations.begin(), tolerations.end(),
                       [&](const auto& each) { return tolerates(each, spot); }))
        return text_of(spot);
    }
    return {};
  }

  std::string first_label(const profile_record& profile, const std::string& node_id) const {
    for (const auto& [label, wanted] : terms_.selector) {
      const auto at =
          std::find_if(profile.labels.begin(), profile.labels.end(),
                       [&, name = label](const auto& have) { return have.first == name; });
      const auto* value = label == node_id_label       ? &node_id
                          : at == profile.labels.end() ? nullptr
                                                       : &at->second;
      if (value == nullptr || *value != wanted) return label + "=" + wanted;
    }
    return {};
  }

  void count(exclusion_cause cause, std::string subject, std::int64_t amount = 0,
             std::uint32_t nodes = 1) {
    if (nodes == 0) return;
    auto& why = found_[{cause, subject}];
    if (why.nodes == 0) why = {cause, std::move(subject), 0, amount};
    why.nodes += nodes;
    why.most = std::max(why.most, amount);
  }

  const tables& t_;
  const config& conf_;
  engine::space nodes_;
  engine::matching matching_;
  const terms_record& terms_;
  const std::int64_t* need_;
  const std::string* label_ = nullptr;
  std::uint32_t lowest_row_;
  std::uint32_t matcher_ = 0;
  std::map<std::pair<exclusion_cause, std::string>, exclusion> found_;
};

std::string quantity(std::int64_t steps, const std::string& resource, const config& conf) {
  const auto type = std::find_if(conf.resources.begin(), conf.resources.end(),
                                 [&](const auto& each) { return each.name == resource; });
  const auto unit = model::unit_of(resource);
  const std::int64_t milli_per_unit = unit == model::resource_unit::milli ? 1 : 1000;
  const auto milli_per_step = type == conf.resources.end() ? 1000 : type->milli_per_step;
  return model::format_quantity(
      static_cast<std::int64_t>(static_cast<wide>(steps) * milli_per_step / milli_per_unit), unit);
}

}  // namespace

exclusions explain(const snapshot& from, const config& conf, std::string_view pool_name,
                   const ulid& job) {
  const auto& t = from.data();
  const auto pool = t.pools.find(pool_name);
  const auto found = t.job_numbers.find(job);
  if (pool == none || !from.settled() || found == t.job_numbers.end()) return {};
  const auto& record = t.jobs[found->second];
  examiner made(t, conf, pool, record.shape);
  if (record.gang != none) {
    const auto label = t.gang_terms[record.gang_terms].label;
    const auto& name = label == none ? conf.default_uniformity_label : t.label_names.name(label);
    if (!name.empty()) made.ask_for(name);
  }
  return made.run();
}

std::string to_string(const exclusion& why, const config& conf) {
  switch (why.cause) {
    case exclusion_cause::unscheduled:
      return why.subject + " is not scheduled here (unscheduledResources)";
    case exclusion_cause::closed:
      return "takes no new jobs (cordoned, quarantined, out of contact, or its jobs need more than "
             "it has)";
    case exclusion_cause::taint:
      return "taint " + why.subject + " is not tolerated";
    case exclusion_cause::selector:
      return "has no label " + why.subject;
    case exclusion_cause::affinity:
      return "does not match the required node affinity";
    case exclusion_cause::too_small:
      return "too little " + why.subject + ", " + quantity(why.most, why.subject, conf) +
             " at most";
    case exclusion_cause::no_room:
      return "too little " + why.subject + " free, " + quantity(why.most, why.subject, conf) +
             " at most";
    case exclusion_cause::has_room:
      return "has room";
  }
  return {};
}

}  // namespace argosy::scheduling
