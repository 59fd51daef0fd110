// SPDX-License-Identifier: Apache-2.0
// Spans in the JSON of Chrome's trace format, which ui.perfetto.dev and chrome://tracing open: a
// process for each process, a track for each actor, a slice for each span, and an arrow from each
// cause to its effect. Pure.
#pragma once

#include <string>
#include <vector>

#include "runtime/trace/finished_span.hpp"

namespace argosy::trace {

/// Times are microseconds after the earliest span; metadata say when that was.
[[nodiscard]] std::string render_chrome_trace(const std::vector<finished_span>& spans);

}  // namespace argosy::trace
