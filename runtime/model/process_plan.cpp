// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/process_plan.hpp"

#include "runtime/base/whole_number.hpp"

namespace argosy::model {

std::optional<id_range> parse_id_range(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = whole_number<std::uint32_t>(text.substr(0, dash));
  const auto last = whole_number<std::uint32_t>(text.substr(dash + 1));
  if (!first || !last || *first == 0 || *last < *first || *last == UINT32_MAX) return std::nullopt;
  return id_range{*first, *last};
}

}  // namespace argosy::model
