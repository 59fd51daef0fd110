// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/error.hpp"

#include <array>
#include <cstddef>

namespace argosy {

namespace {

constexpr std::array<std::string_view, 17> code_names{
    "none",        "invalid_argument", "not_found", "already_exists", "conflict",   "denied",
    "unreachable", "no_responders",    "timeout",   "too_large",      "overloaded", "out_of_space",
    "corrupt",     "fenced",           "cancelled", "unavailable",    "internal"};

static_assert(code_names.size() == static_cast<std::size_t>(ec::internal) + 1,
              "every error code needs a name");

}  // namespace

std::string_view to_string(ec code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < code_names.size() ? code_names[index] : "internal";
}

ec parse_ec(std::string_view name) noexcept {
  for (std::size_t i = 0; i < code_names.size(); ++i)
    if (code_names[i] == name) return static_cast<ec>(i);
  return ec::internal;
}

std::string to_string(const error& err) {
  return std::string{to_string(err.code)} + ": " + err.detail;
}

}  // namespace argosy
