// SPDX-License-Identifier: Apache-2.0
// The lines of SNAP1 by kind, each with its number in the text.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/snap1/fields.hpp"

namespace argosy::scheduling::snap1 {

/// Fields point into the text; the first is the kind. None is empty.
struct line {
  std::size_t number;
  field_list fields;
};

struct sorted_lines {
  std::vector<line> conf;
  std::vector<line> nodes;
  std::vector<line> queues;
  std::vector<line> limits;
  std::vector<line> jobs;
  std::vector<line> runs;
};

/// The problem with the line in front of it.
[[nodiscard]] failure at_line(std::size_t number, const error& problem);

/// ec::invalid_argument for a line that is none, or has too few or too many fields.
[[nodiscard]] result<sorted_lines> sort_lines(std::string_view text);

}  // namespace argosy::scheduling::snap1
