// SPDX-License-Identifier: Apache-2.0
// This file declares how a generation of the log ends in order, and the next one begins. The last
// record of the old one, the seal, is the point of no return: whoever leads writes it where the log
// ends, like any batch, so that of two processes that want to write there one fails. Nobody writes
// behind it. The first record of the new one continues it.
#pragma once

#include <cstdint>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/native/journal.hpp"
#include "messages/view/progress.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/model/event.hpp"

namespace argosy::view {

/// The log that is ready to go on.
struct next_log {
  model::log_generation generation{};
  std::int64_t created_ns = 0;  ///< The Unix time at which it was created.
};

/// Creates the log of the next generation behind `end`, or takes one that nobody has written into,
/// and chooses that of `end` again. Fails with the errors of the seam.
[[nodiscard]] result<next_log> prepare_next(eventlog::event_log& log, const view_position& end);

/// The event that ends the generation of `end`, or, in a batch of the next generation, begins that.
[[nodiscard]] native::append_ptr turn_event(model::log_generation previous,
                                            model::log_generation generation,
                                            model::log_position base, std::int64_t now_ns);

/// Whether the event, of a batch of this generation, ends that.
[[nodiscard]] bool is_seal(const model::event& event, model::log_generation generation);

/// Whether the chosen log ends, but for foreign records, with the seal, and `end` is there. Fails
/// with the errors of the seam.
[[nodiscard]] result<bool> ends_with_seal(eventlog::event_log& log, const eventlog::log_info& info,
                                          const view_position& end);

/// Whether all records of a log were given up after a roll-over. `base` is the position before its
/// first one.
[[nodiscard]] inline bool is_emptied(const eventlog::log_info& info, model::log_position base) {
  return info.first_position > info.last_position && info.last_position > base;
}

}  // namespace argosy::view
