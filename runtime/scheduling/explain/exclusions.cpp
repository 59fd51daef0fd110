// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/exclusions.hpp"

#include <algorithm>
#include <utility>

#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/node_columns.hpp"
#include "runtime/scheduling/engine/nodes/room.hpp"
#include "runtime/scheduling/explain/amounts.hpp"
#include "runtime/scheduling/explain/capacity.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {

void exclusion_tally::add(exclusion why) {
  if (why.nodes == 0) return;
  auto& sum = found_[{why.cause, why.subject}];
  why.nodes += sum.nodes;
  why.most = std::max(why.most, sum.most);
  sum = std::move(why);
}

exclusions exclusion_tally::take() {
  exclusions out;
  for (auto& [key, why] : found_) {
    out.nodes += why.nodes;
    out.causes.push_back(std::move(why));
  }
  found_.clear();
  std::stable_sort(out.causes.begin(), out.causes.end(),
                   [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
  return out;
}

namespace {

class examiner {
 public:
  examiner(const tables& t, const config& conf, std::uint32_t pool, shape_id shape)
      : t_(t),
        conf_(conf),
        nodes_(t, conf, {}, pool),
        room_(nodes_),
        matching_(nodes_),
        terms_(t.terms[t.shapes[shape].terms]),
        need_(t.amounts(shape)),
        lowest_row_(nodes_.rows.of(engine::evicted_priority)) {
    engine::added_terms added;
    added.defaults = true;
    matcher_ = matching_.find(t.shapes[shape].terms, added);
  }

  /// Nodes without this label are excluded.
  void ask_for(const std::string& label) { label_ = &label; }

  exclusions run() {
    const auto nodes = nodes_.count() + nodes_.idle().shut;
    if (const auto d = unscheduled(); d != none) {
      count(exclusion_cause::unscheduled, t_.dim_names[d], nodes);
    } else {
      count(exclusion_cause::quarantined, {}, nodes_.idle().quarantined);
      count(exclusion_cause::closed, {}, nodes_.idle().shut - nodes_.idle().quarantined);
      for (std::uint32_t node = 0; node < nodes_.count(); ++node) judge(node);
    }
    return tally_.take();
  }

 private:
  /// The first requested resource that no round gives out; `none` if there is none.
  std::uint32_t unscheduled() const {
    for (std::uint32_t d = 0; d < nodes_.dims; ++d)
      if (need_[d] != 0 && std::count(conf_.unscheduled_resources.begin(),
                                      conf_.unscheduled_resources.end(), t_.dim_names[d]) != 0)
        return d;
    return none;
  }

  void judge(std::uint32_t node) {
    const auto& record = nodes_.record(node);
    const auto& profile = t_.profiles[record.profile];
    switch (matching_.judge(matcher_, node)) {
      case engine::verdict::taint:
        if (nodes_.shut(node) || nodes_.barred(node))
          count(record.quarantined ? exclusion_cause::quarantined : exclusion_cause::closed, {});
        else
          count_taint(profile);
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
    const auto* total = nodes_.total(node);
    if (const auto d = lacking(total); d != none)
      return lack(exclusion_cause::too_small, d, total[d]);
    const auto* room = room_.free(node, lowest_row_);
    if (const auto d = lacking(room); d != none)
      return lack(exclusion_cause::no_room, d, std::max<std::int64_t>(0, room[d]));
    count(exclusion_cause::has_room, {});
  }

  /// The first resource of which there is too little; `none` if all suffice.
  [[nodiscard]] std::uint32_t lacking(const std::int64_t* room) const {
    for (std::uint32_t d = 0; d < nodes_.dims; ++d)
      if (need_[d] > nodes_.usable(room[d])) return d;
    return none;
  }

  void count_taint(const profile_record& profile) {
    const auto& tolerations = matching_.get(matcher_).tolerations;
    for (const auto& spot : profile.taints) {
      if (conf_.soft_taints_prefer && spot.effect == "PreferNoSchedule") continue;
      if (std::none_of(tolerations.begin(), tolerations.end(),
                       [&](const auto& each) { return tolerates(each, spot); }))
        return tally_.add({exclusion_cause::taint, text_of(spot, tolerations), 1, 0, 0,
                           is_passing(spot, tolerations)});
    }
    count(exclusion_cause::taint, {});
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

  void count(exclusion_cause cause, std::string subject, std::uint32_t nodes = 1) {
    tally_.add({cause, std::move(subject), nodes});
  }

  /// Adds a node that has only this much of a resource, which is too little.
  void lack(exclusion_cause cause, std::uint32_t d, std::int64_t amount) {
    tally_.add({cause, t_.dim_names[d], 1, amount, need_[d]});
  }

  const tables& t_;
  const config& conf_;
  engine::node_columns nodes_;
  engine::room room_;
  engine::matching matching_;
  const terms_record& terms_;
  const std::int64_t* need_;
  const std::string* label_ = nullptr;
  std::uint32_t lowest_row_;
  std::uint32_t matcher_ = 0;
  exclusion_tally tally_;
};

std::string nodes_that(const exclusion& why, std::string_view one_does, std::string_view many_do) {
  return std::to_string(why.nodes)
      .append(why.nodes == 1 ? " node " : " nodes ")
      .append(why.nodes == 1 ? one_does : many_do);
}

std::string shortage(const exclusion& why, const config& conf, std::string_view free) {
  const auto piece = model::unit_of(why.subject) == model::resource_unit::piece;
  const auto need = amount_text(why.need, why.subject, conf, model::rounding::up);
  auto text = nodes_that(why, "has ", "have ");
  if (why.most == 0)
    return text + "no " + why.subject + std::string{free} + ", and it needs " + need;
  return text + (piece ? "too few " : "too little ") + why.subject + std::string{free} + ": " +
         amount_text(why.most, why.subject, conf, model::rounding::down) +
         " at most, and it needs " + need;
}

}  // namespace

exclusions explain(const snapshot& from, const config& conf, std::string_view pool_name,
                   const ulid& job) {
  const auto& t = from.data();
  const auto pool = t.pools.find(pool_name);
  const auto found = t.job_numbers.find(job);
  if (pool == none || !from.settled() || found == t.job_numbers.end()) return {};
  examiner made(t, conf, pool, t.jobs[found->second].shape);
  const auto where = togetherness_of(from, conf, found->second);
  if (!where.label.empty()) made.ask_for(where.label);
  return made.run();
}

std::string sentence(const exclusion& why, const config& conf) {
  switch (why.cause) {
    case exclusion_cause::unscheduled:
      return nodes_that(why, "is", "are") + " not asked, since jobs that need " + why.subject +
             " are not started (unscheduledResources of the pool)";
    case exclusion_cause::pool_short:
      return "the pool has " + amount_of(why.most, why.subject, conf, model::rounding::down) +
             " in all, and it needs " +
             amount_text(why.need, why.subject, conf, model::rounding::up);
    case exclusion_cause::quarantined:
      return nodes_that(why, "is", "are") + " quarantined, since runs failed or were refused there";
    case exclusion_cause::closed:
      return nodes_that(why, "takes", "take") +
             " no new jobs (cordoned, out of contact, or overfull)";
    case exclusion_cause::taint:
      if (is_of_namespace(why.subject))
        return nodes_that(why, "takes", "take") + " no jobs of its namespace" +
               namespaces_in(why.subject);
      if (is_of_processes(why.subject))
        return nodes_that(why, "runs", "run") + " processes, as which " +
               not_for_processes(field_in(why.subject)) + " cannot be carried out";
      return nodes_that(why, "has", "have") + " the taint " + why.subject +
             ", which it does not tolerate";
    case exclusion_cause::selector:
      return nodes_that(why, "lacks", "lack") + " the label " + why.subject;
    case exclusion_cause::affinity:
      return nodes_that(why, "does", "do") + " not match its required node affinity";
    case exclusion_cause::too_small:
      return shortage(why, conf, "");
    case exclusion_cause::no_room:
      return shortage(why, conf, " free");
    case exclusion_cause::has_room:
      return nodes_that(why, "has", "have") + " room";
  }
  return {};
}

}  // namespace argosy::scheduling
