// SPDX-License-Identifier: Apache-2.0
// Subjects of the agents' surface: argosy.agent.<cluster>.<what>. The cluster is one token, so that
// wildcards and permissions fit every name: each dot of a name is written as '_', which no name
// contains.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/model/identifiers.hpp"

namespace argosy::codec {

struct agent_subject {
  std::string cluster;
  std::string what;
};

/// `cluster` is a name, or "*" for all clusters.
[[nodiscard]] std::string make_agent_subject(std::string_view cluster, std::string_view what);

/// Returns the last tokens of the subject of a request that is for one process of an agent alone,
/// "<process>.<what>"; 0 leaves the process out.
[[nodiscard]] std::string for_process(model::agent_process process, std::string_view what);

/// Splits the subject. Both texts are empty when it is none of the agents' surface.
[[nodiscard]] agent_subject parse_agent_subject(std::string_view subject);

}  // namespace argosy::codec
