// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/locate.hpp"

#include <charconv>
#include <vector>

#include "messages/submit_file/job_file.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

namespace {

using yaml::node;

/// One part of a path: `.name`, `[3]` or `["key"]`.
struct step {
  std::string_view text;  ///< The part as it stands in the path.
  std::string_view name;  ///< The name, or the key without its quotes; empty for a number.
  std::size_t number = 0;
  bool is_key = false;
};

std::optional<step> take_step(std::string_view path) {
  if (path.starts_with('.')) {
    const auto end = path.find_first_of(".[: ", 1);
    const auto text = path.substr(0, end);
    if (text.size() == 1) return std::nullopt;
    return step{text, text.substr(1)};
  }
  if (path.starts_with("[\"")) {
    const auto end = path.find("\"]");
    if (end == std::string_view::npos) return std::nullopt;
    return step{path.substr(0, end + 2), path.substr(2, end - 2), 0, true};
  }
  const auto end = path.find(']');
  if (!path.starts_with('[') || end == std::string_view::npos) return std::nullopt;
  step out{path.substr(0, end + 1), {}};
  const auto [last, status] = std::from_chars(path.data() + 1, path.data() + end, out.number);
  if (status != std::errc{} || last != path.data() + end) return std::nullopt;
  return out;
}

std::vector<step> steps_of(std::string_view path, std::size_t& size) {
  std::vector<step> steps;
  size = 0;
  while (const auto next = take_step(path.substr(size))) {
    steps.push_back(*next);
    size += next->text.size();
  }
  return steps;
}

/// The JSON name of a field: "pod_spec" is "podSpec".
std::string file_name_of(std::string_view field) {
  std::string out;
  bool raise = false;
  for (const char c : field) {
    if (c != '_') out += raise && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    raise = c == '_';
  }
  return out;
}

std::optional<node> item_of(const node& list, std::size_t number) {
  for (const auto item : list.items())
    if (number-- == 0) return item;
  return std::nullopt;
}

file_place walk(const node& job, std::size_t number, const std::vector<step>& steps) {
  std::optional<node> here = job;
  auto place = job;
  file_place out{0, 0, "jobs[" + std::to_string(number) + "]"};
  for (const auto& step : steps) {
    const auto name = step.is_key ? std::string{step.name} : file_name_of(step.name);
    out.field += step.is_key || step.name.empty() ? std::string{step.text} : "." + name;
    if (!here) continue;
    std::optional<node> next;
    if (step.name.empty()) next = item_of(*here, step.number);
    if (next) place = *next;
    for (const auto& [key, value] : here->entries())
      if (!step.name.empty() && key.text() == name) {
        place = step.is_key ? key : value;
        next = value;
      }
    here = next;
  }
  out.line = place.line();
  out.column = place.column();
  return out;
}

}  // namespace

std::optional<file_place> locate(std::string_view text, std::size_t number, std::string_view path,
                                 std::size_t& path_size) {
  const auto steps = steps_of(path, path_size);
  std::optional<file_place> found;
  const auto parsed = yaml::parse_items(
      text, {}, "jobs",
      [&](const node& job, std::size_t at) -> result<void> {
        if (at < number) return {};
        found = walk(job, number, steps);
        return fail(ec::cancelled, "found");
      },
      job_file_limits());
  static_cast<void>(parsed);  // The file was read before; only the place counts.
  return found;
}

}  // namespace argosy::submit_file
