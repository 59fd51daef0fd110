// SPDX-License-Identifier: Apache-2.0
// This file declares the keys of the section `store` that say for how long what has ended is kept.
#pragma once

#include "runtime/ledger/retention.hpp"
#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

void describe(field_table& table, ledger::queue_retention& item);
void describe_retention(field_table& table, ledger::retention_config& item);

}  // namespace argosy::settings
