// SPDX-License-Identifier: Apache-2.0
// Text on its way to a terminal: made harmless, measured in columns, cut and padded. Everything
// that a server, a file or a user named passes through escaped() before it is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/text.hpp"

namespace argosy::ctl {

/// One line without control characters: those (C0, DEL, C1, line separators and the marks that
/// reverse the direction of writing) become \n, \t or \u{1b}, bytes that are not UTF-8 \xff.
[[nodiscard]] std::string escaped(std::string_view text);

/// As escaped(), but line feeds and tabs stay.
[[nodiscard]] std::string escaped_lines(std::string_view text);

/// Columns that a terminal needs for the text; East Asian wide characters take two, combining ones
/// none. The text must have passed through escaped().
[[nodiscard]] std::size_t display_width(std::string_view text);

/// At most `width` columns, the last of them "…" when something had to go.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t width);

enum class alignment : std::uint8_t { left, right };

/// Filled with blanks to `width` columns; longer text is left as it is.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width,
                                 alignment align = alignment::left);

/// The order of names with numbers in them: "n2" before "n10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace argosy::ctl
