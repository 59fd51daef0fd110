// SPDX-License-Identifier: Apache-2.0
// A table that fits the terminal: columns are as wide as their contents. When a line would be too
// long, titles become brief, ids and places are shortened, then columns marked as yielding give
// way, the widest first, and then the spare ones are left out. Nothing else is ever cut, least of
// all a number: rather than that a line is longer than the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/output/console.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "runtime/base/result.hpp"

namespace argosy::ctl {

/// What of a column goes first.
enum class shortening : std::uint8_t { none, ids, places };

struct column {
  std::string title{};
  alignment align = alignment::left;
  bool wide = false;          ///< Only with -o wide.
  std::size_t yields_to = 0;  ///< May be cut to so many columns; 0: never.
  std::uint8_t spare = 0;     ///< What is greater is left out first; 0: never. Not with -o wide.
  bool ticks = false;         ///< Changes by the passing of time alone.
  shortening shortens = shortening::none;
  std::string brief{};  ///< The title where there is little room; empty: the same.
};

/// A column of numbers.
[[nodiscard]] column numbers(std::string title, std::string brief = {}, std::uint8_t spare = 0);

struct cell {
  cell() = default;
  cell(std::string shown, look appearance = look::plain)  // NOLINT: cells are written as text
      : text(std::move(shown)), as(appearance) {}
  cell(std::string shown, double sort_value, look appearance = look::plain)
      : text(std::move(shown)), as(appearance), number(sort_value) {}

  std::string text;  ///< Escaped when drawn; empty is drawn as "-".
  look as = look::plain;
  std::optional<double> number;  ///< What to sort by when the text would sort wrongly.
};

/// Shown in full, sorted by value.
[[nodiscard]] cell number(std::uint64_t value, look as = look::plain);

struct table_options {
  std::size_t width = 0;  ///< Columns of the terminal; 0: no limit.
  bool headers = true;
  bool wide = false;  ///< Everything, as wide as it is.
  bool colours = false;
};

/// How the pages of one long table keep the same columns.
struct table_layout {
  std::vector<std::size_t> columns;  ///< Those that are drawn; empty before the first page.
  std::vector<std::size_t> widths;   ///< Theirs.
};

class table {
 public:
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns.
  void add(std::vector<cell> row);
  /// The rows of a table with the same columns.
  void append(table other);
  void clear() { rows_.clear(); }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }
  [[nodiscard]] const std::vector<column>& columns() const noexcept { return columns_; }

  /// Row numbers in the order of a column, named by its title in any case with '-' or '_' for
  /// blanks; "-title" sorts downwards. ec::invalid_argument, listing the columns, for another.
  [[nodiscard]] result<std::vector<std::size_t>> sorted_by(std::string_view title) const;

  /// Rows by their numbers; others are dropped.
  void arrange(const std::vector<std::size_t>& order);

  /// The row without the columns that tick: other than before when something has happened. The
  /// columns of -o wide count only if asked for.
  [[nodiscard]] std::string lasting_text(std::size_t row, bool wide = true) const;

  /// Complete lines.
  [[nodiscard]] std::string draw(const table_options& options) const;
  /// One page of a longer table: with the columns of the last one, and no narrower.
  [[nodiscard]] std::string draw(const table_options& options, table_layout& layout) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<cell>> rows_;
};

}  // namespace argosy::ctl
