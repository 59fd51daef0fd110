// SPDX-License-Identifier: Apache-2.0
// The methods of the API as one table: what each asks for, whether its calls are recorded, and
// where REST has it. Whatever else is said of methods follows from it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/access/action.hpp"

namespace argosy::access {

enum class call_effect : std::uint8_t {
  reads,     ///< Changes nothing that lasts, and is recorded only if it was denied.
  shows,     ///< Changes nothing, but shows what is not for everybody, such as output: is recorded.
  changes,   ///< Changes something that lasts: is recorded.
  unlisted,  ///< A method that is in no list yet, which is recorded without what it is about.
};

struct method_row {
  /// "Service.Method", or "Service." for all methods of a service that have no row of their own.
  /// The nats-server lets whole services through where they have such a row.
  std::string_view name;
  action what = action::unlisted;
  call_effect effect = call_effect::unlisted;
  /// Over REST, as "GET /v1/queue/{name}", where {name} takes one part of the path as the field of
  /// this name.
  std::string_view route{};
  std::string_view second_route{};
};

/// All rows, in the order in which the nats-server is told of them.
[[nodiscard]] std::span<const method_row> method_rows() noexcept;
/// The row of the method, or else that of its service; null if there is neither.
[[nodiscard]] const method_row* row_of(std::string_view method) noexcept;

}  // namespace argosy::access
