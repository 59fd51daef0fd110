// SPDX-License-Identifier: Apache-2.0
// This file declares random histories of one queue, which consist of commands of any kind in any
// order, each followed by the checks of an observer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/ledger/queue/queue_core.hpp"

namespace argosy::ledger {

/// One command by four numbers: what to do, how, and to whom. Any numbers make a legal call.
using command = std::tuple<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>;

/// Carries out one history and checks after every step. Returns the first complaint, or nothing.
std::string play(const std::vector<command>& commands, const queue_config& config);

/// How often each thing happened in the last histories, which shows that they test something.
struct history_counts {
  std::map<std::string, std::size_t> events;
  std::size_t refused = 0;
};
history_counts& counts();

}  // namespace argosy::ledger
