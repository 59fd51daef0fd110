// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/rules/trouble_rules.hpp"

#include <array>

#include "runtime/base/check.hpp"

namespace argosy::backends {

namespace {

constexpr std::array<std::string_view, 2> action_names{"Fail", "Retry"};
constexpr std::array<std::string_view, 2> type_names{"Warning", "Normal"};
constexpr std::array<std::string_view, 2> state_names{"Waiting", "Terminated"};
constexpr std::array<std::string_view, 2> quota_names{"retry", "fail"};

}  // namespace

std::span<const std::string_view> enum_names(check_action) {
  return action_names;
}
std::span<const std::string_view> enum_names(event_type) {
  return type_names;
}
std::span<const std::string_view> enum_names(container_state) {
  return state_names;
}
std::span<const std::string_view> enum_names(quota_action) {
  return quota_names;
}

std::vector<container_check> container_checks_default() {
  auto no_name = pattern::make("^InvalidImageName$");
  ARGOSY_CHECK(no_name);
  return {{{std::move(*no_name)}}};
}

}  // namespace argosy::backends
