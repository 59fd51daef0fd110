// SPDX-License-Identifier: Apache-2.0
// This file declares what a message is called in traces, metrics and the flow graph.
#pragma once

#include <caf/mailbox_element.hpp>

#include "runtime/trace/recorder.hpp"

namespace argosy::trace {

/// The leading atom, or the first element's type without namespaces ("plan" for a
/// std::shared_ptr<const argosy::plan>), or "done" for an empty message. Responses are prefixed
/// with "reply ". Costs one look-up in a small cache of the calling thread.
[[nodiscard]] name_id message_name(const caf::mailbox_element& element);

}  // namespace argosy::trace
