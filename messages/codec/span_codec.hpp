// SPDX-License-Identifier: Apache-2.0
// Finished spans between processes: trace::finished_span and argosy.v1.Span. Whoever records, keeps
// or shows spans uses this, so that a failure is a failure everywhere.
#pragma once

#include "messages/proto/argosy/v1.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/trace/finished_span.hpp"

namespace argosy::codec {

void to_wire(const trace::finished_span& span, v1::Span& out);

/// Attributes come in the order of their names. ec::invalid_argument for a trace id that is not 16
/// bytes; texts are cut at 1,024 bytes and attributes at 64.
[[nodiscard]] result<trace::finished_span> from_wire(const v1::Span& in);

}  // namespace argosy::codec
