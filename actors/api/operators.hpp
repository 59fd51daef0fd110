// SPDX-License-Identifier: Apache-2.0
// This file declares what the methods for operators of clusters share.
#pragma once

#include <cstddef>
#include <string>

#include "actors/api/gateway_services.hpp"

namespace argosy::actors {

/// The reason of an operator is a line in logs and in the record.
inline constexpr std::size_t operator_reason_bytes_max = 1024;

/// Answers the call and returns true when the reason is too long to be kept.
inline bool refuse_operator_reason(const call& caller, const std::string& reason) {
  if (reason.size() <= operator_reason_bytes_max) return false;
  caller.fail(ec::invalid_argument,
              "the reason has more than " + std::to_string(operator_reason_bytes_max) + " bytes");
  return true;
}

/// The error that says which clusters there are.
[[nodiscard]] error unknown_cluster(const std::string& name, const native::contact_board& contacts);

/// Asks the CLUSTER; `then` takes its answer. A cluster that does not exist is answered with those
/// that do.
template <class Then, class... Args>
void ask_cluster(gateway_services& gateway, const call& caller, const std::string& name, Then then,
                 Args... args) {
  gateway.actors.find_cluster(
      gateway.self, name,
      [&gateway, caller, then, args...](const cluster_actor& cluster) {
        gateway.ask(caller, cluster, then, args...);
      },
      [&gateway, caller, name](const error& why) {
        caller.fail(why.code == ec::not_found ? unknown_cluster(name, *gateway.config.contacts)
                                              : why);
      });
}

}  // namespace argosy::actors
