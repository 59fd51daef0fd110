// SPDX-License-Identifier: Apache-2.0
// This file defines who may speak for a cluster, namely agents of its name and present incarnation
// that have said hello, and when a new incarnation may take the cluster over.
#include <chrono>
#include <string>

#include "runtime/ledger/cluster/cluster_core.hpp"

namespace argosy::ledger {

result<void> cluster_core::check_sender(const std::string& cluster,
                                        std::uint64_t incarnation) const {
  if (by_.epoch == 0) return fail(ec::unavailable, "this process does not lead; try again");
  if (cluster != info_.name)
    return fail(ec::invalid_argument,
                "a message of cluster '" + cluster + "' came to '" + info_.name + "'");
  if (incarnation < info_.incarnation)
    return fail(ec::conflict, "cluster '" + info_.name + "' is at incarnation " +
                                  std::to_string(info_.incarnation) + "; an agent with " +
                                  std::to_string(incarnation) + " must not go on");
  return {};
}

result<void> cluster_core::check_session(const std::string& cluster,
                                         std::uint64_t incarnation) const {
  if (auto ok = check_sender(cluster, incarnation); !ok) return ok;
  if (!session_ || incarnation != info_.incarnation)
    return fail(ec::unavailable, "cluster '" + info_.name + "' has to say hello first");
  return {};
}

/// An epoch says something within one control plane only, and not even there if it cannot be true.
result<void> cluster_core::check_allegiance(const model::agent_hello& message) const {
  constexpr const char* cure =
      "; if it is to serve this one from now on, start it with --join-control-plane, which ends "
      "the "
      "runs that it still has";
  if (!message.control_plane.empty() && !by_.control_plane.empty() &&
      message.control_plane != by_.control_plane)
    return fail(ec::denied, "the agent of cluster '" + info_.name +
                                "' belongs to another control plane (" + message.control_plane +
                                ", this one is " + by_.control_plane + ")" + cure);
  if (model::is_implausible_epoch(message.epoch_seen, by_.epoch))
    return fail(ec::denied, "the agent of cluster '" + info_.name + "' tells of epoch " +
                                std::to_string(message.epoch_seen) +
                                ", which cannot be, since this process leads with " +
                                std::to_string(by_.epoch) + cure);
  return {};
}

/// Two agents may have the same name in their configurations by mistake. Then the agent that serves
/// the cluster must not lose it, and its runs must not have to wait for the end of a lease.
result<void> cluster_core::check_taking_over(const model::agent_hello& message,
                                             boot_time now) const {
  if (message.take_over || !present_ || left_ || message.cluster.incarnation == info_.incarnation ||
      now - last_contact_ > config_.silence_max)
    return {};
  const auto seconds = [](boot_time span) {
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(span).count()) + " s";
  };
  if (contact_ == contact_state::connected)
    return fail(ec::already_exists,
                "cluster '" + info_.name + "' is served by another agent, which was heard " +
                    seconds(now - last_contact_) +
                    " ago; stop that one first, give this one a cluster name of its own, or start "
                    "it with --take-over");
  if (contact_ == contact_state::expected)
    return fail(ec::unavailable,
                "cluster '" + info_.name +
                    "' was served by another agent before the server started; it may come back "
                    "for " +
                    seconds(config_.silence_max - (now - last_contact_)) +
                    ": wait, or start this one with --take-over");
  return {};
}

}  // namespace argosy::ledger
