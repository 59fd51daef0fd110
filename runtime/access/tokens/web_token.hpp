// SPDX-License-Identifier: Apache-2.0
// A signed token of the form JWT, taken apart. What it says is not checked here, and nothing of it
// may be believed before check_token() has. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::access {

/// Longer tokens are refused unread.
inline constexpr std::size_t token_bytes_max = 16'384;

struct web_token {
  std::string algorithm{};  ///< As the header says: "RS256".
  std::string key_id{};     ///< Empty: the header names no key.
  /// The header demands that the reader understands something which we do not.
  bool demands = false;
  std::string signed_text{};
  std::string signature{};
  /// The claims by name. A text is a list of one; what is neither text nor list of texts is empty.
  std::map<std::string, std::vector<std::string>> claims{};
  /// Unix times in seconds.
  std::optional<std::int64_t> expires{};
  std::optional<std::int64_t> not_before{};

  /// The only text of a claim; empty if it has none or several.
  [[nodiscard]] std::string text(const std::string& claim) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& claim) const;
};

/// ec::denied if the text is no such token. The sentence repeats nothing of it.
[[nodiscard]] result<web_token> parse_token(std::string_view text);

}  // namespace argosy::access
