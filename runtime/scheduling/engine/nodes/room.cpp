// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/room.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

room::room(const node_columns& nodes)
    : nodes_(nodes),
      rows_(nodes.rows.count()),
      free_(std::size_t{nodes.count()} * rows_ * nodes.dims),
      maxima_(nodes),
      units_(nodes),
      raised_lowest_(nodes.count(), 0),
      raised_above_(nodes.count(), 0) {
  std::vector<std::uint32_t> kinds;
  std::vector<std::uint32_t> profiles;
  kinds.reserve(nodes.count());
  profiles.reserve(nodes.count());
  for (std::uint32_t node = 0; node < nodes.count(); ++node) {
    fill(node);
    kinds.push_back(nodes.kind(node));
    profiles.push_back(nodes.record(node).profile);
  }
  changes_.open(kinds, static_cast<std::uint32_t>(nodes.t.kinds.size()), profiles,
                static_cast<std::uint32_t>(nodes.t.profiles.size()));
  if (!units_.rounds()) return;
  for (std::uint32_t node = 0; units_.kept_apart() && node < nodes.count(); ++node)
    for (std::uint32_t row = 0; row < rows_; ++row) units_.see_room(free(node, row));
}

void room::fill(std::uint32_t node) {
  const auto dims = nodes_.dims;
  for (std::uint32_t row = 0; row < rows_; ++row)
    std::copy_n(nodes_.total(node), dims, at(node, row));
  const auto deduct = [&](std::size_t upto, const std::int64_t* amounts) {
    auto* left = at(node, 0);
    for (std::size_t row = 0; row < upto; ++row, left += dims)
      for (std::uint32_t d = 0; d < dims; ++d) left[d] -= amounts[d];
  };
  nodes_.visit_bound(node, deduct);
  if (const auto* stopping = nodes_.held_by_stopping(node)) deduct(rows_, stopping);
}

void room::measure(std::uint32_t node) {
  fill(node);
  for (std::uint32_t row = 0; row < rows_; ++row) {
    maxima_.raise(row, free(node, row));
    if (units_.rounds() && units_.kept_apart()) units_.see_room(free(node, row));
  }
  note_growth(node, true);
  note_growth(node, false);
}

void room::take(std::uint32_t node, std::uint32_t first, std::uint32_t last, std::uint32_t shape) {
  units_.see(shape);
  const auto* need = nodes_.t.amounts(shape);
  auto* left = at(node, first);
  for (auto row = first; row < last; ++row, left += nodes_.dims)
    for (std::uint32_t d = 0; d < nodes_.dims; ++d) left[d] -= need[d];
}

void room::give(std::uint32_t node, std::uint32_t first, std::uint32_t last, std::uint32_t shape) {
  units_.see(shape);
  const auto* need = nodes_.t.amounts(shape);
  auto* left = at(node, first);
  for (auto row = first; row < last; ++row, left += nodes_.dims) {
    for (std::uint32_t d = 0; d < nodes_.dims; ++d) left[d] += need[d];
    maxima_.raise(row, left);
  }
}

void room::note_growth(std::uint32_t node, bool lowest) {
  changes_.note(node);
  changes_.note_growth();
  (lowest ? raised_lowest_ : raised_above_)[node] = changes_.now();
}

}  // namespace argosy::scheduling::engine
