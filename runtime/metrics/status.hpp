// SPDX-License-Identifier: Apache-2.0
// This file declares what the actors of one type say when they are asked what they do, as /status
// shows it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/metrics/family.hpp"

namespace argosy::metrics {

struct part_status {
  std::string part;        ///< The type of the actors, such as "journal".
  std::size_t actors = 0;  ///< How many are alive. Only some are asked if there are many.
  std::size_t silent = 0;  ///< How many of those that were asked did not answer in time.
  std::vector<figure_list> answers;
};

}  // namespace argosy::metrics
