// SPDX-License-Identifier: Apache-2.0
// How the columns of a table share the width of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bins/argosyctl/output/table.hpp"

namespace argosy::ctl {

/// A table as it will be drawn: titles and cells, escaped, a list for each column.
struct drawn_column {
  const column* of = nullptr;
  std::string title;
  std::vector<std::string> cells;
  std::size_t width = 0;
};

/// As wide as its contents.
[[nodiscard]] std::size_t natural_width(const drawn_column& of, bool headers);

/// Makes the columns fit by the rules at the head of table.hpp; some are taken out. `kept` columns
/// of an earlier page stay, whatever the width.
void fit(std::vector<drawn_column>& columns, const table_options& options, bool kept);

}  // namespace argosy::ctl
