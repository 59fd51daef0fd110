// SPDX-License-Identifier: Apache-2.0
// Text as UTF-8: its characters, where it may be cut, and what of it must not reach a terminal, a
// log or a message. Pure; nothing here knows a locale or the width of a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace argosy {

/// One character of a text that may be any bytes.
struct text_character {
  char32_t code = 0;
  std::size_t size = 1;  ///< The size in bytes; 1 for a byte that begins no character.
  bool valid = false;    ///< False for such a byte; `code` is the byte then.
};

/// The character that `text`, which must not be empty, begins with. Overlong forms, surrogates and
/// what is beyond U+10FFFF are not valid.
[[nodiscard]] text_character first_character(std::string_view text) noexcept;

/// Whether a terminal or a log would act on it instead of showing it: C0, DEL and C1.
[[nodiscard]] constexpr bool is_control(char32_t code) noexcept {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/// The place of the first control character of a UTF-8 text; tab and line feed are not counted.
[[nodiscard]] std::optional<std::size_t> find_control_character(std::string_view text) noexcept;

/// The control character at this place as a person names it: "U+001B".
[[nodiscard]] std::string name_control_character(std::string_view text, std::size_t position);

/// The beginning of at most `size_max` bytes that does not end within a character.
[[nodiscard]] std::string_view cut_to_size(std::string_view text, std::size_t size_max) noexcept;

/// The beginning of a user's text, for messages: at most 40 bytes, followed by "..." if it was cut.
/// Control characters and bytes that are not UTF-8 become "?".
[[nodiscard]] std::string shown(std::string_view text);

/// Makes A to Z lower-case; other characters stay.
[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] std::string upper_case(std::string_view text);

/// Whether a name fits a pattern in which each `*` stands for any characters.
[[nodiscard]] bool fits_name(std::string_view pattern, std::string_view name) noexcept;

}  // namespace argosy
