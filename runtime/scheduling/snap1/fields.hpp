// SPDX-License-Identifier: Apache-2.0
// Functions that read the fields of a SNAP1 line as values.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/scheduling/terms.hpp"

namespace argosy::scheduling::snap1 {

using field_list = std::vector<std::string_view>;

[[nodiscard]] field_list split(std::string_view text, char at);
/// 'a=b,c=d' as pairs; '-' is empty.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> pairs(
    std::string_view text);
[[nodiscard]] taint read_taint(std::string_view text);
[[nodiscard]] toleration read_toleration(std::string_view text);
[[nodiscard]] affinity_term read_affinity(std::string_view text);

/// Reads a whole number within these limits.
template <std::integral T>
[[nodiscard]] result<T> read_whole(std::string_view text, T least = std::numeric_limits<T>::min(),
                                   T most = std::numeric_limits<T>::max()) {
  const auto value = whole_number<T>(text);
  if (!value || *value < least || *value > most)
    return fail(ec::invalid_argument, "'" + std::string(text) + "' is not a whole number from " +
                                          std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

/// Reads a number, which may be infinite.
[[nodiscard]] result<double> read_decimal(std::string_view text);
/// Reads a number that is neither infinite nor below 0.
[[nodiscard]] result<double> read_share(std::string_view text);
/// 'a=1,b=2' with each value read by `read_one`; '-' is empty.
[[nodiscard]] result<std::vector<std::pair<std::string, double>>> read_fractions(
    std::string_view text, result<double> (*read_one)(std::string_view) = read_share);
[[nodiscard]] result<bool> read_flag(std::string_view text);
/// Whether the word stands there or '-'.
[[nodiscard]] result<bool> read_word(std::string_view text, std::string_view word);
/// A Kubernetes quantity of whole thousandths in steps of `milli_per_step` of them, rounded down or
/// up.
[[nodiscard]] result<std::int64_t> read_quantity(std::string_view text, std::int64_t milli_per_step,
                                                 bool round_up);

}  // namespace argosy::scheduling::snap1
