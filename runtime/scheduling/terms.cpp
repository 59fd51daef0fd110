// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/terms.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/model/node.hpp"
#include "runtime/model/process_plan.hpp"
#include "runtime/model/served_namespaces.hpp"

#include <algorithm>
#include <optional>

namespace argosy::scheduling {

namespace {

std::optional<std::int64_t> integer(std::string_view text) noexcept {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  return whole_number<std::int64_t>(text);
}

}  // namespace

const std::string* find_label(const label_list& sorted, std::string_view name) noexcept {
  const auto at = std::lower_bound(
      sorted.begin(), sorted.end(), name,
      [](const auto& label, std::string_view wanted) { return label.first < wanted; });
  return at != sorted.end() && at->first == name ? &at->second : nullptr;
}

const std::string* find_label_or_id(const label_list& sorted, std::string_view name,
                                    const std::string* node_id) noexcept {
  return name == node_id_label ? node_id : find_label(sorted, name);
}

bool tolerates(const toleration& tolerance, const taint& spot, bool to_preempt) noexcept {
  if (spot.key == model::namespaces_taint)
    return tolerance.key == spot.key &&
           model::fate_in(spot.value, tolerance.value, tolerance.effect, to_preempt) ==
               model::namespace_fate::taken;
  // A toleration of everything makes no process of what cannot be one.
  if (spot.key == model::process_backend_taint)
    return tolerance.key == spot.key &&
           (tolerance.exists ||
            (spot.value == model::with_containers && tolerance.value == spot.value));
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
      return rule.values.size() == 1 && integer(rule.values.front()).has_value();
    case affinity_operator::invalid:
      break;
  }
  return false;
}

bool holds(const affinity_rule& rule, const label_list& sorted,
           const std::string* node_id) noexcept {
  if (!is_valid(rule)) return false;
  const auto* have = find_label_or_id(sorted, rule.label, node_id);
  const auto listed = [&] {
    return have != nullptr &&
           std::find(rule.values.begin(), rule.values.end(), *have) != rule.values.end();
  };
  switch (rule.op) {
    case affinity_operator::in:
      return listed();
    case affinity_operator::not_in:
      return !listed();
    case affinity_operator::exists:
      return have != nullptr;
    case affinity_operator::does_not_exist:
      return have == nullptr;
    case affinity_operator::gt:
    case affinity_operator::lt: {
      if (have == nullptr) return false;
      const auto value = integer(*have);
      const auto bound = integer(rule.values.front());
      if (!value || !bound) return false;
      return rule.op == affinity_operator::gt ? *value > *bound : *value < *bound;
    }
    case affinity_operator::invalid:
      break;
  }
  return false;
}

}  // namespace argosy::scheduling
