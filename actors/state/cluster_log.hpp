// SPDX-License-Identifier: Apache-2.0
// This file declares the lines that a CLUSTER logs for operators: one for each time that the
// contact with its agent changes, and one for each agent that it refuses.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/ledger/cluster/cluster_core.hpp"

namespace argosy::actors {

/// Says that the cluster joined, fell silent, or is heard again.
void log_contact(const ledger::cluster_core& cluster, const ledger::contact_changed& what);
/// Says that the agent does not reach what runs its jobs, or reaches it again.
void log_contact(const ledger::cluster_core& cluster, const ledger::trouble_changed& what);
/// Says that the agent has stopped in order. Nothing is said when it runs nothing, since the
/// cluster then leaves as well.
void log_goodbye(const ledger::cluster_core& cluster, const std::string& reason);
void log_departure(const ledger::cluster_core& cluster);
/// Says that an operator has said that the cluster is gone for good.
void log_forgotten(const ledger::cluster_core& cluster, const std::string& reason);
/// Says that an operator has ended the quarantine of a node.
void log_released(const ledger::cluster_core& cluster, const model::node_name& node,
                  const std::string& reason);
/// Says that an operator has cordoned the cluster or a node, or has taken that back.
void log_cordon(const model::cordon_changed& what);
/// Says that an operator has begun a drain, or stopped it.
void log_drain(const model::operation& drain);
/// Says that an agent of another incarnation serves the cluster now.
void log_successor(const ledger::cluster_core& cluster, model::incarnation older,
                   model::incarnation newer);
/// Says that an agent with an incarnation that is not known was told to begin anew.
void log_new_life(const model::cluster_name& cluster, const model::agent_hello& message);
/// Says that a hello was refused, unless the agent is only to ask again.
void log_refusal(const model::cluster_name& cluster, const model::agent_hello& message,
                 const error& why);

}  // namespace argosy::actors
