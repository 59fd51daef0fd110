// SPDX-License-Identifier: Apache-2.0
// Small functions that the renderers share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace argosy::trace {

/// "850 ns", "12.3 us", "4.56 ms", "61.2 s": three digits and a unit.
[[nodiscard]] std::string duration_text(std::int64_t nanos);

/// An actor type as people see it: without the "argosy." in front; "outside" for the empty name.
[[nodiscard]] std::string_view short_actor_name(std::string_view name) noexcept;

/// Text that is safe inside a mermaid label; at most 80 characters.
[[nodiscard]] std::string mermaid_text(std::string_view text);

/// With quotes.
[[nodiscard]] std::string json_text(std::string_view text);

/// The text in quotes, for graphviz.
[[nodiscard]] std::string dot_text(std::string_view text);

}  // namespace argosy::trace
