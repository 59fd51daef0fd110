// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/span_codec.hpp"

#include <algorithm>

#include "messages/proto/argosy/trace.pb.h"
#include "runtime/base/text.hpp"

namespace argosy::codec {

namespace {

constexpr std::size_t text_size_max = 1'024;
constexpr int attributes_max = 64;
/// The attribute that says that a span failed.
constexpr std::string_view failed_key = "error";

std::uint64_t read_big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = (value << 8) | static_cast<unsigned char>(c);
  return value;
}

/// The beginning of a text, which may be sent again: it does not end within a character.
std::string bounded(const std::string& text) {
  return std::string{cut_to_size(text, text_size_max)};
}

trace::trace_id trace_id_of(std::string_view bytes) {
  return {read_big_endian(bytes.substr(0, 8)), read_big_endian(bytes.substr(8))};
}

}  // namespace

void to_wire(const trace::finished_span& span, v1::Span& out) {
  out.set_trace_id(to_bytes(span.trace));
  out.set_span_id(span.span);
  out.set_parent_id(span.parent);
  if (span.link.valid()) {
    out.set_link_trace_id(to_bytes(span.link.trace));
    out.set_link_span_id(span.link.span);
  }
  out.set_name(span.name);
  out.set_actor(span.actor);
  out.set_process(span.process);
  out.set_start_ns(span.start_nanos);
  out.set_waiting_ns(span.wait_nanos);
  out.set_duration_ns(span.duration_nanos);
  for (const auto& [key, value] : span.attributes) (*out.mutable_attributes())[key] = value;
  if (span.failed) (*out.mutable_attributes())[std::string{failed_key}] = "true";
}

result<trace::finished_span> from_wire(const v1::Span& in) {
  if (in.trace_id().size() != 16)
    return fail(ec::invalid_argument, "a span's trace id has 16 bytes");
  trace::finished_span out;
  out.trace = trace_id_of(in.trace_id());
  if (in.link_trace_id().size() == 16)
    out.link = {trace_id_of(in.link_trace_id()), in.link_span_id(), true};
  out.span = in.span_id();
  out.parent = in.parent_id();
  out.name = bounded(in.name());
  out.actor = bounded(in.actor());
  out.process = bounded(in.process());
  out.start_nanos = in.start_ns();
  out.wait_nanos = in.waiting_ns();
  out.duration_nanos = in.duration_ns();
  int taken = 0;
  for (const auto& [key, value] : in.attributes()) {
    if (++taken > attributes_max) break;
    if (key == failed_key)
      out.failed = value == "true";
    else
      out.attributes.push_back({bounded(key), bounded(value)});
  }
  std::ranges::sort(out.attributes, {}, &trace::attribute::key);
  return out;
}

}  // namespace argosy::codec
