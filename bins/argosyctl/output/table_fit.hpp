// SPDX-License-Identifier: Apache-2.0
// Shares the width of a terminal among the columns of a table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bins/argosyctl/output/table.hpp"

namespace argosy::ctl {

/// A column as it will be drawn: its title and its cells, escaped.
struct drawn_column {
  const column* of = nullptr;
  std::string title;
  std::vector<std::string> cells;
  std::size_t width = 0;
};

/// The width of the column's contents.
[[nodiscard]] std::size_t natural_width(const drawn_column& of, bool headers);

/// Makes the columns fit by the rules at the head of table.hpp, which may take some out. With
/// `kept` the columns of an earlier page stay, whatever the width.
void fit(std::vector<drawn_column>& columns, const table_options& options, bool kept);

}  // namespace argosy::ctl
