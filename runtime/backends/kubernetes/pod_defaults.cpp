// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/pod_defaults.hpp"

#include <algorithm>

#include "runtime/access/pods/pod_policy.hpp"
#include "runtime/backends/kubernetes/object.hpp"

namespace argosy::backends {

namespace {

using nlohmann::json;

void fill_in(const json& from, json& to) {
  if (to.is_null()) {
    to = from;
  } else if (from.is_object() && to.is_object()) {
    for (const auto& [name, value] : from.items()) fill_in(value, to[name]);
  } else if (from.is_array() && to.is_array()) {
    for (const auto& each : from)
      if (std::ranges::find(to, each) == to.end()) to.push_back(each);
  }
}

}  // namespace

void add_defaults(const std::vector<pod_defaults>& all, const std::string& queue, json& pod) {
  const auto found = std::ranges::find_if(all, [&](const auto& each) {
    return each.queues.empty() || access::fits_any(each.queues, queue);
  });
  if (found == all.end()) return;
  auto defaults = found->pod;
  const auto& spec = object::part(pod, "spec");
  if (!object::part(spec, "dnsConfig").is_null() || !object::part(spec, "dnsPolicy").is_null()) {
    defaults["spec"].erase("dnsConfig");
    defaults["spec"].erase("dnsPolicy");
  }
  fill_in(defaults, pod);
}

}  // namespace argosy::backends
