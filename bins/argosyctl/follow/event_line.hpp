// SPDX-License-Identifier: Apache-2.0
// An event as one line of output, for watch and submit --follow.
#pragma once

#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

/// Prints with -o jsonl the api.EventStreamMessage, else time, job, event and detail.
void print_event(session& s, const api::EventStreamMessage& event, const event_text& text);

}  // namespace argosy::ctl
