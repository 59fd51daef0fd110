// SPDX-License-Identifier: Apache-2.0
// Which numbers a field of a request may have. Every number that somebody can send has a row, so
// that what is kept cannot overflow later, where nobody could tell the sender any more.
#pragma once

#include <google/protobuf/message.h>

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::codec {

/// Both ends are included. A row without ends is of a field for which every number has a meaning,
/// or whose handler cuts it or refuses it with words of its own. What is not a number is refused by
/// every row.
struct number_range {
  std::string_view field;  ///< Message and field: "Probe.periodSeconds".
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string_view hint{};  ///< What to do instead; empty: the range says it.

  [[nodiscard]] bool bounded() const noexcept {
    return least != -std::numeric_limits<double>::infinity() ||
           most != std::numeric_limits<double>::infinity();
  }
};

[[nodiscard]] std::span<const number_range> number_ranges();

/// The row of a field; null: it has none.
[[nodiscard]] const number_range* range_of(const google::protobuf::FieldDescriptor& field);

/// ec::invalid_argument, with the place of the field below `place` and its range, for a message
/// that has a number outside its range, or an amount such as "64Mi" that is none, however deep.
/// Fields that are not set have no number.
[[nodiscard]] result<void> check_numbers(const google::protobuf::Message& message,
                                         const std::string& place = {});

}  // namespace argosy::codec
