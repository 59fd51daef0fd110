// SPDX-License-Identifier: Apache-2.0
// Spans as the body of a request of OpenTelemetry's protocol (OTLP): an encoded
// ExportTraceServiceRequest, written by the published numbers of its fields. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/trace/finished_span.hpp"

namespace argosy::trace::otlp {

/// What is said of the process that exports.
struct resource {
  std::string process;  ///< The name of its own spans' process.
  std::string service;  ///< service.name of its own spans; empty: as for those of others.
  std::string version;  ///< service.version; empty: not said.
  std::vector<std::pair<std::string, std::string>> attributes;
};

/// Spans of other processes get these processes' names as service.name and service.instance.id.
[[nodiscard]] std::string encode(std::span<const finished_span> spans, const resource& of);

/// The content type of the encoded bytes.
inline constexpr std::string_view content_type = "application/x-protobuf";

}  // namespace argosy::trace::otlp
