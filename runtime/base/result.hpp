// SPDX-License-Identifier: Apache-2.0
// A value, or the error that stands in its place (C++20 has no std::expected).
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "runtime/base/error.hpp"

namespace argosy {

/// tl::expected with our error type, and nodiscard.
template <class T>
class [[nodiscard]] result : public tl::expected<T, error> {
 public:
  using tl::expected<T, error>::expected;
};

using failure = tl::unexpected<error>;

/// `return fail(ec::not_found, "queue 'a' does not exist");`
[[nodiscard]] inline failure fail(ec code, std::string detail) {
  return failure{error{code, std::move(detail)}};
}

/// Passes an error on: `if (!x) return fail(std::move(x.error()));`
[[nodiscard]] inline failure fail(error err) {
  return failure{std::move(err)};
}

}  // namespace argosy
