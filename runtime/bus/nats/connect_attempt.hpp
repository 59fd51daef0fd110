// SPDX-License-Identifier: Apache-2.0
// One try to connect. The library bounds its waits for a server, but not that for the beginning of
// the encryption: a try that hangs there is left to its thread, which destroys what comes of it.
#pragma once

#include <nats/nats.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "runtime/base/result.hpp"
#include "runtime/bus/guarded.hpp"

namespace argosy::bus {

class nats_session;

/// The way from the library's callbacks to their session. A callback may come after the session has
/// ended, and then the way is closed.
using session_reach = guarded<nats_session*>;
/// Runs call(session) for a callback of the library, unless the session has given it up.
template <class Call>
void reach_by(void* closure, Call&& call) {
  static_cast<session_reach*>(closure)->run([&](nats_session* self) { call(*self); });
}
using nats_options = std::unique_ptr<natsOptions, decltype(&natsOptions_Destroy)>;

struct connected {
  natsStatus code = NATS_OK;
  natsConnection* connection = nullptr;  ///< Null unless the code is NATS_OK.
  error why;                             ///< In the words of the thread that tried.
};

/// Connects by these options, and again as long as `again` says so after a failure. Returns nothing
/// if it takes longer than `limit`, if `closed` becomes true, or at once if so many earlier tries
/// hang that another would be one too many for now; then the reach is closed. `explain` makes the
/// sentence of a failure.
[[nodiscard]] std::optional<connected> connect_within(std::chrono::milliseconds limit,
                                                      nats_options options,
                                                      const std::shared_ptr<session_reach>& reach,
                                                      const std::atomic<bool>& closed,
                                                      std::function<bool(nats_session&)> again,
                                                      std::function<error(natsStatus)> explain);

}  // namespace argosy::bus
