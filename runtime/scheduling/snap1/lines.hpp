// SPDX-License-Identifier: Apache-2.0
// Sorts the lines of SNAP1 by kind and numbers them as they stand in the text.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/snap1/fields.hpp"

namespace argosy::scheduling::snap1 {

/// A line. Its fields point into the text and are not empty; the first is the kind.
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

/// The problem, with the number of its line before the message.
[[nodiscard]] failure at_line(std::size_t number, const error& problem);

/// Fails with ec::invalid_argument for a line of an unknown kind, or with too few or too many
/// fields.
[[nodiscard]] result<sorted_lines> sort_lines(std::string_view text);

}  // namespace argosy::scheduling::snap1
