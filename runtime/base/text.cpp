// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/text.hpp"

namespace argosy {

namespace {

constexpr std::size_t shown_size_max = 40;

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// How many bytes a character has that begins so; 0 if none begins so.
std::size_t size_after(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

std::string mapped(std::string_view text, char first, char last, int shift) {
  std::string out{text};
  for (char& c : out)
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  return out;
}

}  // namespace

text_character first_character(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text[0]);
  const text_character bad{first, 1, false};
  const auto size = size_after(first);
  if (size == 0 || size > text.size()) return bad;
  char32_t code = size == 1 ? first : first & (0xff >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (!continues(text[i])) return bad;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (overlong || surrogate || code > 0x10ffff) return bad;
  return {code, size, true};
}

std::optional<std::size_t> find_control_character(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7f) continue;
    if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f) return i;
    // C1 is C2 80 to C2 9F.
    if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0)
      return i;
  }
  return std::nullopt;
}

std::string name_control_character(std::string_view text, std::size_t position) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto code = first_character(text.substr(position)).code;
  return std::string{"U+00"} + digits[code >> 4 & 15] + digits[code & 15];
}

std::string_view cut_to_size(std::string_view text, std::size_t size_max) noexcept {
  if (text.size() <= size_max) return text;
  while (size_max > 0 && continues(text[size_max])) --size_max;
  return text.substr(0, size_max);
}

std::string shown(std::string_view text) {
  const auto part = cut_to_size(text, shown_size_max);
  std::string out;
  for (auto rest = part; !rest.empty();) {
    const auto c = first_character(rest);
    if (!c.valid || is_control(c.code))
      out += '?';
    else
      out += rest.substr(0, c.size);
    rest.remove_prefix(c.size);
  }
  if (part.size() < text.size()) out += "...";
  return out;
}

std::string lower_case(std::string_view text) {
  return mapped(text, 'A', 'Z', 'a' - 'A');
}

std::string upper_case(std::string_view text) {
  return mapped(text, 'a', 'z', 'A' - 'a');
}

bool fits_name(std::string_view pattern, std::string_view name) noexcept {
  // Where the last star was, and how much of the name it stands for so far.
  auto star = std::string_view::npos;
  std::size_t taken = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < name.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      taken = i;
    } else if (at < pattern.size() && pattern[at] == name[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace argosy
