// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/pod_amounts.hpp"

#include "runtime/model/quantity.hpp"

namespace argosy::testing {

using nlohmann::json;

std::int64_t amount_of(const std::string& resource, const std::string& text) {
  return model::parse_quantity(text, model::unit_of(resource)).value_or(0);
}

std::string amount_text(const std::string& resource, std::int64_t amount) {
  return model::format_quantity(amount, model::unit_of(resource));
}

std::int64_t pod_amount(const json& pod, const std::string& list, const std::string& resource) {
  std::int64_t out = 0;
  for (const auto& each : pod["spec"].value("containers", json::array())) {
    const auto amounts = each.value("resources", json::object()).value(list, json::object());
    const auto found = amounts.find(resource);
    if (found == amounts.end()) continue;
    out += amount_of(resource, found->is_string() ? found->get<std::string>() : found->dump());
  }
  return out;
}

bool has_ended(const json& pod) {
  const auto phase = pod.value("status", json::object()).value("phase", std::string{});
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace argosy::testing
