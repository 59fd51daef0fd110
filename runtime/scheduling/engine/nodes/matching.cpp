// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/matching.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

namespace {

const taint shut_taint{std::string(unschedulable_taint_key), "true", "NoSchedule"};

/// With more matchers, or room for more verdicts in all of them, it is better to begin anew.
constexpr std::size_t matchers_most = 20'000;
constexpr std::size_t verdicts_most = std::size_t{256} << 20;

}  // namespace

matching::matching(const node_columns& nodes) : nodes_(nodes), t_(nodes.t) {
  std::vector<std::uint8_t> seen(t_.kinds.size(), 0);
  kind_profiles_.resize(t_.kinds.size());
  kind_has_special_.assign(t_.kinds.size(), 0);
  std::vector<std::uint8_t> profile_seen(t_.profiles.size(), 0);
  for (std::uint32_t node = 0; node < nodes.count(); ++node) {
    const auto kind = nodes.kind(node);
    if (seen[kind] == 0) kinds_.push_back(kind);
    seen[kind] = 1;
    if (nodes.shut(node) || nodes.barred(node)) kind_has_special_[kind] = 1;
    const auto profile = nodes.record(node).profile;
    profile_.push_back(profile);
    special_.push_back(nodes.shut(node) || nodes.barred(node));
    if (profile_seen[profile] == 0) kind_profiles_[kind].push_back(profile);
    profile_seen[profile] = 1;
  }
  plain_.assign(t_.terms.size(), 0);
  for (const auto& kind : t_.kinds)
    kind_is_soft_.push_back(
        std::any_of(kind.taints.begin(), kind.taints.end(),
                    [](const auto& spot) { return spot.effect == "PreferNoSchedule"; }));
}

bool matching::begin_round() const {
  const auto count = matchers_.size();
  return count <= matchers_most && count * t_.profiles.size() <= verdicts_most;
}

std::uint32_t matching::find(std::uint32_t terms, const added_terms& added) {
  const bool plain = added.defaults && added.away_mask == 0 && added.label == none &&
                     added.executor == none && !added.to_preempt;
  if (terms >= plain_.size()) plain_.resize(t_.terms.size(), 0);
  if (plain && plain_[terms] != 0) return plain_[terms] - 1;
  const auto away_class = added.away_mask == 0 ? 0 : added.away_class;
  const key wanted{terms,       added.defaults, away_class,     added.away_mask,
                   added.label, added.value,    added.executor, added.to_preempt};
  const auto [at, is_new] =
      numbers_.try_emplace(wanted, static_cast<std::uint32_t>(matchers_.size()));
  if (plain) plain_[terms] = at->second + 1;
  if (!is_new) return at->second;

  const auto number = at->second;
  matchers_.emplace_back();
  if (added.label != none && !is_indexed(added.label))
    confine(number, terms, added);
  else
    make(number, terms, added);
  return number;
}

void matching::confine(std::uint32_t number, std::uint32_t terms, const added_terms& added) {
  auto without = added;
  without.label = without.value = none;
  const auto base = find(terms, without);
  auto& m = matchers_[number];
  m.terms = terms;
  m.added = added;
  m.base = base;
  m.tolerations = matchers_[base].tolerations;
  m.by_node = true;
  m.only = &values_.at(added.label).nodes.at(added.value);
}

void matching::make(std::uint32_t number, std::uint32_t terms, const added_terms& added) {
  auto& m = matchers_[number];
  m.terms = terms;
  m.added = added;
  m.tolerations = t_.terms[terms].tolerations;
  if (added.defaults)
    m.tolerations.insert(m.tolerations.end(), nodes_.conf.default_tolerations.begin(),
                         nodes_.conf.default_tolerations.end());
  if (added.away_mask != 0) {
    const auto& away = nodes_.conf.classes[added.away_class].away;
    for (std::size_t i = 0; i < away.size(); ++i) {
      if ((added.away_mask & (1u << i)) == 0) continue;
      for (const auto& type : nodes_.conf.node_types) {
        if (type.name != away[i].node_type) continue;
        for (const auto& spot : type.taints)
          m.tolerations.push_back({spot.key, spot.value, spot.value == "*", spot.effect});
      }
    }
  }
  m.tolerates_shut = tolerated(m, shut_taint);
  m.by_node = t_.terms[terms].names_node || added.executor != none;
  m.by_profile.assign(t_.profiles.size(), 0);
  for (const auto kind : kinds_)
    if (suits_kind(m, t_.kinds[kind])) m.kinds.push_back(kind);
}

bool matching::tolerated(const matcher& m, const taint& spot) const {
  if (nodes_.conf.soft_taints_prefer && spot.effect == "PreferNoSchedule") return true;
  return std::any_of(m.tolerations.begin(), m.tolerations.end(), [&](const auto& tolerance) {
    return tolerates(tolerance, spot, m.added.to_preempt);
  });
}

bool matching::suits_kind(const matcher& m, const kind_record& kind) const {
  for (const auto& spot : kind.taints)
    if (!tolerated(m, spot)) return false;
  const auto agrees = [&](std::string_view label, std::string_view value) {
    const auto& indexed = nodes_.conf.indexed_labels;
    if (std::find(indexed.begin(), indexed.end(), label) == indexed.end()) return true;
    const auto* have = find_label(kind.labels, label);
    return have != nullptr && *have == value;
  };
  for (const auto& [label, value] : t_.terms[m.terms].selector)
    if (!agrees(label, value)) return false;
  return m.added.label == none ||
         agrees(label_name(m.added.label), value_names_.name(m.added.value));
}

bool matching::affinity_holds(const terms_record& terms, const label_list& labels,
                              const std::string* node_id) {
  if (terms.affinity.empty()) return true;
  for (const auto& term : terms.affinity) {
    bool all = true;
    for (const auto& rule : term) {
      failed_ = failed_ || !is_valid(rule);
      all = holds(rule, labels, node_id);
      if (!all) break;
    }
    if (all && !failed_) return true;
  }
  return false;
}

verdict matching::judge_profile(const matcher& m, const profile_record& profile,
                                const std::string* node_id) {
  for (const auto& spot : profile.taints)
    if (!tolerated(m, spot)) return verdict::taint;
  const auto& terms = t_.terms[m.terms];
  const auto agrees = [&](std::string_view label, std::string_view value) {
    const auto* have = find_label_or_id(profile.labels, label, node_id);
    return have != nullptr && *have == value;
  };
  for (const auto& [label, value] : terms.selector)
    if (!agrees(label, value)) return verdict::selector;
  if (m.added.label != none && !agrees(label_name(m.added.label), value_names_.name(m.added.value)))
    return verdict::selector;
  if (!nodes_.conf.isolated_trials || terms.valid) {
    if (!affinity_holds(terms, profile.labels, node_id)) return verdict::affinity;
    return verdict::fits;
  }
  // A job with an invalid rule fits nowhere, but does not make the round fail.
  return verdict::affinity;
}

verdict matching::judge(std::uint32_t number, std::uint32_t node) {
  auto& m = matchers_[number];
  if (m.only != nullptr) {
    const auto& carried = values_.at(m.added.label);
    return carried.of_node[node] == m.added.value ? judge(m.base, node) : verdict::selector;
  }
  if (nodes_.barred(node) || (nodes_.shut(node) && !m.tolerates_shut)) return verdict::taint;
  const auto& record = nodes_.record(node);
  if (m.added.executor != none && record.executor != m.added.executor) return verdict::selector;
  const auto& profile = t_.profiles[record.profile];
  if (t_.terms[m.terms].names_node) return judge_profile(m, profile, &record.id);
  auto& known = m.by_profile[record.profile];
  if (known == 0) known = static_cast<std::uint8_t>(judge_profile(m, profile, &record.id));
  return static_cast<verdict>(known);
}

bool matching::suits(std::uint32_t number, std::uint32_t node) {
  const auto& m = matchers_[number];
  if (special_[node] == 0 && !m.by_node) {
    const auto known = m.by_profile[profile_[node]];
    if (known != 0) return static_cast<verdict>(known) == verdict::fits;
  }
  return judge(number, node) == verdict::fits;
}

bool matching::suits_whole_kind(std::uint32_t number, std::uint32_t kind) {
  const auto& m = matchers_[number];
  if (kind_has_special_[kind] != 0 || m.by_node || !t_.terms[m.terms].affinity.empty())
    return false;
  const auto& profiles = kind_profiles_[kind];
  return std::all_of(profiles.begin(), profiles.end(),
                     [&](auto profile) { return suits_profile(number, profile); });
}

bool matching::suits_profile(std::uint32_t number, std::uint32_t profile) {
  auto& m = matchers_[number];
  auto& known = m.by_profile[profile];
  if (known == 0)
    known = static_cast<std::uint8_t>(judge_profile(m, t_.profiles[profile], nullptr));
  return static_cast<verdict>(known) == verdict::fits;
}

std::uint32_t matching::soft_taints(std::uint32_t number, std::uint32_t kind) const {
  if (kind_is_soft_[kind] == 0 || !nodes_.conf.soft_taints_prefer) return 0;
  const auto& m = matchers_[number];
  std::uint32_t count = 0;
  for (const auto& spot : t_.kinds[kind].taints) {
    if (spot.effect != "PreferNoSchedule") continue;
    count += std::none_of(m.tolerations.begin(), m.tolerations.end(),
                          [&](const auto& tolerance) { return tolerates(tolerance, spot); });
  }
  return count;
}

const std::vector<std::uint32_t>& matching::executors() {
  auto& list = executors_;
  if (!list.empty()) return list;
  for (std::uint32_t node = 0; node < nodes_.count(); ++node)
    list.push_back(nodes_.record(node).executor);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
    return t_.executors.name(a) < t_.executors.name(b);
  });
  return list;
}

}  // namespace argosy::scheduling::engine
