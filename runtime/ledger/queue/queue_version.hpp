// SPDX-License-Identifier: Apache-2.0
// This file declares the version by which a caller names the settings of a queue that it has read
// and wants to replace.
#pragma once

#include <string>

#include "runtime/model/queue.hpp"

namespace argosy::ledger {

/// 16 hexadecimal digits that follow from the content alone: equal settings have equal versions, on
/// every machine and after every restart, and other settings practically never have.
[[nodiscard]] std::string version_of(const model::queue_settings& settings);

}  // namespace argosy::ledger
