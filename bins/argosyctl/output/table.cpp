// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bins/argosyctl/output/table_fit.hpp"
#include "runtime/base/check.hpp"

namespace argosy::ctl {

namespace {

constexpr std::string_view gap = "  ";

std::string column_key(std::string_view title) {
  auto key = lower_case(title);
  std::replace(key.begin(), key.end(), ' ', '-');
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

bool less(const cell& a, const cell& b) {
  if (a.number && b.number) return *a.number < *b.number;
  return a.text < b.text;
}

}  // namespace

column numbers(std::string title, std::string brief, std::uint8_t spare) {
  column out;
  out.title = std::move(title);
  out.brief = std::move(brief);
  out.align = alignment::right;
  out.spare = spare;
  return out;
}

cell number(std::uint64_t value, look as) {
  return {fmt::format("{}", value), static_cast<double>(value), value == 0 ? look::plain : as};
}

void table::add(std::vector<cell> row) {
  ARGOSY_CHECK(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

void table::append(table other) {
  for (auto& row : other.rows_) add(std::move(row));
}

result<std::vector<std::size_t>> table::sorted_by(std::string_view title) const {
  const bool downwards = title.starts_with('-');
  const auto key = column_key(downwards ? title.substr(1) : title);
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const column& c) { return column_key(c.title) == key; });
  if (found == columns_.end()) {
    std::string known;
    for (const auto& c : columns_) known += (known.empty() ? "" : ", ") + column_key(c.title);
    return fail(ec::invalid_argument,
                fmt::format("--sort-by: there is no column '{}'; the columns are {}", key, known));
  }
  const auto index = static_cast<std::size_t>(found - columns_.begin());
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto& x = rows_[downwards ? b : a][index];
    const auto& y = rows_[downwards ? a : b][index];
    return less(x, y);
  });
  return order;
}

void table::arrange(const std::vector<std::size_t>& order) {
  std::vector<std::vector<cell>> sorted;
  sorted.reserve(rows_.size());
  for (const auto index : order) sorted.push_back(std::move(rows_[index]));
  rows_ = std::move(sorted);
}

std::string table::lasting_text(std::size_t row, bool wide) const {
  std::string text;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].ticks || (columns_[c].wide && !wide)) continue;
    text += rows_[row][c].text;
    text += '\0';
  }
  return text;
}

std::string table::draw(const table_options& options) const {
  table_layout layout;
  return draw(options, layout);
}

std::string table::draw(const table_options& options, table_layout& layout) const {
  const bool kept = !layout.columns.empty();
  std::vector<drawn_column> drawn;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool shown =
        kept ? std::find(layout.columns.begin(), layout.columns.end(), c) != layout.columns.end()
             : options.wide || !columns_[c].wide;
    if (!shown) continue;
    auto& one = drawn.emplace_back(drawn_column{&columns_[c], columns_[c].title, {}, 0});
    for (const auto& row : rows_)
      one.cells.push_back(row[c].text.empty() ? "-" : escaped(row[c].text));
    one.width = natural_width(one, options.headers);
  }
  fit(drawn, options, kept);
  for (std::size_t i = 0; i < drawn.size() && kept; ++i)
    drawn[i].width = std::max(drawn[i].width, layout.widths[i]);
  layout = {};
  for (const auto& one : drawn) {
    layout.columns.push_back(static_cast<std::size_t>(one.of - columns_.data()));
    layout.widths.push_back(one.width);
  }
  std::string out;
  const auto put = [&](std::string_view text, std::size_t i, look as) {
    const bool last = i + 1 == drawn.size();
    auto fitted = cut_to_width(text, drawn[i].width);
    if (!last || drawn[i].of->align == alignment::right)
      fitted = padded(fitted, drawn[i].width, drawn[i].of->align);
    out += painted(fitted, as, options.colours);
    out += last ? "\n" : gap;
  };
  if (options.headers)
    for (std::size_t i = 0; i < drawn.size(); ++i) put(drawn[i].title, i, look::strong);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t i = 0; i < drawn.size(); ++i)
      put(drawn[i].cells[r], i, rows_[r][layout.columns[i]].as);
  return out;
}

}  // namespace argosy::ctl
