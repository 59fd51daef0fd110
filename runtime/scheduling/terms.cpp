// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/terms.hpp"

#include <algorithm>
#include <charconv>

namespace argosy::scheduling {

namespace {

bool is_integer(std::string_view text) noexcept {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size();
}

}  // namespace

const std::string* find_label(const label_list& sorted, std::string_view name) noexcept {
  const auto at = std::lower_bound(
      sorted.begin(), sorted.end(), name,
      [](const auto& label, std::string_view wanted) { return label.first < wanted; });
  return at != sorted.end() && at->first == name ? &at->second : nullptr;
}

bool tolerates(const toleration& tolerance, const taint& spot) noexcept {
  if (!tolerance.effect.empty() && tolerance.effect != spot.effect) return false;
  if (!tolerance.key.empty() && tolerance.key != spot.key) return false;
  return tolerance.exists || tolerance.value == spot.value;
}

bool is_valid(const affinity_rule& rule) noexcept {
  switch (rule.op) {
    case affinity_operator::in:
    case affinity_operator::not_in:
      return !rule.values.empty();
    case affinity_operator::exists:
    case affinity_operator::does_not_exist:
      return rule.values.empty();
    case affinity_operator::gt:
    case affinity_operator::lt:
      return rule.values.size() == 1 && is_integer(rule.values.front());
    case affinity_operator::invalid:
      break;
  }
  return false;
}

}  // namespace argosy::scheduling
