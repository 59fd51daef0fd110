// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/status/last_round.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace argosy::ctl {

namespace {

using std::chrono::seconds;

/// Takes what stands before the mark off the text, and the mark; nothing if it is not there.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const auto out = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return out;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number out{};
  const auto* const end = text.data() + text.size();
  if (text.empty() || std::from_chars(text.data(), end, out).ptr != end) return {};
  return out;
}

/// Reads "2.0 s", "12 min", "3 h" or "4 days".
std::optional<seconds> age_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, int>, 4> units{
      {{"s", 1}, {"min", 60}, {"h", 3'600}, {"days", 86'400}}};
  const auto amount = take_until(text, " ");
  const auto value = amount ? number_of<double>(*amount) : std::nullopt;
  for (const auto& [unit, factor] : units)
    if (value && text == unit) return seconds{static_cast<std::int64_t>(*value * factor)};
  return {};
}

std::optional<last_round> read_line(std::string_view line) {
  constexpr std::string_view discarded = "; the last plan was discarded: ";
  if (!line.starts_with("pool ")) return {};
  line.remove_prefix(5);
  const auto pool = take_until(line, ": ");
  if (!pool) return {};
  last_round out;
  out.pool = *pool;
  if (const auto at = line.find(discarded); at != std::string_view::npos) {
    out.discarded = line.substr(at + discarded.size());
    line = line.substr(0, at);
  }
  if (line.starts_with("no round ")) return out;
  if (!line.starts_with("round ")) return {};
  line.remove_prefix(6);
  const auto number = take_until(line, ", ");
  const auto age = take_until(line, " ago, ");
  const auto read_number = number ? number_of<std::uint64_t>(*number) : std::nullopt;
  const auto read_age = age ? age_of(*age) : std::nullopt;
  if (!read_number || !read_age) return {};
  out.number = *read_number;
  out.age = *read_age;
  out.did = line;
  return out;
}

}  // namespace

std::vector<last_round> read_last_rounds(std::string_view report) {
  std::vector<last_round> out;
  while (!report.empty()) {
    auto rest = report;
    const auto line = take_until(rest, "\n").value_or(report);
    if (auto round = read_line(line)) out.push_back(std::move(*round));
    report.remove_prefix(std::min(report.size(), line.size() + 1));
  }
  return out;
}

}  // namespace argosy::ctl
