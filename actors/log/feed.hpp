// SPDX-License-Identifier: Apache-2.0
// This file declares how a FEED is configured and spawned; its interface lists its
// messages.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/interfaces/log/feed.hpp"
#include "actors/spawn.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

struct feed_config {
  native::job_set_key job_set;
  reader_actor reader;
  store_actor store;
  /// Encodes one event for its watchers; gives nothing for events that they do not see.
  std::function<std::vector<std::string>(const native::indexed_event&,
                                         const std::optional<std::string>& shows_only_of)>
      encode;
  /// Encodes a message that has no event and names a place, for a watcher who begins there.
  std::function<std::string(const native::event_cursor&)> mark;
  std::uint32_t page = 500;
  std::chrono::milliseconds read_timeout{30'000};
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

feed_actor spawn_feed(caf::actor_system& system, feed_config config);

}  // namespace argosy::actors
