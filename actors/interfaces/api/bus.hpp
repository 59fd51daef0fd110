// SPDX-License-Identifier: Apache-2.0
// BUS, one per connection: turns frames into messages and back, and limits what is under way. Who
// serves a pattern receives frames; past the limit callers are told at once to come again.
#pragma once

#include <memory>

#include "actors/interfaces/fwd.hpp"
#include "runtime/bus/frame.hpp"

namespace argosy::native {

/// A request from the bus. The answer goes back through the BUS that delivered it.
using frame_ptr = std::shared_ptr<const bus::frame>;

struct frame_answer {
  frame_ptr request;
  std::string data;
  error failure{ec::none, {}};  ///< ec::none: success.
  bus::headers headers{};       ///< Of a success.
};
using answer_ptr = std::shared_ptr<const frame_answer>;

/// What came of a request of our own.
using reply_ptr = std::shared_ptr<const result<bus::frame>>;

}  // namespace argosy::native

namespace argosy::actors {

/// Who serves a subject pattern.
using frame_handler_actor = caf::typed_actor<caf::reacts_to<atom::frame, native::frame_ptr>>;

using bus_actor = caf::typed_actor<
    // Delivers frames under the pattern to the handler, at most `credit` unanswered at a time.
    caf::replies_to<atom::serve, std::string, std::uint32_t, frame_handler_actor>::with<atom::ok>,
    // Answers a request.
    caf::reacts_to<atom::respond, native::answer_ptr>,
    // A request of our own: subject, payload, time-out in milliseconds. Answers the payload.
    caf::replies_to<atom::send, std::string, std::string, std::uint64_t>::with<native::frame_ptr>,
    // The BUS to itself, from a thread of the connection: the outcome of the request so numbered.
    caf::reacts_to<atom::done, std::uint64_t, native::reply_ptr>,
    // Stops intake; what is under way may still be answered.
    caf::reacts_to<atom::shutdown>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::frame_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::answer_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::reply_ptr)
