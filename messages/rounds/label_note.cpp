// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/label_note.hpp"

#include <algorithm>

#include "runtime/scheduling/tables.hpp"

namespace argosy::rounds {

namespace {

/// The profiles that some present node has. A profile outlives its nodes.
std::vector<bool> profiles_in_use(const scheduling::tables& tables) {
  std::vector<bool> used(tables.profiles.size());
  for (const auto& node : tables.nodes)
    if (node.present) used[node.profile] = true;
  return used;
}

bool is_carried(const scheduling::tables& tables, const std::vector<bool>& used,
                const std::string& label) {
  if (label == scheduling::node_id_label) return true;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] && std::ranges::any_of(tables.profiles[i].labels,
                                       [&](const auto& each) { return each.first == label; }))
      return true;
  return false;
}

bool is_read(const scheduling::config& conf, const std::string& label) {
  return conf.base != scheduling::preset::current ||
         std::ranges::find(conf.indexed_labels, label) != conf.indexed_labels.end();
}

}  // namespace

std::vector<std::string> labels_of(
    const std::vector<std::shared_ptr<const model::job_header>>& jobs) {
  constexpr std::size_t labels_max = 10;
  std::vector<std::string> labels;
  for (const auto& job : jobs) {
    if (!job->gang || job->gang->uniformity_label.empty() || labels.size() == labels_max) continue;
    const auto& label = job->gang->uniformity_label;
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

std::string label_note(const scheduling::snapshot& from, const scheduling::config& conf,
                       const std::vector<std::string>& labels) {
  const auto& tables = from.data();
  const auto used = profiles_in_use(tables);
  if (std::ranges::find(used, true) == used.end()) return {};
  std::string note;
  for (const auto& label : labels) {
    std::string why;
    if (!is_carried(tables, used, label))
      why = "no node of any known cluster has the label '" + label +
            "', whose value the members of the gang must share: the gang waits until one has it";
    else if (!is_read(conf, label))
      why = "the members of the gang must share a value of the label '" + label +
            "', and preset current reads only the labels of scheduling.indexedNodeLabels: the "
            "gang waits until it is one of them";
    if (!why.empty()) note += (note.empty() ? "" : "; ") + why;
  }
  return note;
}

}  // namespace argosy::rounds
