// SPDX-License-Identifier: Apache-2.0
// What pods of a queue may have, as a list in the settings of argosyd and of an agent.
#pragma once

#include <string>
#include <vector>

#include "runtime/access/pods/pod_policy.hpp"
#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

void describe(field_table& table, access::pod_policy& item);
/// Adds the list as the key `path`. `who` says whose pods these are and who looks, and `silent`
/// which level queues have that no entry names; both end with a full stop.
void describe_pod_policies(field_table& table, std::string path,
                           std::vector<access::pod_policy>& items, const std::string& who,
                           const std::string& silent);

}  // namespace argosy::settings
