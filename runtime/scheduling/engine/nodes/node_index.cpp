// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/node_index.hpp"

#include <algorithm>
#include <utility>

namespace argosy::scheduling::engine {

node_index::node_index(const node_columns& nodes, const room& free, std::uint32_t row)
    : nodes_(nodes),
      room_(free),
      row_(row),
      width_(static_cast<std::uint32_t>(nodes.indexed.size())),
      cells_(width_, 0),
      numbers_(64, cell_hash{this}, cell_equal{this}) {}

std::size_t node_index::cell_hash::operator()(std::uint32_t number) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  const auto* amounts = index->cell(number);
  for (std::uint32_t i = 0; i < index->width_; ++i) {
    hash = (hash ^ static_cast<std::uint64_t>(amounts[i])) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

std::uint32_t node_index::cell_of(std::uint32_t node) {
  const auto number = static_cast<std::uint32_t>(cells_.size() / width_);
  const auto* room = room_.free(node, row_);
  for (const auto& [dimension, step] : nodes_.indexed) {
    const auto amount = nodes_.usable(room[dimension]);
    cells_.push_back(step == 1 ? amount : amount / step * step);
  }
  const auto [at, added] = numbers_.insert(number);
  if (!added) cells_.resize(cells_.size() - width_);
  return *at;
}

void node_index::build() {
  const auto count = nodes_.count();
  filed_.resize(count);
  std::vector<entry> entries(count);
  for (std::uint32_t node = 0; node < count; ++node) {
    filed_[node] = width_ == 0 ? 0 : cell_of(node);
    entries[node] = {filed_[node], nodes_.order(node), node};
  }
  std::sort(entries.begin(), entries.end(), less{this});
  trees_.resize(nodes_.t.kinds.size());
  positions_.assign(nodes_.t.kinds.size(), room_.known_changes().filed());
  for (const auto& e : entries) {
    auto& nodes = trees_[nodes_.kind(e.node)];
    if (!nodes) nodes = std::make_unique<tree>(less{this});
    nodes->insert(nodes->end(), e);
  }
}

void node_index::refresh(std::uint32_t kind) {
  if (trees_.empty()) return build();
  const auto& changes = room_.known_changes();
  const auto since = std::exchange(positions_[kind], changes.filed());
  if (width_ == 0) return;
  changes.visit(changes.list_of_kind(kind), since, [&](std::uint32_t node) {
    const auto number = cell_of(node);
    if (number == filed_[node]) return true;
    auto& nodes = *trees_[kind];
    nodes.erase(entry{filed_[node], nodes_.order(node), node});
    nodes.insert(entry{number, nodes_.order(node), node});
    filed_[node] = number;
    return true;
  });
}

node_index::tree::const_iterator node_index::seek(const tree& nodes,
                                                  const std::int64_t* mark) const {
  std::copy_n(mark, width_, cells_.begin());
  return nodes.lower_bound(entry{0, 0, 0});
}

node_index::walk::walk(const node_index& index, std::uint32_t kind, const std::int64_t* need)
    : index_(&index), nodes_(index.trees_[kind].get()), need_(need) {
  if (nodes_ == nullptr) return;
  for (std::uint32_t i = 0; i < index.width_; ++i) mark_[i] = need[index.nodes_.indexed[i].first];
  at_ = index.width_ == 0 ? nodes_->begin() : index.seek(*nodes_, mark_.data());
}

std::uint32_t node_index::walk::next() {
  if (nodes_ == nullptr) return none;
  const auto& index = *index_;
  const auto& indexed = index.nodes_.indexed;
  while (at_ != nodes_->end()) {
    const auto& found = *at_;
    ++visited_;
    const auto* room = index.room_.free(found.node, index.row_);
    const auto enough = [&](std::uint32_t d) { return index.nodes_.usable(room[d]) >= need_[d]; };
    std::uint32_t lacking = 0;
    while (lacking < index.width_ && enough(indexed[lacking].first)) ++lacking;
    if (lacking == index.width_) {
      ++at_;
      return found.node;
    }
    std::array<std::int64_t, indexed_max> onward;
    const auto* rounded = index.cell(found.cell);
    for (std::uint32_t i = 0; i < index.width_; ++i)
      onward[i] = i < lacking ? rounded[i] : need_[indexed[i].first];
    if (index.compare(onward.data(), mark_.data()) <= 0) {
      ++at_;
      continue;
    }
    mark_ = onward;
    if (index.compare(onward.data(), rounded) <= 0) {
      stuck_ = true;
      return none;
    }
    at_ = index.seek(*nodes_, mark_.data());
  }
  return none;
}

}  // namespace argosy::scheduling::engine
