// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/top/list_screen.hpp"

#include <algorithm>
#include <numeric>

#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

bool has_text(const table& rows, std::size_t row, const std::string& lower) {
  for (std::size_t c = 0; c < rows.columns().size(); ++c)
    if (lower_case(rows.at(row, c).text).find(lower) != std::string::npos) return true;
  return false;
}

bool is_downwards(const std::string& sort_by) {
  return sort_by.starts_with('-');
}

std::string column_of(const std::string& sort_by) {
  return is_downwards(sort_by) ? sort_by.substr(1) : sort_by;
}

}  // namespace

const std::string& list_screen::remark() const noexcept {
  return all_.notice.empty() ? all_.hint : all_.notice;
}

void list_screen::take(listing items) {
  all_ = std::move(items);
  settle();
}

void list_screen::settle() {
  shown_ = all_.rows;
  std::vector<std::size_t> order(all_.rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!sort_by_.empty())
    if (auto sorted = all_.rows.sorted_by(sort_by_)) order = std::move(*sorted);
  const auto lower = lower_case(search_);
  if (!lower.empty())
    std::erase_if(order, [&](std::size_t row) { return !has_text(all_.rows, row, lower); });
  shown_.arrange(order);
  names_.clear();
  for (const auto row : order) names_.push_back(all_.names[row]);
  const auto found = std::find(names_.begin(), names_.end(), chosen_);
  if (found != names_.end()) row_ = static_cast<std::size_t>(found - names_.begin());
  move(0);
}

void list_screen::move(std::ptrdiff_t rows) {
  if (names_.empty()) {
    row_ = 0;
    chosen_.clear();
    return;
  }
  const auto last = static_cast<std::ptrdiff_t>(names_.size()) - 1;
  const auto wanted = std::clamp(static_cast<std::ptrdiff_t>(row_), std::ptrdiff_t{0}, last);
  row_ = static_cast<std::size_t>(
      std::clamp(wanted + std::clamp(rows, -last, last), std::ptrdiff_t{0}, last));
  chosen_ = names_[row_];
}

void list_screen::sort_by_neighbour(int direction) {
  if (drawn_columns_.empty()) return;
  const auto& columns = all_.rows.columns();
  const auto now = std::find_if(
      drawn_columns_.begin(), drawn_columns_.end(),
      [&, title = column_of(sort_by_)](std::size_t c) { return columns[c].title == title; });
  const auto count = static_cast<std::ptrdiff_t>(drawn_columns_.size());
  // From the order of the server, the first step leads to the first or to the last column.
  const auto from =
      now == drawn_columns_.end() ? (direction > 0 ? -1 : count) : now - drawn_columns_.begin();
  const auto next = std::clamp(from + direction, std::ptrdiff_t{0}, count - 1);
  const auto& chosen = columns[drawn_columns_[static_cast<std::size_t>(next)]];
  sort_by_ = (chosen.align == alignment::right ? "-" : "") + chosen.title;
  settle();
}

void list_screen::reverse_order() {
  if (sort_by_.empty()) return;
  sort_by_ = is_downwards(sort_by_) ? column_of(sort_by_) : "-" + sort_by_;
  settle();
}

void list_screen::search(std::string text) {
  search_ = std::move(text);
  settle();
}

std::vector<screen_line> list_screen::draw(std::size_t width, std::size_t height) {
  if (all_.rows.columns().empty()) return {};  // Nothing was read yet.
  table_layout layout;
  auto lines = shown_.lines({.width = width, .wide = wide_}, layout);
  drawn_columns_ = layout.columns;
  const auto room = height > 1 ? height - 1 : 1;
  first_ = std::min(first_, shown_.rows() > room ? shown_.rows() - room : 0);
  if (row_ < first_) first_ = row_;
  if (row_ >= first_ + room) first_ = row_ + 1 - room;
  const auto with_gaps = [](std::vector<painted_part> parts) {
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) parts[i].text += gap;
    return parts;
  };
  std::vector<screen_line> out;
  out.push_back({with_gaps(std::move(lines.front()))});
  const auto last = std::min(first_ + room, shown_.rows());
  for (auto row = first_; row < last; ++row)
    out.push_back({with_gaps(std::move(lines[row + 1])), row == row_});
  return out;
}

}  // namespace argosy::ctl
