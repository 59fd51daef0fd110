// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/snap1/lines.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace argosy::scheduling::snap1 {

namespace {

struct rule {
  std::string_view kind;
  std::size_t least;  ///< The least number of fields, the kind included.
  std::size_t most;
  std::vector<line> sorted_lines::*into;
};

constexpr rule rules[] = {{"C", 3, 3, &sorted_lines::conf},   {"N", 9, 12, &sorted_lines::nodes},
                          {"Q", 3, 4, &sorted_lines::queues}, {"L", 5, 6, &sorted_lines::limits},
                          {"J", 15, 18, &sorted_lines::jobs}, {"R", 5, 7, &sorted_lines::runs}};

result<void> check_fields(const rule* found, const field_list& fields) {
  if (found == std::end(rules) || fields.size() < found->least)
    return fail(ec::invalid_argument, "not a C, N, Q, L, J or R record with all its fields");
  const auto empty = std::find(fields.begin(), fields.end(), std::string_view{});
  if (empty != fields.end())
    return fail(ec::invalid_argument,
                "field " + std::to_string(empty - fields.begin() + 1) +
                    " is empty; fields stand by single blanks, and '-' is nothing");
  if (fields.size() > found->most)
    return fail(ec::invalid_argument, "a record " + std::string(found->kind) + " has at most " +
                                          std::to_string(found->most) + " fields, not " +
                                          std::to_string(fields.size()));
  return {};
}

}  // namespace

failure at_line(std::size_t number, const error& problem) {
  return fail(problem.code, "line " + std::to_string(number) + ": " + problem.detail);
}

result<sorted_lines> sort_lines(std::string_view text) {
  sorted_lines sorted;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    auto row = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
    if (row.empty() || row.front() == '#') continue;
    auto fields = split(row, ' ');
    const auto* found = std::find_if(std::begin(rules), std::end(rules),
                                     [&](const rule& r) { return fields.front() == r.kind; });
    if (auto ok = check_fields(found, fields); !ok) return at_line(number, ok.error());
    (sorted.*found->into).push_back({number, std::move(fields)});
  }
  return sorted;
}

}  // namespace argosy::scheduling::snap1
