// SPDX-License-Identifier: Apache-2.0
// The lines by which JOURNAL and STORE tell operators how full log and store are.
#pragma once

#include <string>

#include "runtime/eventlog/fill.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::actors {

/// Writes the line for a word of a fill_watch. `what` is "log" or "store", and `setting` the key
/// that gives its limit.
void tell_of_room(const logging::logger& logger, eventlog::fill_watch::word word,
                  const std::string& what, const eventlog::fill& now, const std::string& setting);

}  // namespace argosy::actors
