// SPDX-License-Identifier: Apache-2.0
// This file declares who a process is on the bus, and the subjects that only it may use. The
// subjects carry the identity: the server lets each key publish under its own subjects alone, so
// that whoever reads a request knows its sender from the subject, and no payload can claim another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::access {

enum class party : std::uint8_t { control_plane, agent, user };

struct identity {
  party what = party::user;
  /// The name of the user or of the agent's cluster; empty for the control plane.
  std::string name{};

  bool operator==(const identity&) const = default;
};

/// "argosyd", "agent/CLUSTER" or "user/NAME".
[[nodiscard]] std::string to_string(const identity& who);
/// The reverse. ec::invalid_argument says what is allowed.
[[nodiscard]] result<identity> parse_identity(std::string_view text);
/// User names are DNS-1123 labels, cluster names DNS-1123 subdomains.
[[nodiscard]] result<void> validate(const identity& who);

/// The beginning of the subjects to which this party's replies go, without a dot at its end:
/// "_INBOX.user.alice". Nobody else may subscribe there.
[[nodiscard]] std::string inbox_prefix(const identity& who);

/// Agents and users may listen to their inboxes in this queue group alone, of which the server
/// gives each reply to one subscription. Otherwise one key could have the server keep each reply
/// for as many connections as it opens.
inline constexpr std::string_view inbox_group = "replies";
/// What follows an inbox_prefix() in the subjects where they hear from the server that nobody
/// serves what they asked, which it says to no group. The control plane sends nothing there.
inline constexpr std::string_view unserved_place = ".unserved.";

/// The subjects on which the control plane and the agent of a cluster talk begin with this; the
/// cluster's token and what is said follow.
inline constexpr std::string_view agent_subjects = "argosy.agent.";

/// The control plane waits for the answers of agents at subjects that begin with this, the token of
/// the agent's cluster and a dot. No other agent may publish there, so that nobody answers for
/// another, and none of them where the control plane waits for the server of the log.
inline constexpr std::string_view answer_subjects = "_INBOX.argosyd.agent.";

/// The cluster's token in argosy.agent.<token>.<what>: its dots become '_'.
[[nodiscard]] std::string cluster_token(std::string_view cluster);

/// The subject of an API method: argosy.api.<user>.<Service>.<Method>, or without the user for a
/// server that knows no users. `method` is "Service.Method".
[[nodiscard]] std::string api_subject(std::string_view user, std::string_view method);
/// The same for a tenant: argosy.api.<user>.tenant.<Service>.<Method>. The server lets a tenant
/// publish nothing else, so that the GATEWAY can trust that it has to decide what he may do.
[[nodiscard]] std::string tenant_subject(std::string_view user, std::string_view method);

/// The same for whoever may see specifications whole: argosy.api.<user>.whole.<Service>.<Method>.
/// The server lets operators and owners publish there, and nobody else.
[[nodiscard]] std::string whole_subject(std::string_view user, std::string_view method);

/// A request to the API by its subject. The views are those of the subject.
struct api_call {
  std::string_view user{};  ///< Empty on a server that knows no users.
  std::string_view method{};
  bool tenant = false;  ///< The server has not checked what he may do, but only who he is.
  bool whole = false;   ///< The server has checked that he may see specifications whole.
};
/// The method is empty for what is no subject of the API.
[[nodiscard]] api_call parse_api_subject(std::string_view subject);

/// The cluster's token in a subject of its agent, argosy.agent.<token>.<what>; empty for others.
[[nodiscard]] std::string_view agent_of_subject(std::string_view subject);

/// Whether an answer to this user's request may go to `reply`. A request that names no user may
/// have it sent to an inbox that is nobody's.
[[nodiscard]] bool may_answer_to(const api_call& call, std::string_view reply);

/// Whether the control plane may send to `reply` what it says to a frame that came on `subject`: to
/// an inbox of whoever may publish there, or to one that is nobody's, as those of a server that
/// knows no users are. Otherwise somebody could have the control plane speak to others in its name,
/// or to itself.
[[nodiscard]] bool may_reply(std::string_view subject, std::string_view reply);

}  // namespace argosy::access
