// SPDX-License-Identifier: Apache-2.0
// What happened lately to a cluster or a node, as describe tells it.
#pragma once

#include <string>

#include "bins/argosyctl/verbs/listing.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

/// Adds to the last thing of the list what happened to this cluster, or to this node of it: a table
/// for people and a field "lastEvents" of its JSON. Nothing is added if the server does not tell
/// it. An error is that the server is gone.
[[nodiscard]] result<void> add_last_events(session& s, client& server, const std::string& cluster,
                                           const std::string& node, listing& to);

}  // namespace argosy::ctl
