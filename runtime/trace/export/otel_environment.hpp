// SPDX-License-Identifier: Apache-2.0
// The environment variables by which OpenTelemetry's exporters are set up, as far as they concern
// traces over HTTP. Pure: whoever calls says how a variable is read.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::trace::otlp {

struct export_settings {
  std::string url;  ///< Where requests go; complete, with the path.
  std::vector<std::pair<std::string, std::string>> headers;
  std::chrono::milliseconds timeout{10'000};
  std::string service;
  std::vector<std::pair<std::string, std::string>> attributes;
  double ratio = 1.0;  ///< The part of traces that is exported.
  std::size_t queue_max = 2'048;
  std::size_t batch_max = 512;
  std::chrono::milliseconds delay{5'000};
};

using variables = std::function<std::optional<std::string>(const char* name)>;

/// Nothing is exported unless OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is
/// set, or if OTEL_SDK_DISABLED is true or OTEL_TRACES_EXPORTER is none. The error of a value that
/// cannot be used names the variable and what it may be.
[[nodiscard]] result<std::optional<export_settings>> read_environment(const variables& read);

}  // namespace argosy::trace::otlp
