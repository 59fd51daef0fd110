// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runtime/base/check.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t gap = 2;

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

const std::string& shown(const std::string& text) {
  static const std::string nothing = "-";
  return text.empty() ? nothing : text;
}

}  // namespace

cell number(std::uint64_t value) {
  return {fmt::format("{}", value), static_cast<double>(value)};
}

std::vector<std::size_t> fit_columns(const std::vector<column>& columns,
                                     std::vector<std::size_t> natural, std::size_t width) {
  auto total = std::accumulate(natural.begin(), natural.end(), std::size_t{0}) +
               (natural.empty() ? 0 : gap * (natural.size() - 1));
  while (width != 0 && total > width) {
    std::size_t widest = natural.size();
    for (std::size_t i = 0; i < natural.size(); ++i) {
      const auto least = std::max(columns[i].yields_to, display_width(columns[i].title));
      if (columns[i].yields_to == 0 || natural[i] <= least) continue;
      if (widest == natural.size() || natural[i] > natural[widest]) widest = i;
    }
    if (widest == natural.size()) break;
    --natural[widest];
    --total;
  }
  return natural;
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

std::string table::draw(const table_options& options) const {
  std::vector<std::size_t> visible;
  std::vector<column> heads;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (options.wide || !columns_[i].wide) {
      visible.push_back(i);
      heads.push_back(columns_[i]);
    }
  std::vector<std::vector<std::string>> lines(rows_.size());
  std::vector<std::size_t> widths(visible.size(), 0);
  for (std::size_t c = 0; c < visible.size(); ++c) {
    if (options.headers) widths[c] = display_width(heads[c].title);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      lines[r].push_back(escaped(shown(rows_[r][visible[c]].text)));
      widths[c] = std::max(widths[c], display_width(lines[r].back()));
    }
  }
  widths = fit_columns(heads, std::move(widths), options.width);
  std::string out;
  const auto put = [&](std::string_view text, std::size_t c, look as) {
    const bool last = c + 1 == visible.size();
    auto fitted = cut_to_width(text, widths[c]);
    if (!last || heads[c].align == alignment::right)
      fitted = padded(fitted, widths[c], heads[c].align);
    out += painted(fitted, as, options.colours);
    out += last ? std::string{"\n"} : std::string(gap, ' ');
  };
  if (options.headers)
    for (std::size_t c = 0; c < visible.size(); ++c) put(heads[c].title, c, look::strong);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t c = 0; c < visible.size(); ++c) put(lines[r][c], c, rows_[r][visible[c]].as);
  return out;
}

}  // namespace argosy::ctl
