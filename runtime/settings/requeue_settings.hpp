// SPDX-License-Identifier: Apache-2.0
// The settings that say when jobs queue again whose runs have failed or were ended from outside.
#pragma once

#include "runtime/ledger/queue/queue_command.hpp"
#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

/// Each adds a section with its fields to the table, which then refers to `item`.
void describe_requeue(field_table& table, ledger::queue_config& item);
void describe_retries(field_table& table, ledger::queue_config& item);

}  // namespace argosy::settings
