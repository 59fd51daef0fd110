// SPDX-License-Identifier: Apache-2.0
// Prepares text for a terminal: it is escaped, measured in columns, cut and padded. All text from a
// server, a file or a user passes through escaped() before it is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/text.hpp"

namespace argosy::ctl {

/// The text as one line without control characters: these (C0, DEL, C1, line separators and the
/// marks that reverse the direction of writing) become \n, \t or \u{1b}, bytes that are not UTF-8
/// \xff.
[[nodiscard]] std::string escaped(std::string_view text);

/// Does the same, but line feeds and tabs stay.
[[nodiscard]] std::string escaped_lines(std::string_view text);

/// The columns that a terminal needs for the text. East Asian wide characters take two, combining
/// ones none. The text must have passed through escaped().
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Cuts the text to at most `width` columns; the last of them is "…" if something was cut.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t width);

enum class alignment : std::uint8_t { left, right };

/// Fills the text with blanks to `width` columns; longer text is left as it is.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width,
                                 alignment align = alignment::left);

/// Breaks the words into lines of at most `width` columns, with line feeds between them; each but
/// the first is indented by so many blanks. A word that is longer than a line is not broken.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// Whether `a` is before `b` in the order of names with numbers in them: "n2" before "n10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace argosy::ctl
