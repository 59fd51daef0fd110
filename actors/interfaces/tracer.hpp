// SPDX-License-Identifier: Apache-2.0
// The TRACER, of which a process has one, gathers the spans and counters that the traced mixin
// records, and those of other processes, and answers who asks for a trace or for the graph of
// actors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/interfaces/status.hpp"
#include "runtime/trace/finished_span.hpp"
#include "runtime/trace/flow.hpp"

namespace argosy::native {

using span_list = std::shared_ptr<const std::vector<trace::finished_span>>;
using flow_list = std::shared_ptr<const std::vector<trace::flow_edge>>;

}  // namespace argosy::native

namespace argosy::actors {

using tracer_actor = caf::typed_actor<
    // Takes the spans of another process.
    caf::reacts_to<atom::spans, native::span_list>,
    // Answers all spans of a trace, which is named by its id in 32 hex digits.
    caf::replies_to<atom::query, std::string>::with<native::span_list>,
    caf::replies_to<atom::graph>::with<native::flow_list>,
    // Drains the recorders; the TRACER sends this to itself.
    caf::reacts_to<atom::collect, model::timer_generation>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::span_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::flow_list)
