// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/mistakes.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace argosy::submit_file {

namespace {

/// Takes a number and the colon behind it from the front of a text; 0 when there is none.
std::size_t take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto size = static_cast<std::size_t>(end - text.data());
  if (status != std::errc{} || size == text.size() || text[size] != ':') return 0;
  text.remove_prefix(size + 1);
  return number;
}

/// The text with its line feeds escaped, since the whole list has a line for each mistake.
std::string in_one_line(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  return out;
}

/// The order of the file.
constexpr auto by_place = [](const auto& a, const auto& b) {
  return std::tie(a.line, a.column) < std::tie(b.line, b.column);
};

}  // namespace

result<void> told_at(const yaml::node& where, result<void> outcome) {
  if (outcome) return outcome;
  return yaml::fail_at(where, outcome.error().detail);
}

void mistake_list::add(const error& found) {
  const auto told = in_one_line(found.detail);
  const auto same = [&](const mistake& known) { return known.text == told; };
  if (full() || std::ranges::any_of(mistakes_, same)) return;
  if (mistakes_.empty()) code_ = found.code;
  mistake added{0, 0, told};
  std::string_view text = told;
  if (text.starts_with(file_ + ":")) {
    text.remove_prefix(file_.size() + 1);
    added.line = take_number(text);
    added.column = take_number(text);
  }
  mistakes_.push_back(std::move(added));
}

bool mistake_list::note(const result<void>& outcome) {
  if (!outcome) add(outcome.error());
  return outcome.has_value();
}

failure mistake_list::to_failure() const {
  auto sorted = mistakes_;
  std::ranges::stable_sort(sorted, by_place);
  std::string text;
  for (const auto& one : sorted) text += (text.empty() ? "" : "\n") + one.text;
  if (full())
    text += "\n" + file_ + ": there may be more mistakes; after " + std::to_string(mistakes_max) +
            " the rest is not looked at";
  return fail(code_, text);
}

void remark_list::add(const yaml::node& where, std::string_view text) {
  for (auto& known : remarks_)
    if (known.text == text) {
      ++known.times;
      return;
    }
  if (remarks_.size() < remarks_max)
    remarks_.push_back({where.line(), where.column(), where.where(), std::string{text}, 1});
}

std::vector<std::string> remark_list::lines() const {
  auto sorted = remarks_;
  std::ranges::stable_sort(sorted, by_place);
  std::vector<std::string> out;
  for (const auto& one : sorted)
    out.push_back(
        one.place + ": " + one.text +
        (one.times > 1 ? " (stands here " + std::to_string(one.times) + " times)" : std::string{}));
  return out;
}

}  // namespace argosy::submit_file
