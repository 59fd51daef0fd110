// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/amounts.hpp"

#include <algorithm>
#include <limits>

#include "runtime/base/check.hpp"

namespace argosy::model {

namespace {

auto place_of(resource_list& sum, const std::string& resource) {
  return std::lower_bound(sum.begin(), sum.end(), resource,
                          [](const auto& item, const auto& name) { return item.first < name; });
}

}  // namespace

std::int64_t amount_of(const resource_list& list, std::string_view resource) noexcept {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const auto& item) { return item.first == resource; });
  return found == list.end() ? 0 : found->second;
}

void add(resource_list& sum, const resource_list& amounts) {
  for (const auto& [resource, amount] : amounts) {
    auto at = place_of(sum, resource);
    if (at == sum.end() || at->first != resource) at = sum.insert(at, {resource, 0});
    if (__builtin_add_overflow(at->second, amount, &at->second))
      at->second = std::numeric_limits<std::int64_t>::max();
  }
}

void subtract(resource_list& sum, const resource_list& amounts) {
  for (const auto& [resource, amount] : amounts) {
    const auto at = place_of(sum, resource);
    ARGOSY_CHECK(at != sum.end() && at->first == resource);
    at->second -= amount;
    if (at->second == 0) sum.erase(at);
  }
}

}  // namespace argosy::model
