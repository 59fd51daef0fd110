// SPDX-License-Identifier: Apache-2.0
// This file declares how any bytes become events: of few queues, jobs, runs, clusters and nodes, in
// any order, so that most of them are about something that is there, and many are illegal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/event.hpp"

namespace argosy::fuzz {

/// The events of the bytes as batches.
[[nodiscard]] std::vector<std::vector<model::event>> events_of(std::string_view script);

/// Scripts in which jobs live as they should.
[[nodiscard]] std::vector<std::string> script_seeds();

}  // namespace argosy::fuzz
