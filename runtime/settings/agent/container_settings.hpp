// SPDX-License-Identifier: Apache-2.0
// The settings of an agent whose runs may have images.
#pragma once

#include "runtime/backends/rules/container_rules.hpp"
#include "runtime/settings/field_table.hpp"
#include "runtime/settings/value.hpp"

namespace argosy::settings {

struct container_settings {
  backends::container_rules rules;
};

void describe(field_table& table, container_settings& item);

}  // namespace argosy::settings
