// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/text.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <iterator>

namespace argosy::ctl {

namespace {

/// Sets the locale C.UTF-8, which is part of the C library, so that widths do not depend on the
/// user's locale.
class utf8_locale {
 public:
  utf8_locale() : previous_(uselocale(shared())) {}
  ~utf8_locale() { uselocale(previous_); }
  utf8_locale(const utf8_locale&) = delete;
  utf8_locale& operator=(const utf8_locale&) = delete;

 private:
  static locale_t shared() {
    static const locale_t made = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    return made;
  }
  locale_t previous_;
};

bool is_harmful(char32_t c) {
  return is_control(c) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

void append_escape(std::string& out, char32_t code) {
  switch (code) {
    case U'\n':
      out += "\\n";
      return;
    case U'\t':
      out += "\\t";
      return;
    case U'\r':
      out += "\\r";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<std::uint32_t>(code));
  }
}

std::string escape(std::string_view text, bool keep_lines) {
  if (is_plain(text)) return std::string{text};
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const auto c = first_character(text);
    if (!c.valid)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(c.code));
    else if (is_harmful(c.code) && !(keep_lines && (c.code == U'\n' || c.code == U'\t')))
      append_escape(out, c.code);
    else
      out += text.substr(0, c.size);
    text.remove_prefix(c.size);
  }
  return out;
}

/// The columns that a character takes. utf8_locale must be set.
std::size_t columns_of(const text_character& c) {
  const int width = c.valid ? wcwidth(static_cast<wchar_t>(c.code)) : 1;
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

}  // namespace

std::string escaped(std::string_view text) {
  return escape(text, false);
}

std::string escaped_lines(std::string_view text) {
  return escape(text, true);
}

std::size_t display_width(std::string_view text) {
  if (is_plain(text)) return text.size();
  const utf8_locale locale;
  std::size_t width = 0;
  while (!text.empty()) {
    const auto c = first_character(text);
    width += columns_of(c);
    text.remove_prefix(c.size);
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string{text};
  if (width == 0) return {};
  const utf8_locale locale;
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto c = first_character(text);
    const auto columns = columns_of(c);
    if (used + columns > width - 1) break;
    used += columns;
    out += text.substr(0, c.size);
    text.remove_prefix(c.size);
  }
  return out + "…";
}

std::string padded(std::string_view text, std::size_t width, alignment align) {
  const auto used = display_width(text);
  const std::string blanks(used < width ? width - used : 0, ' ');
  return align == alignment::left ? std::string{text} + blanks : blanks + std::string{text};
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  const auto room = width > indent + 20 ? width - indent : 20;
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    if (used > 0 && used + 1 + display_width(word) > room) {
      out += "\n" + std::string(indent, ' ');
      used = 0;
    }
    if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += display_width(word);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto digits = [&](std::string_view text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
  };
  const auto whole_a = a;
  const auto whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (!is_digit(a.front()) || !is_digit(b.front())) {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
      continue;
    }
    auto x = digits(a);
    auto y = digits(b);
    a.remove_prefix(x.size());
    b.remove_prefix(y.size());
    x.remove_prefix(std::min(x.find_first_not_of('0'), x.size()));
    y.remove_prefix(std::min(y.find_first_not_of('0'), y.size()));
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  if (a.empty() && b.empty()) return whole_a < whole_b;
  return a.empty();
}

}  // namespace argosy::ctl
