// SPDX-License-Identifier: Apache-2.0
// A regular expression of an operator, in the syntax of RE2, which is that of Go. Looking at a text
// takes time in proportion to its length, whatever the expression is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace re2 {
class RE2;
}

namespace argosy {

/// It is immutable, and copies share what was compiled; any thread may use it.
class pattern {
 public:
  /// The empty expression, which is in every text.
  pattern() = default;
  /// Fails with ec::invalid_argument and says what is wrong: "missing ): a(b".
  [[nodiscard]] static result<pattern> make(const std::string& text);

  /// Whether a part of the text is as the expression says.
  [[nodiscard]] bool is_in(std::string_view text) const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool empty() const { return text().empty(); }

 private:
  explicit pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const re2::RE2> compiled_;  ///< Null for the empty expression.
};

}  // namespace argosy
