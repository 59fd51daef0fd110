// SPDX-License-Identifier: Apache-2.0
// The story of one job as explicit spans. Messages carry many jobs at once, so that the spans of
// the traced mixin alone would not tell on which of them a job waited.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/model/job.hpp"
#include "runtime/model/trace_context.hpp"
#include "runtime/trace/context.hpp"

namespace argosy::native {

[[nodiscard]] trace::context to_context(const model::trace_context& value) noexcept;
[[nodiscard]] model::trace_context to_model(const trace::context& value) noexcept;

/// One step of a job's story.
struct job_span {
  std::string name;
  std::string actor;
  std::int64_t start_ns = 0;  ///< The Unix time, in nanoseconds.
  std::int64_t wait_ns = 0;   ///< How long the step waited before it began.
  std::int64_t duration_ns = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  bool failed = false;
};

/// A step that waited so long is the first of a trace of its own, which links to its cause: a trace
/// that spans days is more than most tools take.
inline constexpr std::int64_t own_trace_from_ns = 3'600'000'000'000;

/// Records the span under its cause, if that is sampled, and returns the context for what follows.
model::trace_context record(const model::trace_context& cause, job_span span);

/// The text of an exit code for an attribute: the number, or "unknown".
[[nodiscard]] std::string exit_code_text(const model::run_outcome& outcome);

}  // namespace argosy::native
