// SPDX-License-Identifier: Apache-2.0
// This file declares how the batches of a log are read by somebody who does not lead and changes
// nothing: from a place in the chain on, over all generations.
#pragma once

#include <cstdint>
#include <functional>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/progress.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/model/event.hpp"

namespace argosy::past {

/// Takes a batch and its position; false ends the reading.
using batch_visitor = std::function<bool(model::log_position position, model::log_batch& batch)>;

/// Hands over the batches of the chain behind `end`, in their order. Records that are not of the
/// chain are left out. Another generation of the log is chosen afterwards. Fails with ec::not_found
/// if the log does not reach back to `end` any more, and with the errors of the log.
[[nodiscard]] result<void> each_batch(eventlog::event_log& log, view::view_position end,
                                      const codec::log_key& key, const batch_visitor& visit);

}  // namespace argosy::past
