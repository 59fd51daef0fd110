// SPDX-License-Identifier: Apache-2.0
// The keys of an agent that say what becomes of pods in trouble.
#pragma once

#include "runtime/backends/rules/trouble_rules.hpp"
#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

void describe(field_table& table, backends::event_check& item);
void describe(field_table& table, backends::container_check& item);
void describe(field_table& table, backends::failure_rule& item);

/// Adds the fields "kubernetes.noteAfter" and so on.
void describe_pod_trouble(field_table& table, backends::trouble_rules& item);

}  // namespace argosy::settings
