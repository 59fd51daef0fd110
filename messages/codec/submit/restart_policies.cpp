// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/restart_policies.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "messages/codec/submit/pod_check.hpp"
#include "messages/codec/wire.hpp"

namespace argosy::codec {

namespace {

result<void> check_restart_policy(const std::string& policy, const std::string& place) {
  constexpr std::array<std::string_view, 4> known{"", "Always", "OnFailure", "Never"};
  if (std::ranges::find(known, policy) != known.end()) return {};
  return refuse_at(place + ".restartPolicy",
                   "'" + shown(policy) + "' is not one of Always, OnFailure, Never");
}

template <class Containers>
result<void> check_each(const Containers& containers, const std::string& place) {
  for (int i = 0; i < containers.size(); ++i)
    if (auto ok = check_restart_policy(containers[i].restartpolicy(),
                                       place + "[" + std::to_string(i) + "]");
        !ok)
      return ok;
  return {};
}

}  // namespace

result<void> check_restart_policies(const core::PodSpec& pod, const std::string& place) {
  if (auto ok = check_restart_policy(pod.restartpolicy(), place); !ok) return ok;
  if (auto ok = check_each(pod.containers(), place + ".containers"); !ok) return ok;
  return check_each(pod.initcontainers(), place + ".initContainers");
}

}  // namespace argosy::codec
