// SPDX-License-Identifier: Apache-2.0
// The message-flow graph: one node for each actor type, one arrow for each pair that exchanged
// messages, labelled with messages and counts. Pure.
#pragma once

#include <string>
#include <vector>

#include "runtime/trace/flow.hpp"

namespace argosy::trace {

struct graph_options {
  /// Whether replies have arrows, too, which are dotted.
  bool replies = false;
  /// Whether messages that CAF sends by itself are shown: exit, down, and time-outs.
  bool system_messages = false;
};

/// Renders a mermaid "flowchart LR".
[[nodiscard]] std::string render_flow_mermaid(const std::vector<flow_edge>& edges,
                                              const graph_options& options = {});

/// Renders the graph for graphviz.
[[nodiscard]] std::string render_flow_dot(const std::vector<flow_edge>& edges,
                                          const graph_options& options = {});

/// {"nodes":[...],"edges":[...]}: every edge and counter, whatever the kind; times in nanoseconds.
[[nodiscard]] std::string render_flow_json(const std::vector<flow_edge>& edges);

}  // namespace argosy::trace
