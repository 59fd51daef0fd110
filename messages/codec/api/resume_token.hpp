// SPDX-License-Identifier: Apache-2.0
// What each token says with which a caller goes on later: how far the log was, and in which history
// of it. A server that has another history refuses the token with ec::conflict and a sentence that
// ends in "read again from the beginning", and the caller has to do so. The same is answered where
// a part of what would have to follow has expired.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/lineage.hpp"

namespace argosy::codec {

/// "POSITION-CLAIM", with 16 hex digits.
[[nodiscard]] std::string to_text(const model::log_place& place);
/// Nothing: the text is none.
[[nodiscard]] std::optional<model::log_place> parse_log_place(std::string_view text);

/// Sixteen hex digits.
[[nodiscard]] std::string claim_text(std::uint64_t claim);
[[nodiscard]] std::optional<std::uint64_t> parse_claim(std::string_view text);

/// The error for a token, "the cursor", of another history.
[[nodiscard]] error of_another_history(std::string_view what);
/// The error for a number that came without the mark of the answer that told it.
[[nodiscard]] error without_mark(std::string_view what);

/// The cursor of the list of a method, "Query.ListNodes", as callers see it:
/// "POSITION-CLAIM/ListNodes/CURSOR". Of nothing it is nothing.
[[nodiscard]] std::string marked_cursor(const std::string& own, std::string_view method,
                                        const model::log_place& now);
/// The cursor that was marked. Fails with ec::invalid_argument if that was no cursor, or one of
/// another method than this, and with ec::conflict if it is of another history than this one, which
/// ends at `now`.
[[nodiscard]] result<std::string> own_cursor(const std::string& marked, std::string_view method,
                                             const model::lineage& history,
                                             model::log_position now);

}  // namespace argosy::codec
