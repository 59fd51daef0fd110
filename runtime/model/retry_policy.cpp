// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/retry_policy.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/base/text.hpp"
#include "runtime/model/alphanumeric.hpp"

namespace argosy::model {

namespace {

constexpr std::size_t name_bytes_max = 63;
constexpr std::size_t rules_max = 1'000;
constexpr std::size_t category_bytes_max = 1'024;

result<void> validate(const memory_bump& bump, const std::string& place) {
  if (bump.factor.has_value() == bump.bytes.has_value())
    return fail(ec::invalid_argument,
                place + ".mutate.resources.memory needs either static or factor");
  if (bump.factor && !(std::isfinite(*bump.factor) && *bump.factor > 1))
    return fail(ec::invalid_argument,
                place + ".mutate.resources.memory.factor must be more than 1");
  if (bump.bytes && *bump.bytes <= 0)
    return fail(ec::invalid_argument,
                place + ".mutate.resources.memory.static must be more than 0");
  return {};
}

}  // namespace

result<void> validate_policy_name(std::string_view name) {
  const bool well_formed =
      !name.empty() && name.size() <= name_bytes_max && is_alphanumeric(name.front()) &&
      is_alphanumeric(name.back()) &&
      std::ranges::all_of(name, [](char c) { return c == '-' || is_alphanumeric(c); });
  if (well_formed) return {};
  return fail(ec::invalid_argument,
              "the name of a retry policy has 1 to 63 of a-z, 0-9 and '-', and begins and ends "
              "with a letter or digit; '" +
                  shown(name) + "' is none");
}

result<void> validate(const retry_policy& policy) {
  if (auto valid = validate_policy_name(policy.name); !valid) return valid;
  if (policy.rules.size() > rules_max)
    return fail(ec::invalid_argument, "a retry policy has at most 1000 rules");
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    const auto& rule = policy.rules[i];
    const auto place = "rules[" + std::to_string(i) + "]";
    if (rule.category.empty()) return fail(ec::invalid_argument, place + " needs on_category");
    for (const auto* text : {&rule.category, &rule.subcategory})
      if (text->size() > category_bytes_max || find_control_character(*text))
        return fail(ec::invalid_argument, place +
                                              " has a category that is too long or has control "
                                              "characters");
    if (!rule.memory) continue;
    if (auto valid = validate(*rule.memory, place); !valid) return valid;
  }
  return {};
}

std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& name : names)
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  return out;
}

}  // namespace argosy::model
