// SPDX-License-Identifier: Apache-2.0
// The trace context (W3C trace-context level 1) and where it lives: one per thread, the cause of
// whatever the thread does next. Actors get theirs from the traced mixin; code outside of actors
// (bus callbacks, main) sets it with `scope`.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace argosy::trace {

/// 128 bits; all zero means none.
struct trace_id {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const trace_id&, const trace_id&) = default;
  [[nodiscard]] bool is_nil() const noexcept { return (high | low) == 0; }
};

/// 64 bits; zero means none.
using span_id = std::uint64_t;

/// Which trace, and which span of it is the cause. Copied freely.
struct context {
  trace_id trace;
  span_id span = 0;
  bool sampled = false;

  friend bool operator==(const context&, const context&) = default;
  [[nodiscard]] bool valid() const noexcept { return !trace.is_nil() && span != 0; }
};

/// 32 lower-case hex digits.
[[nodiscard]] std::string to_string(const trace_id& id);

/// Exactly 32 hex digits, not all zero; nothing for any other text.
[[nodiscard]] std::optional<trace_id> parse_trace_id(std::string_view text);

/// 16 lower-case hex digits.
[[nodiscard]] std::string span_to_string(span_id id);

/// The ids as they are sent: 16 and 8 bytes, the most significant one first.
[[nodiscard]] std::string to_bytes(const trace_id& id);
[[nodiscard]] std::string span_to_bytes(span_id id);

/// "00-<trace>-<span>-<flags>"; empty for an invalid context.
[[nodiscard]] std::string format_traceparent(const context& ctx);

/// Reads a traceparent header. Returns nothing for a malformed one, which the caller treats as "no
/// context". Versions above 00 are read by their first four fields, as the standard asks.
[[nodiscard]] std::optional<context> parse_traceparent(std::string_view header);

/// A new non-zero id from the calling thread's generator.
[[nodiscard]] span_id make_span_id();

/// Makes the calling thread's ids follow from the seed, for reproducible runs on one thread.
void seed_ids(std::uint64_t seed);

/// Sets the share of new traces that are sampled, 0 to 1; at first it is 1. Traces that arrive with
/// a context keep its flag.
void set_sample_ratio(double ratio);

/// A context that starts a new trace, sampled or not by the ratio.
[[nodiscard]] context new_root();

/// A new span under `parent`; a new root if `parent` is invalid.
[[nodiscard]] context child(const context& parent);

/// What the calling thread acts for now; invalid if nothing was set.
[[nodiscard]] const context& current() noexcept;

/// Makes a context the calling thread's current one for its lifetime. Does not record a span.
class [[nodiscard]] scope {
 public:
  explicit scope(const context& ctx) noexcept;
  ~scope();
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

 private:
  context previous_;
};

namespace detail {

/// `actor` is the interned name of the actor type whose handler runs; 0 outside of actors.
struct thread_context {
  context ctx;
  std::uint16_t actor = 0;
};

extern constinit thread_local thread_context here;

}  // namespace detail

inline const context& current() noexcept {
  return detail::here.ctx;
}

}  // namespace argosy::trace

template <>
struct std::hash<argosy::trace::trace_id> {
  std::size_t operator()(const argosy::trace::trace_id& id) const noexcept {
    return static_cast<std::size_t>((id.high * 0x9e3779b97f4a7c15ULL) ^ id.low);
  }
};
