// SPDX-License-Identifier: Apache-2.0
// The identity of a causal trace as values carry it (W3C trace context: trace id and parent span).
#pragma once

#include <array>
#include <cstdint>

namespace argosy::model {

struct trace_context {
  std::array<std::uint8_t, 16> trace_id{};
  std::uint64_t span_id = 0;
  bool sampled = false;

  [[nodiscard]] bool valid() const noexcept { return trace_id != decltype(trace_id){}; }
  friend bool operator==(const trace_context&, const trace_context&) = default;
};

}  // namespace argosy::model
