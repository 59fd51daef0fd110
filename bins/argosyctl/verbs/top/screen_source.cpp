// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/top/screen_source.hpp"

#include <fmt/format.h>

namespace argosy::ctl {

namespace {

using kind = screen_source::kind;

struct thing {
  std::string_view kind;
  std::string name;
};

/// "node/east/n1" is the node "east/n1".
thing parts_of(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return {};
  return {name.substr(0, slash), std::string{name.substr(slash + 1)}};
}

screen_source jobs_of(const char* flag, const std::string& value) {
  return {kind::list,
          {"get", "jobs", flag + ("=" + value), "--active", "--limit=" + std::to_string(jobs_max)}};
}

/// The words with a name behind them, which is no flag however it begins.
screen_source text_of(std::vector<std::string> words, std::string name) {
  if (name.starts_with('-')) words.emplace_back("--");
  words.push_back(std::move(name));
  return {kind::text, std::move(words)};
}

}  // namespace

screen_source source_of(const top_view& view) {
  return {kind::list, {"get", std::string{view.name}}, std::string{view.sort_by}};
}

std::optional<screen_source> source_inside(std::string_view name) {
  auto [what, id] = parts_of(name);
  if (what == "queue") return jobs_of("--queue", id);
  if (what == "node") return jobs_of("--node", id);
  if (what == "cluster")
    return screen_source{kind::list, {"get", "nodes", "--cluster=" + id}, "-RUNS"};
  if (what == "job") return text_of({"explain"}, std::move(id));
  if (what == "round") return source_about(name);
  return std::nullopt;
}

std::optional<screen_source> source_about(std::string_view name) {
  auto [what, id] = parts_of(name);
  for (const auto* known : {"queue", "node", "cluster", "job", "round"})
    if (what == known) return text_of({"describe", known}, std::move(id));
  return std::nullopt;
}

std::string command_line(const screen_source& source) {
  std::string text = "argosyctl";
  for (const auto& word : source.words) text += ' ' + word;
  return text;
}

}  // namespace argosy::ctl
