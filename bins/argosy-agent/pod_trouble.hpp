// SPDX-License-Identifier: Apache-2.0
// How the settings of an agent become the rules by which its backend treats pods in trouble.
#pragma once

#include "runtime/backends/kubernetes/pod_runs.hpp"
#include "runtime/settings/agent/pod_trouble_settings.hpp"

namespace argosy::agent {

/// The expressions of the settings have been checked.
void set_trouble(const settings::pod_trouble_settings& from, backends::pod_rules& to);

}  // namespace argosy::agent
