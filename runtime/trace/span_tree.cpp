// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/span_tree.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "runtime/trace/render_text.hpp"

namespace argosy::trace {

namespace {

std::int64_t sent_nanos(const finished_span& span) {
  return span.start_nanos - span.wait_nanos;
}

/// Deeper rows are not indented further.
constexpr std::size_t depth_shown_max = 100;

/// Walks the tree from its roots; everything is reached once, cycles from their earliest span.
class tree_walk {
 public:
  explicit tree_walk(const std::vector<finished_span>& spans) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < spans.size(); ++i)
      if (by_id_.emplace(spans[i].span, i).second) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return sent_nanos(spans[a]) < sent_nanos(spans[b]);
    });
    for (const auto index : order) {
      const auto parent = by_id_.find(cause_of(spans[index]));
      if (parent == by_id_.end() || parent->second == index)
        roots_.push_back(index);
      else
        children_[parent->second].push_back(index);
    }
    for (const auto index : roots_) visit(index);
    for (const auto index : order)
      if (!seen_.contains(index)) visit(index);
  }

  std::vector<tree_row> take() { return std::move(rows_); }

 private:
  struct pending {
    std::size_t span;
    std::size_t parent;
    std::size_t depth;
    std::string lead;
    bool last;
  };

  void visit(std::size_t root) {
    std::vector<pending> stack{{root, rows_.size(), 0, "", true}};
    while (!stack.empty()) {
      auto next = std::move(stack.back());
      stack.pop_back();
      if (!seen_.insert(next.span).second) continue;
      const auto row = rows_.size();
      const bool is_root = next.depth == 0;
      rows_.push_back({next.span, next.parent, next.depth,
                       is_root ? "" : next.lead + (next.last ? "└─ " : "├─ ")});
      auto lead = next.lead;
      if (!is_root && next.depth < depth_shown_max) lead += next.last ? "   " : "│  ";
      const auto& below = children_[next.span];
      for (std::size_t i = below.size(); i-- > 0;)
        stack.push_back({below[i], row, next.depth + 1, lead, i + 1 == below.size()});
    }
  }

  std::unordered_map<span_id, std::size_t> by_id_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> children_;
  std::vector<std::size_t> roots_;
  std::set<std::size_t> seen_;
  std::vector<tree_row> rows_;
};

std::string padded(const std::string& text) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%10s", text.c_str());
  return buffer;
}

std::string summary(const std::vector<finished_span>& spans, std::size_t count,
                    std::int64_t begin) {
  std::int64_t end = begin;
  std::set<std::string_view> processes;
  for (const auto& span : spans) {
    end = std::max(end, span.end_nanos());
    processes.insert(span.process);
  }
  return "trace " + to_string(spans.front().trace) + ": " + std::to_string(count) +
         (count == 1 ? " span" : " spans") + " in " + std::to_string(processes.size()) +
         (processes.size() == 1 ? " process, " : " processes, ") + duration_text(end - begin) +
         '\n';
}

std::string describe(const finished_span& span, bool name_process) {
  auto text = span.name + "  " + std::string{short_actor_name(span.actor)};
  if (name_process && !span.process.empty()) text += " @ " + span.process;
  if (span.failed) text += "  FAILED";
  for (const auto& [key, value] : span.attributes) text += "  " + key + '=' + value;
  return text;
}

std::int64_t begin_of(const std::vector<finished_span>& spans) {
  return sent_nanos(*std::min_element(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
    return sent_nanos(a) < sent_nanos(b);
  }));
}

/// Names participants by actor type, and by process where there are several.
class participants {
 public:
  explicit participants(const std::vector<finished_span>& spans) {
    std::set<std::string_view> processes;
    for (const auto& span : spans) processes.insert(span.process);
    with_process_ = processes.size() > 1;
  }

  std::string id(const finished_span& span) {
    auto title = std::string{short_actor_name(span.actor)};
    if (with_process_ && !span.process.empty()) title += " @ " + span.process;
    const auto [entry, fresh] = ids_.try_emplace(title, "p" + std::to_string(ids_.size()));
    if (fresh) declared_ += "  participant " + entry->second + " as " + mermaid_text(title) + '\n';
    return entry->second;
  }
  [[nodiscard]] const std::string& declared() const { return declared_; }

 private:
  bool with_process_ = false;
  std::map<std::string, std::string> ids_;
  std::string declared_;
};

}  // namespace

std::vector<tree_row> tree_rows(const std::vector<finished_span>& spans) {
  return tree_walk{spans}.take();
}

std::string render_tree(const std::vector<finished_span>& spans) {
  if (spans.empty()) return "no spans\n";
  const auto begin = begin_of(spans);
  const auto rows = tree_rows(spans);
  auto out = summary(spans, rows.size(), begin) + "        AT      WAIT       RAN\n";
  for (const auto& row : rows) {
    const auto& span = spans[row.span];
    const bool is_root = row.depth == 0;
    const bool moved = is_root || spans[rows[row.parent].span].process != span.process;
    out += padded(duration_text(sent_nanos(span) - begin)) +
           padded(span.wait_nanos > 0 ? duration_text(span.wait_nanos) : "-") +
           padded(duration_text(span.duration_nanos)) + "  " + row.branch + describe(span, moved) +
           '\n';
  }
  return out;
}

std::string render_sequence(const std::vector<finished_span>& spans) {
  if (spans.empty()) return "sequenceDiagram\n";
  auto rows = tree_rows(spans);
  const auto parents = rows;
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    return sent_nanos(spans[a.span]) < sent_nanos(spans[b.span]);
  });
  participants names{spans};
  std::string arrows;
  for (const auto& row : rows) {
    const auto& span = spans[row.span];
    const auto own = names.id(span);
    const auto label = mermaid_text(span.name) + " (" +
                       (span.wait_nanos > 0 ? duration_text(span.wait_nanos) + " + " : "") +
                       duration_text(span.duration_nanos) + (span.failed ? ", failed)" : ")");
    if (row.depth == 0) {
      arrows += "  Note over " + own + ": " + label + '\n';
      continue;
    }
    const bool reply = span.name.starts_with("reply ");
    arrows += "  " + names.id(spans[parents[row.parent].span]) + (reply ? "-->>" : "->>") + own +
              ": " + label + '\n';
  }
  return "sequenceDiagram\n" + names.declared() + arrows;
}

}  // namespace argosy::trace
