// SPDX-License-Identifier: Apache-2.0
// The log and the store as a machine of a simulated world has them: what is kept is shared by the
// processes that follow one another, and each call takes its time and can be the last of its
// process.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "bins/simulator/machine.hpp"
#include "runtime/eventlog/in_memory.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::sim {

/// Is told of each record that a log has taken.
using record_taker = std::function<void(model::log_position, std::string_view data)>;

/// The log, at the other end of the machine's link. What has to be taken from it by force is done
/// to `kept`.
[[nodiscard]] std::shared_ptr<eventlog::event_log> make_far_log(
    machine& of, std::shared_ptr<eventlog::memory_log> kept, record_taker stored);

/// The store, on the machine's disk.
[[nodiscard]] std::shared_ptr<store::database> make_near_store(
    machine& of, std::shared_ptr<store::memory_database> kept);

}  // namespace argosy::sim
