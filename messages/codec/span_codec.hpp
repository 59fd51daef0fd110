// SPDX-License-Identifier: Apache-2.0
// Finished spans between processes: trace::finished_span and argosy.v1.Span. All that record, keep
// or show spans use this, so that a failed span is marked in the same way everywhere.
#pragma once

#include "messages/proto/argosy/trace.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/trace/finished_span.hpp"

namespace argosy::codec {

void to_wire(const trace::finished_span& span, v1::Span& out);

/// Attributes come in the order of their names. Texts are cut at 1,024 bytes and attributes at 64.
/// ec::invalid_argument for a trace id that has not 16 bytes.
[[nodiscard]] result<trace::finished_span> from_wire(const v1::Span& in);

}  // namespace argosy::codec
