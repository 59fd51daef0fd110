// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/table_fit.hpp"

#include <algorithm>

#include "bins/argosyctl/output/shorten.hpp"

namespace argosy::ctl {

namespace {

std::size_t line_width(const std::vector<std::size_t>& widths) {
  std::size_t all = widths.empty() ? 0 : gap.size() * (widths.size() - 1);
  for (const auto width : widths) all += width;
  return all;
}

std::size_t line_width(const std::vector<drawn_column>& columns) {
  std::vector<std::size_t> widths;
  for (const auto& one : columns) widths.push_back(one.width);
  return line_width(widths);
}

std::size_t least_width(const drawn_column& of) {
  if (of.of->yields_to == 0) return of.width;
  return std::min(of.width, std::max(of.of->yields_to, display_width(of.title)));
}

std::size_t least_line(const std::vector<drawn_column>& columns) {
  std::vector<std::size_t> widths;
  for (const auto& one : columns) widths.push_back(least_width(one));
  return line_width(widths);
}

void use_brief_titles(std::vector<drawn_column>& columns, bool headers) {
  for (auto& one : columns) {
    if (one.of->brief.empty()) continue;
    one.title = one.of->brief;
    one.width = natural_width(one, headers);
  }
}

void shorten_names(std::vector<drawn_column>& columns, bool headers) {
  for (auto& one : columns) {
    if (one.of->shortens == shortening::none) continue;
    // An empty cell is shown as "-".
    for (auto& text : one.cells)
      if (text == "-") text.clear();
    one.cells =
        one.of->shortens == shortening::ids ? short_ids(one.cells) : short_places(one.cells);
    for (auto& text : one.cells)
      if (text.empty()) text = "-";
    one.width = natural_width(one, headers);
  }
}

void leave_out_spare(std::vector<drawn_column>& columns, std::size_t width) {
  while (least_line(columns) > width) {
    const auto spare =
        std::max_element(columns.begin(), columns.end(),
                         [](const auto& a, const auto& b) { return a.of->spare < b.of->spare; });
    if (spare == columns.end() || spare->of->spare == 0) return;
    columns.erase(spare);
  }
}

/// Narrows the columns that yield, the widest first.
void squeeze(std::vector<drawn_column>& columns, std::size_t width) {
  for (auto total = line_width(columns); total > width; --total) {
    drawn_column* widest = nullptr;
    for (auto& one : columns)
      if (one.width > least_width(one) && (widest == nullptr || one.width > widest->width))
        widest = &one;
    if (widest == nullptr) return;
    --widest->width;
  }
}

}  // namespace

std::size_t natural_width(const drawn_column& of, bool headers) {
  std::size_t width = headers ? display_width(of.title) : 0;
  for (const auto& text : of.cells) width = std::max(width, display_width(text));
  return width;
}

void fit(std::vector<drawn_column>& columns, const table_options& options, bool kept) {
  const auto too_wide = [&] { return line_width(columns) > options.width; };
  if (options.width == 0 || options.wide || !too_wide()) return;
  use_brief_titles(columns, options.headers);
  if (too_wide()) shorten_names(columns, options.headers);
  if (too_wide() && !kept) leave_out_spare(columns, options.width);
  if (too_wide()) squeeze(columns, options.width);
}

}  // namespace argosy::ctl
