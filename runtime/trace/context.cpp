// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/context.hpp"

#include <atomic>
#include <random>

namespace argosy::trace {

namespace detail {

constinit thread_local thread_context here{};

}  // namespace detail

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

/// Below this value of an id's low half a new trace is sampled.
std::atomic<std::uint64_t> sample_threshold{~std::uint64_t{0}};

constexpr std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// The state of splitmix64; zero means that it is not seeded yet.
thread_local std::uint64_t id_state = 0;

std::uint64_t next_id() {
  if (id_state == 0) {
    std::random_device device;
    id_state = (static_cast<std::uint64_t>(device()) << 32) | device() | 1U;
  }
  for (;;) {
    id_state += 0x9e3779b97f4a7c15ULL;
    if (const auto id = mix(id_state); id != 0 && id_state != 0) return id;
  }
}

void put_hex(std::string& out, std::uint64_t value) {
  for (int shift = 60; shift >= 0; shift -= 4) out += hex_digits[(value >> shift) & 15];
}

/// Lower-case hex only, as the standard demands of headers.
std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    const auto digit = hex_digits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = (value << 4) | digit;
  }
  return value;
}

}  // namespace

std::string to_string(const trace_id& id) {
  std::string text;
  text.reserve(32);
  put_hex(text, id.high);
  put_hex(text, id.low);
  return text;
}

std::string span_to_string(span_id id) {
  std::string text;
  put_hex(text, id);
  return text;
}

std::string to_bytes(const trace_id& id) {
  return span_to_bytes(id.high) + span_to_bytes(id.low);
}

std::string span_to_bytes(span_id id) {
  std::string out;
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(id >> shift);
  return out;
}

std::optional<trace_id> parse_trace_id(std::string_view text) {
  if (text.size() != 32) return std::nullopt;
  const auto high = parse_hex(text.substr(0, 16));
  const auto low = parse_hex(text.substr(16));
  if (!high || !low || (*high | *low) == 0) return std::nullopt;
  return trace_id{*high, *low};
}

std::string format_traceparent(const context& ctx) {
  if (!ctx.valid()) return {};
  return "00-" + to_string(ctx.trace) + '-' + span_to_string(ctx.span) +
         (ctx.sampled ? "-01" : "-00");
}

std::optional<context> parse_traceparent(std::string_view header) {
  constexpr std::size_t size = 55;
  if (header.size() < size || header[2] != '-' || header[35] != '-' || header[52] != '-')
    return std::nullopt;
  const auto version = parse_hex(header.substr(0, 2));
  const auto trace = parse_trace_id(header.substr(3, 32));
  const auto span = parse_hex(header.substr(36, 16));
  const auto flags = parse_hex(header.substr(53, 2));
  if (!version || !trace || !span || !flags || *version == 0xff || *span == 0) return std::nullopt;
  if (header.size() > size && (*version == 0 || header[size] != '-')) return std::nullopt;
  return context{*trace, *span, (*flags & 1) != 0};
}

span_id make_span_id() {
  return next_id();
}

void seed_ids(std::uint64_t seed) {
  id_state = mix(seed) | 1U;
}

void set_sample_ratio(double ratio) {
  constexpr double range = 18446744073709551616.0;
  const auto threshold = ratio <= 0   ? 0
                         : ratio >= 1 ? ~std::uint64_t{0}
                                      : static_cast<std::uint64_t>(ratio * range);
  sample_threshold.store(threshold, std::memory_order_relaxed);
}

context new_root() {
  context ctx;
  ctx.trace = {next_id(), next_id()};
  ctx.span = next_id();
  const auto threshold = sample_threshold.load(std::memory_order_relaxed);
  ctx.sampled = threshold == ~std::uint64_t{0} || ctx.trace.low < threshold;
  return ctx;
}

context child(const context& parent) {
  if (!parent.valid()) return new_root();
  return {parent.trace, next_id(), parent.sampled};
}

scope::scope(const context& ctx) noexcept : previous_(detail::here.ctx) {
  detail::here.ctx = ctx;
}

scope::~scope() {
  detail::here.ctx = previous_;
}

}  // namespace argosy::trace
