// SPDX-License-Identifier: Apache-2.0
#include "messages/native/job_trace.hpp"

#include "runtime/trace/recorder.hpp"

namespace argosy::native {

trace::context to_context(const model::trace_context& value) noexcept {
  trace::context out;
  for (std::size_t i = 0; i < 8; ++i) {
    out.trace.high = (out.trace.high << 8) | value.trace_id[i];
    out.trace.low = (out.trace.low << 8) | value.trace_id[8 + i];
  }
  out.span = value.span_id;
  out.sampled = value.sampled;
  return out;
}

model::trace_context to_model(const trace::context& value) noexcept {
  model::trace_context out;
  for (std::size_t i = 0; i < 8; ++i) {
    out.trace_id[i] = static_cast<std::uint8_t>(value.trace.high >> (56 - 8 * i));
    out.trace_id[8 + i] = static_cast<std::uint8_t>(value.trace.low >> (56 - 8 * i));
  }
  out.span_id = value.span;
  out.sampled = value.sampled;
  return out;
}

model::trace_context record(const model::trace_context& cause, job_span span) {
  if (!cause.valid() || !cause.sampled || !trace::enabled()) return cause;
  const auto parent = to_context(cause);
  const bool apart = span.wait_ns >= own_trace_from_ns;
  auto own = apart ? trace::new_root() : trace::child(parent);
  own.sampled = true;
  trace::finished_span out;
  out.trace = own.trace;
  out.span = own.span;
  if (apart)
    out.link = parent;
  else
    out.parent = parent.span;
  out.name = std::move(span.name);
  out.actor = std::move(span.actor);
  out.start_nanos = span.start_ns;
  out.wait_nanos = span.wait_ns;
  out.duration_nanos = span.duration_ns;
  out.failed = span.failed;
  for (auto& [key, value] : span.attributes)
    out.attributes.push_back({std::move(key), std::move(value)});
  trace::add_span(std::move(out));
  return to_model(own);
}

std::string exit_code_text(const model::run_outcome& outcome) {
  return outcome.exit_code ? std::to_string(*outcome.exit_code) : "unknown";
}

}  // namespace argosy::native
