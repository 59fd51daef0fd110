// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

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

/// The line without its colours.
std::string uncoloured(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      out += line[i];
      continue;
    }
    i = std::min(line.find('m', i), line.size());
  }
  return out;
}

/// How many lines of the terminal the line takes.
std::size_t lines_taken(std::string_view line, std::size_t width) {
  const auto columns = display_width(uncoloured(line));
  return width == 0 || columns == 0 ? 1 : (columns + width - 1) / width;
}

/// The lines of a text that fit, and a last one that counts the others.
struct fitted_text {
  std::string text;
  std::size_t lines = 0;  ///< How many lines of the terminal the text takes.
};

fitted_text top_lines(const std::string& text, std::size_t most, std::size_t width) {
  fitted_text out;
  const auto all = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  std::size_t shown = 0;
  std::size_t last_shown_end = 0;
  std::size_t last_lines = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    const auto taken = lines_taken(std::string_view{text}.substr(begin, end - begin), width);
    if (most != 0 && out.lines + taken > most) {
      // One line less is shown, so that there is a line for the number of the others.
      if (out.lines == most) {
        out.text.resize(last_shown_end);
        out.lines = last_lines;
        --shown;
      }
      out.text += fmt::format("… and {} more\n", all - shown);
      ++out.lines;
      return out;
    }
    last_shown_end = out.text.size();
    last_lines = out.lines;
    out.text.append(text, begin, end + 1 - begin);
    out.lines += taken;
    ++shown;
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string painted(std::string_view text, look as, bool colours) {
  const auto colour = colour_of(as);
  if (!colours || colour.empty() || text.empty()) return std::string{text};
  return fmt::format("{}{}\x1b[0m", colour, text);
}

void console::print(std::string_view text) {
  clear_status();
  errno = 0;
  out_ << text;
  note_failure();
}

void console::print_line(std::string_view text) {
  clear_status();
  errno = 0;
  out_ << text << '\n';
  note_failure();
}

void console::print_output(model::output_stream of, std::string_view text,
                           std::string_view prefix) {
  const bool err = of == model::output_stream::err;
  const bool to_terminal = err ? terminal_.err_is_terminal : terminal_.out_is_terminal;
  auto shown = painted(prefix, look::faint, terminal_.colours && to_terminal);
  shown += to_terminal ? escaped_lines(text) : std::string{text};
  if (!err) return print(shown);
  clear_status();
  flush();
  err_ << shown << std::flush;
}

void console::flush() {
  errno = 0;
  out_.flush();
  note_failure();
}

void console::note_failure() {
  if (failed_ || out_.good()) return;
  failed_ = true;
  if (errno != 0) why_ = std::strerror(errno);
}

void console::error_line(std::string_view text) {
  clear_status();
  flush();
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
  flush();
  err_ << erase_line
       << cut_to_width(escaped(text), terminal_.width == 0 ? 80 : terminal_.width - 1);
  err_.flush();
}

void console::waiting(std::string_view text) {
  if (terminal_.err_is_terminal) return status(text);
  if (!std::exchange(said_that_it_waits_, true)) notice(text);
}

void console::redraw(const std::string& lines) {
  // The last line of the terminal stays free for the cursor.
  auto fitted = top_lines(lines, terminal_.height > 2 ? terminal_.height - 1 : 0, terminal_.width);
  clear_status();
  if (fitted.text == drawn_) return;
  if (drawn_lines_ > 0) out_ << fmt::format("\x1b[{}A\r\x1b[J", drawn_lines_);
  out_ << fitted.text;
  out_.flush();
  drawn_ = std::move(fitted.text);
  drawn_lines_ = fitted.lines;
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
