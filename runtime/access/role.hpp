// SPDX-License-Identifier: Apache-2.0
// This file declares what each role may say and hear on the bus, as closed lists of subjects. The
// nats-server enforces them, before any code of the product sees a byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/access/identity.hpp"
#include "runtime/base/result.hpp"

namespace argosy::access {

enum class role : std::uint8_t {
  control_plane,
  agent,      ///< Speaks for its cluster only.
  viewer,     ///< Reads jobs, queues, nodes and events, and no output of jobs.
  tenant,     ///< Does what queues and permissions allow him; the GATEWAY decides, call by call.
  submitter,  ///< Reads also output, and submits, cancels and reprioritises jobs.
  operator_,  ///< Calls every method of the API.
  owner,      ///< Is an operator and the agent of every cluster: for one person's own machine.
};

/// "argosyd", "agent", "viewer", "tenant", "submitter", "operator", "owner".
[[nodiscard]] std::string_view to_string(role value) noexcept;
[[nodiscard]] result<role> parse_role(std::string_view name);

/// The kind of party that has this role.
[[nodiscard]] party party_of(role value) noexcept;

struct permissions {
  std::vector<std::string> publish{};
  /// Each is a subject, which may be followed by a space and the only queue group in which it may
  /// be listened to.
  std::vector<std::string> subscribe{};
};

/// `name` is that of the cluster or user and must be valid.
[[nodiscard]] permissions permissions_of(role value, const std::string& name);

}  // namespace argosy::access
