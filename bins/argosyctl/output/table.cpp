// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bins/argosyctl/output/table_fit.hpp"
#include "runtime/base/check.hpp"

namespace argosy::ctl {

namespace {

/// A column may also be named without the signs between words, as in "jobset".
std::string plain_key(std::string key) {
  std::erase(key, '-');
  return key;
}

std::string column_key(std::string_view title) {
  auto key = lower_case(title);
  std::replace(key.begin(), key.end(), ' ', '-');
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

/// The number of the column with this title; `flag` stands at the beginning of the error.
result<std::size_t> find_column(const std::vector<column>& columns, std::string_view title,
                                std::string_view flag) {
  const auto key = column_key(title);
  std::string known;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto name = column_key(columns[i].title);
    if (plain_key(name) == plain_key(key)) return i;
    known += (known.empty() ? "" : ", ") + name;
  }
  return fail(ec::invalid_argument,
              fmt::format("{}: there is no column '{}'; the columns are {}", flag, key, known));
}

std::string csv_field(std::string_view text) {
  auto shown = escaped_lines(text);
  if (shown.find_first_of(",\"\r\n") == std::string::npos) return shown;
  std::string out = "\"";
  for (const auto letter : shown) out += letter == '"' ? std::string{"\"\""} : std::string{letter};
  return out + '"';
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
  const auto found = find_column(columns_, downwards ? title.substr(1) : title, "--sort-by");
  if (!found) return fail(found.error());
  const auto index = *found;
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto& x = rows_[downwards ? b : a][index];
    const auto& y = rows_[downwards ? a : b][index];
    return less(x, y);
  });
  return order;
}

result<std::vector<std::size_t>> table::columns_named(
    const std::vector<std::string>& titles) const {
  std::vector<std::size_t> out;
  for (const auto& title : titles) {
    const auto found = find_column(columns_, title, "-o");
    if (!found) return fail(found.error());
    out.push_back(*found);
  }
  return out;
}

void table::choose(const std::vector<std::size_t>& columns) {
  const auto pick = [&](const auto& from) {
    std::decay_t<decltype(from)> out;
    for (const auto index : columns) out.push_back(from[index]);
    return out;
  };
  columns_ = pick(columns_);
  for (auto& one : columns_) one.wide = false;
  for (auto& row : rows_) row = pick(row);
}

std::string table::csv(bool headers) const {
  std::string out;
  const auto put = [&](std::string_view text, std::size_t i) {
    if (i > 0) out += ',';
    out += csv_field(text);
    if (i + 1 == columns_.size()) out += "\r\n";
  };
  if (headers)
    for (std::size_t i = 0; i < columns_.size(); ++i) put(columns_[i].title, i);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) put(row[i].text, i);
  return out;
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
  std::string out;
  for (const auto& line : lines(options, layout)) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (i > 0) out += gap;
      out += painted(line[i].text, line[i].as, options.colours);
    }
    out += '\n';
  }
  return out;
}

std::vector<std::vector<painted_part>> table::lines(const table_options& options,
                                                    table_layout& layout) const {
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
  std::vector<std::vector<painted_part>> out;
  const auto put = [&](std::string_view text, std::size_t i, look as) {
    const bool last = i + 1 == drawn.size();
    auto fitted = cut_to_width(text, drawn[i].width);
    if (!last || drawn[i].of->align == alignment::right)
      fitted = padded(fitted, drawn[i].width, drawn[i].of->align);
    if (i == 0) out.emplace_back();
    out.back().push_back({std::move(fitted), as});
  };
  if (options.headers)
    for (std::size_t i = 0; i < drawn.size(); ++i) put(drawn[i].title, i, look::strong);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t i = 0; i < drawn.size(); ++i)
      put(drawn[i].cells[r], i, rows_[r][layout.columns[i]].as);
  return out;
}

}  // namespace argosy::ctl
