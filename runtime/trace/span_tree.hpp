// SPDX-License-Identifier: Apache-2.0
// The spans of one trace as the tree of causes, and its renderings. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/trace/finished_span.hpp"

namespace argosy::trace {

/// A span's place in the tree, in the order of reading.
struct tree_row {
  /// The index of the span among those that were given.
  std::size_t span = 0;
  /// The index of the parent's row; for a root that of its own row.
  std::size_t parent = 0;
  std::size_t depth = 0;
  /// The lines that lead to it: "│  ├─ ".
  std::string branch;
};

/// The span below which this one stands: its parent, or what it links to in another trace.
[[nodiscard]] inline span_id cause_of(const finished_span& span) noexcept {
  return span.parent != 0 ? span.parent : span.link.span;
}

/// Children follow their parent in the order in which they were sent. A span whose parent is
/// unknown is a root. Duplicates (the same span reported twice) appear once, and cycles are cut.
[[nodiscard]] std::vector<tree_row> tree_rows(const std::vector<finished_span>& spans);

/// A table: when each span was sent (after the first), how long it waited and ran, and the tree.
[[nodiscard]] std::string render_tree(const std::vector<finished_span>& spans);

/// A mermaid sequence diagram whose participants are actor types.
[[nodiscard]] std::string render_sequence(const std::vector<finished_span>& spans);

}  // namespace argosy::trace
