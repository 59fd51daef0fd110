// SPDX-License-Identifier: Apache-2.0
// Who sends a request over NATS, and what he may do: by the subject, which the nats-server lets
// nobody else use, and by what the settings say of users. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/access/identity.hpp"
#include "runtime/access/principal.hpp"

namespace argosy::access {

/// What the settings say of users, whichever way they prove who they are.
struct user_directory {
  std::map<std::string, std::vector<std::string>, std::less<>> groups{};  ///< By the user's name.
  std::vector<permission_rule> rules{};
  /// Whether the nats-server asks everybody who he is, so that every request names its user.
  bool all_named = false;
};

/// The caller of this subject. The role of a user who is no tenant has been checked by the
/// nats-server, so that he has every permission here. A tenant has those of his groups.
[[nodiscard]] principal nats_caller(const api_call& asked, const user_directory& users);

/// The same for somebody who has also proved otherwise who he is, as by a token: he is that one and
/// has the permissions of that one. The role of the subject limits him nevertheless.
[[nodiscard]] principal nats_caller(const api_call& asked, principal proved);

}  // namespace argosy::access
