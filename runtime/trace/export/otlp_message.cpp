// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/export/otlp_message.hpp"

#include <cstdint>
#include <map>

#include "runtime/trace/render_text.hpp"

namespace argosy::trace::otlp {

namespace {

/// The numbers of the fields, by message, as opentelemetry-proto publishes them.
namespace number {
constexpr std::uint32_t request_resource_spans = 1;
constexpr std::uint32_t resource_spans_resource = 1;
constexpr std::uint32_t resource_spans_scope_spans = 2;
constexpr std::uint32_t resource_attributes = 1;
constexpr std::uint32_t scope_spans_scope = 1;
constexpr std::uint32_t scope_spans_spans = 2;
constexpr std::uint32_t scope_name = 1;
constexpr std::uint32_t scope_version = 2;
constexpr std::uint32_t key_value_key = 1;
constexpr std::uint32_t key_value_value = 2;
constexpr std::uint32_t value_string = 1;
constexpr std::uint32_t value_int = 3;
constexpr std::uint32_t span_trace_id = 1;
constexpr std::uint32_t span_span_id = 2;
constexpr std::uint32_t span_parent_span_id = 4;
constexpr std::uint32_t span_name = 5;
constexpr std::uint32_t span_kind = 6;
constexpr std::uint32_t span_start = 7;
constexpr std::uint32_t span_end = 8;
constexpr std::uint32_t span_attributes = 9;
constexpr std::uint32_t span_links = 13;
constexpr std::uint32_t span_status = 15;
constexpr std::uint32_t link_trace_id = 1;
constexpr std::uint32_t link_span_id = 2;
constexpr std::uint32_t status_code = 3;
}  // namespace number

constexpr std::uint64_t kind_internal = 1;
constexpr std::uint64_t kind_consumer = 5;
constexpr std::uint64_t status_error = 2;

void put_varint(std::uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void put_tag(std::uint32_t field, std::uint32_t wire_type, std::string& out) {
  put_varint((field << 3) | wire_type, out);
}

void put_number(std::uint32_t field, std::uint64_t value, std::string& out) {
  put_tag(field, 0, out);
  put_varint(value, out);
}

void put_fixed64(std::uint32_t field, std::int64_t value, std::string& out) {
  put_tag(field, 1, out);
  for (int shift = 0; shift < 64; shift += 8)
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> shift);
}

void put_bytes(std::uint32_t field, std::string_view bytes, std::string& out) {
  put_tag(field, 2, out);
  put_varint(bytes.size(), out);
  out.append(bytes);
}

void put_attribute(std::uint32_t field, std::string_view key, std::string_view text,
                   std::string& out) {
  std::string value;
  put_bytes(number::value_string, text, value);
  std::string pair;
  put_bytes(number::key_value_key, key, pair);
  put_bytes(number::key_value_value, value, pair);
  put_bytes(field, pair, out);
}

void put_attribute(std::uint32_t field, std::string_view key, std::int64_t amount,
                   std::string& out) {
  std::string value;
  put_number(number::value_int, static_cast<std::uint64_t>(amount), value);
  std::string pair;
  put_bytes(number::key_value_key, key, pair);
  put_bytes(number::key_value_value, value, pair);
  put_bytes(field, pair, out);
}

std::string span_bytes(const finished_span& span) {
  std::string out;
  put_bytes(number::span_trace_id, to_bytes(span.trace), out);
  put_bytes(number::span_span_id, span_to_bytes(span.span), out);
  if (span.parent != 0) put_bytes(number::span_parent_span_id, span_to_bytes(span.parent), out);
  put_bytes(number::span_name, span.name, out);
  // A message that an actor took from its mailbox is consumed; anything else is work of its own.
  put_number(number::span_kind, span.instance != 0 ? kind_consumer : kind_internal, out);
  put_fixed64(number::span_start, span.start_nanos, out);
  put_fixed64(number::span_end, span.end_nanos(), out);
  if (!span.actor.empty())
    put_attribute(number::span_attributes, "argosy.actor.type", short_actor_name(span.actor), out);
  if (span.instance != 0)
    put_attribute(number::span_attributes, "argosy.actor.id",
                  static_cast<std::int64_t>(span.instance), out);
  if (span.wait_nanos > 0)
    put_attribute(number::span_attributes, "argosy.wait_nanos", span.wait_nanos, out);
  for (const auto& [key, value] : span.attributes)
    put_attribute(number::span_attributes, "argosy." + key, value, out);
  if (span.link.valid()) {
    std::string link;
    put_bytes(number::link_trace_id, to_bytes(span.link.trace), link);
    put_bytes(number::link_span_id, span_to_bytes(span.link.span), link);
    put_bytes(number::span_links, link, out);
  }
  if (span.failed) {
    std::string status;
    put_number(number::status_code, status_error, status);
    put_bytes(number::span_status, status, out);
  }
  return out;
}

/// "argosy-agent/local" is the service "argosy-agent".
std::string service_of(const std::string& process) {
  return process.substr(0, process.find('/'));
}

std::string resource_bytes(const std::string& process, const resource& of) {
  const bool own = process == of.process;
  std::string out;
  put_attribute(number::resource_attributes, "service.name",
                own && !of.service.empty() ? of.service : service_of(process), out);
  put_attribute(number::resource_attributes, "service.instance.id", process, out);
  if (!own) return out;
  if (!of.version.empty())
    put_attribute(number::resource_attributes, "service.version", of.version, out);
  for (const auto& [key, value] : of.attributes)
    put_attribute(number::resource_attributes, key, value, out);
  return out;
}

}  // namespace

std::string encode(std::span<const finished_span> spans, const resource& of) {
  std::map<std::string, std::string> by_process;
  for (const auto& span : spans)
    put_bytes(number::scope_spans_spans, span_bytes(span), by_process[span.process]);
  std::string scope;
  put_bytes(number::scope_name, "argosy", scope);
  if (!of.version.empty()) put_bytes(number::scope_version, of.version, scope);
  std::string out;
  for (const auto& [process, encoded] : by_process) {
    std::string scope_spans;
    put_bytes(number::scope_spans_scope, scope, scope_spans);
    scope_spans += encoded;
    std::string resource_spans;
    put_bytes(number::resource_spans_resource, resource_bytes(process, of), resource_spans);
    put_bytes(number::resource_spans_scope_spans, scope_spans, resource_spans);
    put_bytes(number::request_resource_spans, resource_spans, out);
  }
  return out;
}

}  // namespace argosy::trace::otlp
