// SPDX-License-Identifier: Apache-2.0
// A list on a screen of `top`: which of its rows are shown in which order, and which one is chosen.
// The chosen thing stays chosen when the list is read again, wherever it then stands.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bins/argosyctl/verbs/listing.hpp"
#include "bins/argosyctl/verbs/top/screen.hpp"

namespace argosy::ctl {

class list_screen {
 public:
  /// `sort_by` is a column as --sort-by has it; empty: the rows stay as they come.
  explicit list_screen(std::string sort_by) : sort_by_(std::move(sort_by)) {}

  void take(listing items);

  /// Moves the choice by so many rows, and no further than the first and the last one.
  void move(std::ptrdiff_t rows);
  /// Sorts by the next column to the right (1) or to the left (-1) of those that are drawn: numbers
  /// from the highest, text from A.
  void sort_by_neighbour(int direction);
  void reverse_order();
  /// Shows only rows that have this text somewhere, in any case of letters.
  void search(std::string text);
  void show_wide(bool wide) { wide_ = wide; }

  [[nodiscard]] const std::string& searched() const noexcept { return search_; }
  [[nodiscard]] const std::string& sort_by() const noexcept { return sort_by_; }
  [[nodiscard]] bool wide() const noexcept { return wide_; }
  [[nodiscard]] std::size_t shown() const noexcept { return shown_.rows(); }
  [[nodiscard]] std::size_t all() const noexcept { return all_.rows.rows(); }
  /// The verb says this beside the list, such as that there is nothing; may be empty.
  [[nodiscard]] const std::string& remark() const noexcept;
  /// The name of the chosen thing, such as "queue/a"; empty if no row is shown.
  [[nodiscard]] const std::string& chosen() const noexcept { return chosen_; }

  /// The line of titles, and as many rows as there is room for, the chosen one among them.
  [[nodiscard]] std::vector<screen_line> draw(std::size_t width, std::size_t height);

 private:
  void settle();

  listing all_{{}};
  table shown_{{}};
  std::vector<std::string> names_;  ///< The names of the things that are shown, row by row.
  std::string sort_by_;
  std::string search_;
  std::string chosen_;
  std::size_t row_ = 0;    ///< The place of the chosen row among those shown.
  std::size_t first_ = 0;  ///< The first row that was drawn.
  std::vector<std::size_t> drawn_columns_;
  bool wide_ = false;
};

}  // namespace argosy::ctl
