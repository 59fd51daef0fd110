// SPDX-License-Identifier: Apache-2.0
// The BUS, of which a connection has one, turns frames into messages and back, and limits how many
// are under way. The actor that serves a pattern receives its frames; past the limit callers are
// refused at once.
#pragma once

#include <memory>

#include "actors/interfaces/status.hpp"
#include "runtime/access/principal.hpp"
#include "runtime/bus/frame.hpp"

namespace argosy::native {

/// A request from the bus. The answer goes back through the BUS that delivered it.
using frame_ptr = std::shared_ptr<const bus::frame>;

struct frame_answer {
  frame_ptr request;
  std::string data;
  error failure{ec::none, {}};  ///< ec::none when the request succeeded.
  bus::headers headers{};       ///< The headers of a successful answer.
};
using answer_ptr = std::shared_ptr<const frame_answer>;

/// The sender of a request as his proof beside it shows him; an error if it proves nobody.
using proof_ptr = std::shared_ptr<const result<access::principal>>;

/// So much of what one actor serves may be unanswered of one caller at a time. All callers together
/// may have twice as many requests and eight times as many bytes, see share_core. Requests beyond
/// it are refused.
struct serve_credit {
  std::uint32_t requests = 256;
  /// The bytes of these requests together. A request that comes alone may have more.
  std::uint64_t bytes = std::uint64_t{32} << 20;
};

/// The outcome of a request that this process made.
using reply_ptr = std::shared_ptr<const result<bus::frame>>;

}  // namespace argosy::native

namespace argosy::actors {

/// An actor that serves a subject pattern.
using frame_handler_actor = caf::typed_actor<caf::reacts_to<atom::frame, native::frame_ptr>>;

/// The GATEWAY of the API or that of the agents.
using gateway_actor = frame_handler_actor::extend<
    // A GATEWAY sends this to itself from any thread: requests in its line are due.
    caf::reacts_to<atom::flush>,
    // The GATEWAY of the API sends this to itself from any thread: a request, and who sends it.
    caf::reacts_to<atom::frame, native::frame_ptr, native::proof_ptr>>::extend<answers_status>;

using bus_actor = caf::typed_actor<
    // Delivers frames under the pattern to the handler, at most `credit` unanswered at a time.
    caf::replies_to<atom::serve, std::string, native::serve_credit,
                    frame_handler_actor>::with<atom::ok>,
    // Answers a request.
    caf::reacts_to<atom::respond, native::answer_ptr>,
    // Sends a request of this process: subject, payload, time-out in milliseconds. It is answered
    // with the frame that came back.
    caf::replies_to<atom::send, std::string, std::string, std::uint64_t>::with<native::frame_ptr>,
    // The BUS sends this to itself from a thread of the connection: the outcome of a numbered
    // request.
    caf::reacts_to<atom::done, std::uint64_t, native::reply_ptr>,
    // Stops the intake of requests; those that are under way may still be answered.
    caf::reacts_to<atom::shutdown>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::serve_credit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::frame_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::answer_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::proof_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::reply_ptr)
