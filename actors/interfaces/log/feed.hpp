// SPDX-License-Identifier: Apache-2.0
// A FEED, of which each watched job set has one, reads the set's events from the READER and sends
// them to all watchers, each of whom has a place of his own. It ends when nobody watches.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/interfaces/log/reader.hpp"
#include "actors/interfaces/log/store.hpp"
#include "actors/interfaces/status.hpp"
#include "runtime/bus/stream.hpp"

namespace argosy::native {

/// One watcher of a job set.
struct watch_request {
  std::uint64_t id = 0;  ///< The GATEWAY chooses it; it is unique in the process.
  std::shared_ptr<bus::stream_writer> writer;
  event_cursor after;
  bool resumes = false;  ///< The watcher was at `after` before, and what follows has to be whole.
  bool follow = false;   ///< False: the stream ends with the last event that existed when it began.
  /// True: the stream begins at the present end and not behind `after`. Its first message tells
  /// that place.
  bool from_now = false;
  bool error_if_missing = false;
  /// Not 0: the event at `after` is sent once more, beginning with this one of its messages.
  std::uint32_t resume_part = 0;
  /// The watcher sees the environment of this owner's jobs alone; nothing: of all jobs.
  std::optional<std::string> shows_only_of{};
  /// Called by the FEED with the owner of each job whose whole specification the watcher gets;
  /// null: nobody wants to know.
  std::function<void(const std::string&)> on_shown{};
};
using watch_ptr = std::shared_ptr<const watch_request>;

}  // namespace argosy::native

namespace argosy::actors {

using feed_actor =
    store_listener_actor::extend<caf::replies_to<atom::watch, native::watch_ptr>::with<atom::ok>,
                                 // A watcher has credit again, or has gone; the number names it.
                                 caf::reacts_to<atom::ready, std::uint64_t>,
                                 caf::reacts_to<atom::unwatch, std::uint64_t>,
                                 // The FEED sends this to itself: watchers wait for what was read.
                                 caf::reacts_to<atom::flush>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::watch_ptr)
