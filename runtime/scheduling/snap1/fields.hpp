// SPDX-License-Identifier: Apache-2.0
// The pieces of a SNAP1 line as values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
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

[[nodiscard]] result<std::int64_t> read_integer(std::string_view text);
[[nodiscard]] result<double> read_decimal(std::string_view text);
/// A Kubernetes quantity of whole thousandths in steps of `milli_per_step` of them, rounded down or
/// up.
[[nodiscard]] result<std::int64_t> read_quantity(std::string_view text, std::int64_t milli_per_step,
                                                 bool round_up);

}  // namespace argosy::scheduling::snap1
