// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/console.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

std::string_view colour_of(look as) {
  switch (as) {
    case look::good:
      return "\x1b[32m";
    case look::bad:
      return "\x1b[31m";
    case look::warning:
      return "\x1b[33m";
    case look::faint:
      return "\x1b[2m";
    case look::strong:
      return "\x1b[1m";
    case look::plain:
      break;
  }
  return {};
}

constexpr std::string_view erase_line = "\r\x1b[K";

/// The first lines, and a last one that counts the others if there are more than `most`.
std::string top_lines(const std::string& text, std::size_t most) {
  const auto all = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (most == 0 || all <= most) return text;
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < most; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end) + fmt::format("… and {} more\n", all - most + 1);
}

}  // namespace

std::string painted(std::string_view text, look as, bool colours) {
  const auto colour = colour_of(as);
  if (!colours || colour.empty() || text.empty()) return std::string{text};
  return fmt::format("{}{}\x1b[0m", colour, text);
}

void console::print(std::string_view text) {
  clear_status();
  out_ << text;
}

void console::print_line(std::string_view text) {
  clear_status();
  out_ << text << '\n';
}

void console::error_line(std::string_view text) {
  clear_status();
  out_.flush();
  const auto colours = terminal_.colours && terminal_.err_is_terminal;
  err_ << painted("error:", look::bad, colours) << ' ' << escaped_lines(text) << '\n';
  err_.flush();
}

void console::notice(std::string_view text) {
  clear_status();
  err_ << escaped_lines(text) << '\n';
  err_.flush();
}

void console::hint(std::string_view text) {
  if (terminal_.err_is_terminal) notice(text);
}

void console::status(std::string_view text) {
  if (!terminal_.err_is_terminal || text == status_) return;
  if (text.empty()) {
    clear_status();
    return;
  }
  status_ = text;
  out_.flush();
  err_ << erase_line << cut_to_width(text, terminal_.width == 0 ? 80 : terminal_.width - 1);
  err_.flush();
}

void console::redraw(const std::string& lines) {
  // The last line stays free for the cursor.
  auto text = top_lines(lines, terminal_.height > 2 ? terminal_.height - 1 : 0);
  clear_status();
  if (text == drawn_) return;
  const auto above = std::count(drawn_.begin(), drawn_.end(), '\n');
  if (above > 0) out_ << fmt::format("\x1b[{}A\r\x1b[J", above);
  out_ << text;
  out_.flush();
  drawn_ = std::move(text);
}

void console::clear_status() {
  if (status_.empty()) return;
  status_.clear();
  err_ << erase_line;
  err_.flush();
}

exit_code report(console& to, const error& err) {
  to.error_line(err.detail.empty() ? std::string{to_string(err.code)} : err.detail);
  return exit_code_of(err);
}

}  // namespace argosy::ctl
