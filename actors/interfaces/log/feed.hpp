// SPDX-License-Identifier: Apache-2.0
// FEED, one per watched job set: reads the set's events from the READER and sends them to everyone
// who watches, each from a place of its own. Ends when nobody does.
#pragma once

#include <memory>
#include <string>

#include "actors/interfaces/log/reader.hpp"
#include "actors/interfaces/log/store.hpp"
#include "runtime/bus/stream.hpp"

namespace argosy::native {

/// One watcher of a job set.
struct watch_request {
  std::uint64_t id = 0;  ///< Chosen by the GATEWAY; unique in the process.
  std::shared_ptr<bus::stream_writer> writer;
  event_cursor after;
  bool follow = false;  ///< Otherwise ends with what existed when it began.
  /// Not from `after` but from the present end, which is told first, in a message of its own.
  bool from_now = false;
  bool error_if_missing = false;
  /// Not 0: `after` itself is sent once more, from this message of it on.
  std::uint32_t resume_part = 0;
};
using watch_ptr = std::shared_ptr<const watch_request>;

}  // namespace argosy::native

namespace argosy::actors {

using feed_actor =
    store_listener_actor::extend<caf::replies_to<atom::watch, native::watch_ptr>::with<atom::ok>,
                                 // A watcher has credit again, or has gone; the number names it.
                                 caf::reacts_to<atom::ready, std::uint64_t>,
                                 caf::reacts_to<atom::unwatch, std::uint64_t>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::watch_ptr)
