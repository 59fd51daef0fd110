// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/flow_graph.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "runtime/trace/render_text.hpp"

namespace argosy::trace {

namespace {

constexpr std::string_view reply_prefix = "reply ";

bool is_reply(const flow_edge& edge) {
  return edge.message.starts_with(reply_prefix);
}

bool is_system(const flow_edge& edge) {
  constexpr std::array<std::string_view, 4> names{"exit", "down", "timeout", "sys"};
  return std::find(names.begin(), names.end(), edge.message) != names.end();
}

struct arrow {
  std::string from;
  std::string to;
  bool reply = false;
  /// The labels, for example "submit 12", in the order of names.
  std::vector<std::string> labels;
};

/// One arrow for each pair and direction, ordered by names.
std::vector<arrow> arrows_of(const std::vector<flow_edge>& edges, const graph_options& options) {
  std::map<std::tuple<std::string, std::string, bool>, arrow> arrows;
  for (const auto& edge : edges) {
    const bool reply = is_reply(edge);
    if ((reply && !options.replies) || (is_system(edge) && !options.system_messages)) continue;
    std::string from{short_actor_name(edge.from)};
    std::string to{short_actor_name(edge.to)};
    auto& merged = arrows[{from, to, reply}];
    merged.from = std::move(from);
    merged.to = std::move(to);
    merged.reply = reply;
    const auto name = reply ? edge.message.substr(reply_prefix.size()) : edge.message;
    merged.labels.push_back(name + ' ' + std::to_string(std::max(edge.sent, edge.handled)));
  }
  std::vector<arrow> ordered;
  for (auto& entry : arrows) ordered.push_back(std::move(entry.second));
  return ordered;
}

/// The ids that stand for the names of nodes.
std::map<std::string, std::string> nodes_of(const std::vector<arrow>& arrows) {
  std::map<std::string, std::string> nodes;
  for (const auto& item : arrows) {
    nodes.try_emplace(item.from);
    nodes.try_emplace(item.to);
  }
  std::size_t number = 0;
  for (auto& [name, id] : nodes) id = "a" + std::to_string(number++);
  return nodes;
}

std::string joined(const std::vector<std::string>& labels, std::string_view separator,
                   std::string (*escape)(std::string_view)) {
  std::string out;
  for (const auto& label : labels) {
    if (!out.empty()) out += separator;
    out += escape(label);
  }
  return out;
}

std::string dot_part(std::string_view text) {
  const auto quoted = dot_text(text);
  return quoted.substr(1, quoted.size() - 2);
}

std::string json_times(std::string_view name, const histogram& times) {
  const std::string prefix = ",\"" + std::string{name};
  return prefix + "P50\":" + std::to_string(times.quantile(0.5)) + prefix +
         "P99\":" + std::to_string(times.quantile(0.99)) + prefix +
         "Sum\":" + std::to_string(times.sum_nanos());
}

}  // namespace

std::string render_flow_mermaid(const std::vector<flow_edge>& edges, const graph_options& options) {
  const auto arrows = arrows_of(edges, options);
  const auto nodes = nodes_of(arrows);
  std::string out = "flowchart LR\n";
  for (const auto& [name, id] : nodes) out += "  " + id + "[\"" + mermaid_text(name) + "\"]\n";
  for (const auto& item : arrows)
    out += "  " + nodes.at(item.from) + (item.reply ? " -.->|\"" : " -->|\"") +
           joined(item.labels, "<br/>", mermaid_text) + "\"| " + nodes.at(item.to) + '\n';
  return out;
}

std::string render_flow_dot(const std::vector<flow_edge>& edges, const graph_options& options) {
  const auto arrows = arrows_of(edges, options);
  std::string out = "digraph argosy {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const auto& entry : nodes_of(arrows)) out += "  " + dot_text(entry.first) + ";\n";
  for (const auto& item : arrows)
    out += "  " + dot_text(item.from) + " -> " + dot_text(item.to) + " [label=\"" +
           joined(item.labels, "\\n", dot_part) + (item.reply ? "\", style=dotted];\n" : "\"];\n");
  return out + "}\n";
}

std::string render_flow_json(const std::vector<flow_edge>& edges) {
  std::set<std::string> names;
  for (const auto& edge : edges) {
    names.emplace(short_actor_name(edge.from));
    names.emplace(short_actor_name(edge.to));
  }
  std::string out = "{\"nodes\":[";
  for (const auto& name : names) out += (out.back() == '[' ? "" : ",") + json_text(name);
  out += "],\"edges\":[";
  for (const auto& edge : edges) {
    if (out.back() != '[') out += ',';
    out += "{\"from\":" + json_text(short_actor_name(edge.from)) +
           ",\"to\":" + json_text(short_actor_name(edge.to)) +
           ",\"message\":" + json_text(edge.message) + ",\"sent\":" + std::to_string(edge.sent) +
           ",\"handled\":" + std::to_string(edge.handled) +
           ",\"dropped\":" + std::to_string(edge.dropped) +
           ",\"failed\":" + std::to_string(edge.failed) +
           ",\"waiting\":" + std::to_string(edge.waiting()) +
           ",\"depthMax\":" + std::to_string(edge.depth_max) + json_times("waitNanos", edge.wait) +
           json_times("processingNanos", edge.processing) + '}';
  }
  return out + "]}\n";
}

}  // namespace argosy::trace
