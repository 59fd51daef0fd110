// SPDX-License-Identifier: Apache-2.0
// Methods of the AGENT_GATEWAY whose message goes to the CLUSTER that it names. An agent may speak
// for the cluster of its subject alone.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "actors/call.hpp"
#include "actors/directory.hpp"
#include "messages/codec/agent/agent_subject.hpp"

namespace argosy::actors {

/// Whether the message names the cluster of the subject on which it came. If not, answers the call
/// with ec::denied.
inline bool speaks_for(const call& caller, const std::string& named) {
  const auto cluster = codec::parse_agent_subject(caller.frame().subject).cluster;
  if (named == cluster) return true;
  caller.fail(ec::denied, "an agent of cluster '" + cluster + "' cannot speak for '" + named + "'");
  return false;
}

/// Makes a method whose message has a member `cluster` and goes to that CLUSTER; `hand_over` sends
/// it. `Gateway` has the members `self` and `actors`, a directory.
template <class Gateway, class Message, class HandOver>
method_of<Gateway> forwarded(result<Message> (*decode)(std::string_view), HandOver hand_over) {
  return [decode, hand_over](Gateway& gateway, const call& caller) {
    auto message = decode(caller.frame().data);
    if (!message) {
      caller.fail(message.error());
      return;
    }
    if (!speaks_for(caller, message->cluster)) return;
    const auto cluster = message->cluster;
    gateway.actors->find_cluster(
        gateway.self, cluster,
        [&gateway, caller, hand_over, message = std::move(*message)](const cluster_actor& to) {
          hand_over(gateway, caller, to, message);
        },
        [caller](const error& why) { caller.fail(why); });
  };
}

}  // namespace argosy::actors
