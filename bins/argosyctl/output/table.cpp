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

std::size_t least_width(const column& of, std::size_t natural) {
  if (of.yields_to == 0) return natural;
  return std::min(natural, std::max(of.yields_to, display_width(of.title)));
}

std::size_t line_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
         (widths.empty() ? 0 : gap * (widths.size() - 1));
}

/// Takes columns away, the widest first, until the line fits or all are as small as they may be.
void shrink(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least,
            std::size_t width) {
  for (auto total = line_width(widths); total > width; --total) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

}  // namespace

cell number(std::uint64_t value) {
  return {fmt::format("{}", value), static_cast<double>(value)};
}

std::vector<std::size_t> fit_columns(const std::vector<column>& columns,
                                     std::vector<std::size_t> natural, std::size_t width) {
  if (width == 0) return natural;
  std::vector<std::size_t> least;
  for (std::size_t i = 0; i < columns.size(); ++i)
    least.push_back(least_width(columns[i], natural[i]));
  shrink(natural, least, width);
  std::fill(least.begin(), least.end(), 1);
  shrink(natural, least, width);
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

std::string table::lasting_text(std::size_t row, bool wide) const {
  std::string text;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].ticks || (columns_[c].wide && !wide)) continue;
    text += rows_[row][c].text;
    text += '\0';
  }
  return text;
}

/// Leaves out spare columns until the others fit, however narrow they may become.
std::vector<std::size_t> table::visible(const table_options& options,
                                        const std::vector<std::size_t>& natural) const {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (options.wide || !columns_[i].wide) shown.push_back(i);
  while (options.width != 0 && !options.wide) {
    std::vector<std::size_t> least;
    for (const auto i : shown) least.push_back(least_width(columns_[i], natural[i]));
    if (line_width(least) <= options.width) break;
    const auto spare = std::max_element(shown.begin(), shown.end(), [&](auto a, auto b) {
      return columns_[a].spare < columns_[b].spare;
    });
    if (spare == shown.end() || columns_[*spare].spare == 0) break;
    shown.erase(spare);
  }
  return shown;
}

std::string table::draw(const table_options& options) const {
  std::vector<std::size_t> natural(columns_.size(), 0);
  std::vector<std::vector<std::string>> lines(rows_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (options.headers) natural[c] = display_width(columns_[c].title);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      lines[r].push_back(escaped(shown(rows_[r][c].text)));
      natural[c] = std::max(natural[c], display_width(lines[r].back()));
    }
  }
  const auto drawn = visible(options, natural);
  std::vector<column> heads;
  std::vector<std::size_t> widths;
  for (const auto c : drawn) {
    heads.push_back(columns_[c]);
    widths.push_back(natural[c]);
  }
  widths = fit_columns(heads, std::move(widths), options.width);
  std::string out;
  const auto put = [&](std::string_view text, std::size_t c, look as) {
    const bool last = c + 1 == drawn.size();
    auto fitted = cut_to_width(text, widths[c]);
    if (!last || heads[c].align == alignment::right)
      fitted = padded(fitted, widths[c], heads[c].align);
    out += painted(fitted, as, options.colours);
    out += last ? std::string{"\n"} : std::string(gap, ' ');
  };
  if (options.headers)
    for (std::size_t c = 0; c < drawn.size(); ++c) put(heads[c].title, c, look::strong);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t c = 0; c < drawn.size(); ++c)
      put(lines[r][drawn[c]], c, rows_[r][drawn[c]].as);
  return out;
}

}  // namespace argosy::ctl
