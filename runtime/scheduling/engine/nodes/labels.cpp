// SPDX-License-Identifier: Apache-2.0
// The labels whose value all members of a gang must share, and which nodes carry which value.
#include <algorithm>

#include "runtime/scheduling/engine/nodes/matching.hpp"

namespace argosy::scheduling::engine {

std::uint32_t matching::default_label() const {
  const auto known = t_.label_names.find(nodes_.conf.default_uniformity_label);
  return known != none ? known : static_cast<std::uint32_t>(t_.label_names.size());
}

const std::string& matching::label_name(std::uint32_t label) const {
  return label < t_.label_names.size() ? t_.label_names.name(label)
                                       : nodes_.conf.default_uniformity_label;
}

bool matching::is_indexed(std::uint32_t label) const {
  // The node id is no label of a kind, so that kinds do not tell its values apart.
  const auto& indexed = nodes_.conf.indexed_labels;
  const auto& name = label_name(label);
  return name != node_id_label && std::find(indexed.begin(), indexed.end(), name) != indexed.end();
}

void matching::read_kinds(label_values& into, const std::string& label) {
  for (const auto kind : kinds_) {
    const auto* value = find_label(t_.kinds[kind].labels, label);
    if (value == nullptr) continue;
    into.carried = true;
    if (!value->empty()) into.texts.push_back(*value);
  }
}

void matching::read_nodes(label_values& into, const std::string& label) {
  into.of_node.assign(nodes_.count(), none);
  for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
    const auto& record = nodes_.record(node);
    const auto* value =
        label == node_id_label ? &record.id : find_label(t_.profiles[record.profile].labels, label);
    if (value == nullptr) continue;
    into.carried = true;
    if (value->empty()) continue;
    const auto number = value_names_.intern(*value);
    into.of_node[node] = number;
    auto& sharing = into.nodes[number];
    if (sharing.empty()) into.texts.push_back(*value);
    sharing.push_back(node);
  }
}

const label_values& matching::values(std::uint32_t label) {
  const auto [at, added] = values_.try_emplace(label);
  auto& made = at->second;
  if (!added) return made;
  if (is_indexed(label))
    read_kinds(made, label_name(label));
  else if (nodes_.conf.base != preset::current)
    read_nodes(made, label_name(label));
  else
    made.carried = true;  // Nobody looked whether the label is carried.
  std::sort(made.texts.begin(), made.texts.end());
  made.texts.erase(std::unique(made.texts.begin(), made.texts.end()), made.texts.end());
  for (const auto& text : made.texts) made.numbers.push_back(value_names_.intern(text));
  return made;
}

}  // namespace argosy::scheduling::engine
