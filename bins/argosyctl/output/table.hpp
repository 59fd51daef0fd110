// SPDX-License-Identifier: Apache-2.0
// A table that fits the terminal: columns are as wide as their contents. When a line would be too
// long, titles become brief, and ids and places are shortened. Then columns that may yield become
// narrower, the widest first, and at last the spare ones are left out. Nothing else is ever cut,
// least of all a number; the line is then longer than the terminal.
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

/// How the texts of a column may be shortened.
enum class shortening : std::uint8_t { none, ids, places };

struct column {
  std::string title{};
  alignment align = alignment::left;
  bool wide = false;          ///< The column is shown only with -o wide.
  std::size_t yields_to = 0;  ///< The column may be cut to this width; 0: never.
  /// Spare columns are left out, the greatest number first; 0: never. With -o wide all stay.
  std::uint8_t spare = 0;
  bool ticks = false;  ///< The column changes by the passing of time alone.
  shortening shortens = shortening::none;
  std::string brief{};  ///< The title where there is little room; empty: the title itself.
};

/// Makes a column of numbers.
[[nodiscard]] column numbers(std::string title, std::string brief = {}, std::uint8_t spare = 0);

struct cell {
  cell() = default;
  cell(std::string shown, look appearance = look::plain)  // NOLINT: cells are written as text
      : text(std::move(shown)), as(appearance) {}
  cell(std::string shown, double sort_value, look appearance = look::plain)
      : text(std::move(shown)), as(appearance), number(sort_value) {}

  std::string text;  ///< The text is escaped when it is drawn; an empty one is drawn as "-".
  look as = look::plain;
  std::optional<double> number;  ///< The value to sort by when the text would sort wrongly.
};

/// Makes a cell with a number, which is shown in full and sorted by value.
[[nodiscard]] cell number(std::uint64_t value, look as = look::plain);

struct table_options {
  std::size_t width = 0;  ///< The columns of the terminal; 0: no limit.
  bool headers = true;
  bool wide = false;  ///< All columns are shown, as wide as they are.
  bool colours = false;
};

/// What the pages of one long table share, so that they have the same columns.
struct table_layout {
  std::vector<std::size_t> columns;  ///< The columns that are drawn; empty before the first page.
  std::vector<std::size_t> widths;   ///< The widths of these columns.
};

/// The blanks between two columns.
inline constexpr std::string_view gap = "  ";

/// A part of a line that looks the same throughout.
struct painted_part {
  std::string text;
  look as = look::plain;
};

class table {
 public:
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// Adds a row with as many cells as there are columns.
  void add(std::vector<cell> row);
  /// Adds the rows of a table with the same columns.
  void append(table other);
  void clear() { rows_.clear(); }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }
  [[nodiscard]] const cell& at(std::size_t row, std::size_t column) const {
    return rows_[row][column];
  }
  [[nodiscard]] const std::vector<column>& columns() const noexcept { return columns_; }

  /// The numbers of the rows in the order of a column. The title names it in any case, with '-' or
  /// '_' for blanks; "-title" sorts downwards. ec::invalid_argument for another title, with the
  /// list of columns.
  [[nodiscard]] result<std::vector<std::size_t>> sorted_by(std::string_view title) const;

  /// The numbers of the columns with these titles, written as above. ec::invalid_argument for an
  /// unknown one, with the list of columns.
  [[nodiscard]] result<std::vector<std::size_t>> columns_named(
      const std::vector<std::string>& titles) const;

  /// Keeps these columns, in this order; all of them are then shown without -o wide.
  void choose(const std::vector<std::size_t>& columns);

  /// Puts the rows into this order; rows that it does not name are dropped.
  void arrange(const std::vector<std::size_t>& order);

  /// The row without the columns that tick, as text that changes only when something has happened.
  /// The columns of -o wide count only if asked for.
  [[nodiscard]] std::string lasting_text(std::size_t row, bool wide = true) const;

  /// Draws the table as complete lines.
  [[nodiscard]] std::string draw(const table_options& options) const;
  /// Writes all columns, those of -o wide too, as RFC 4180 says: uncut, without colours, and each
  /// line ends with CR and LF. A cell that is empty stays so. Control characters are escaped, but
  /// for line feeds and tabs.
  [[nodiscard]] std::string csv(bool headers) const;

  /// Draws one page of a longer table, with the columns of the last page and no narrower.
  [[nodiscard]] std::string draw(const table_options& options, table_layout& layout) const;
  /// Lays one page out as draw() does: for each line, that of the titles too, a part for each
  /// column of the layout. A gap belongs between two parts.
  [[nodiscard]] std::vector<std::vector<painted_part>> lines(const table_options& options,
                                                             table_layout& layout) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<cell>> rows_;
};

}  // namespace argosy::ctl
