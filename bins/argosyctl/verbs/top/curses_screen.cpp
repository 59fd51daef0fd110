// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/top/curses_screen.hpp"

// As macros, names such as move and timeout would change whatever is compiled behind this.
#define NCURSES_NOMACROS
#include <ncurses.h>

#include <algorithm>
#include <array>
#include <clocale>

#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

/// The number of the colour pair of a look; 0 is the terminal's own.
short pair_of(look as) {
  switch (as) {
    case look::good:
      return 1;
    case look::bad:
      return 2;
    case look::warning:
      return 3;
    default:
      return 0;
  }
}

attr_t attributes_of(look as) {
  if (as == look::strong) return A_BOLD;
  return as == look::faint ? A_DIM : A_NORMAL;
}

std::optional<key_press> key_of(int code) {
  constexpr std::array<std::pair<int, key>, 16> known{{{KEY_UP, key::up},
                                                       {KEY_DOWN, key::down},
                                                       {KEY_LEFT, key::left},
                                                       {KEY_RIGHT, key::right},
                                                       {KEY_PPAGE, key::page_up},
                                                       {KEY_NPAGE, key::page_down},
                                                       {KEY_HOME, key::home},
                                                       {KEY_END, key::end},
                                                       {KEY_ENTER, key::enter},
                                                       {'\n', key::enter},
                                                       {'\r', key::enter},
                                                       {KEY_BACKSPACE, key::backspace},
                                                       {'\b', key::backspace},
                                                       {0x7f, key::backspace},
                                                       {0x1b, key::escape},
                                                       {KEY_RESIZE, key::resized}}};
  for (const auto& [number, what] : known)
    if (number == code) return key_press{what};
  const bool is_letter = code == '\t' || (code >= ' ' && code < 0x7f);
  if (!is_letter) return std::nullopt;
  return key_press{key::character, static_cast<char>(code)};
}

class curses_screen final : public screen {
 public:
  curses_screen(SCREEN* opened, bool colours) : screen_(opened) {
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    // An Escape alone is told from the beginning of another key by what does not follow in time.
    set_escdelay(25);
    curs_set(0);
    if (!colours || !has_colors()) return;
    start_color();
    use_default_colors();
    init_pair(pair_of(look::good), COLOR_GREEN, -1);
    init_pair(pair_of(look::bad), COLOR_RED, -1);
    init_pair(pair_of(look::warning), COLOR_YELLOW, -1);
    colours_ = true;
  }
  ~curses_screen() override {
    endwin();
    delscreen(screen_);
  }
  curses_screen(const curses_screen&) = delete;
  curses_screen& operator=(const curses_screen&) = delete;

  screen_size size() const override {
    return {static_cast<std::size_t>(getmaxx(stdscr)), static_cast<std::size_t>(getmaxy(stdscr))};
  }

  void show(const std::vector<screen_line>& lines) override {
    erase();
    for (std::size_t i = 0; i < lines.size(); ++i) draw(static_cast<int>(i), lines[i]);
    refresh();
  }

  std::optional<key_press> read(std::chrono::milliseconds patience) override {
    timeout(static_cast<int>(patience.count()));
    return key_of(getch());
  }

 private:
  void draw(int at, const screen_line& line) {
    ::move(at, 0);
    auto room = size().width;
    for (const auto& part : line.parts) {
      const auto text = cut_to_width(part.text, room);
      const auto pair = colours_ ? pair_of(part.as) : short{0};
      attr_set(attributes_of(part.as) | (line.chosen ? A_REVERSE : A_NORMAL), pair, nullptr);
      addstr(text.c_str());
      room -= std::min(room, display_width(text));
      if (room == 0) break;
    }
    if (line.chosen && room > 0) {
      attr_set(A_REVERSE, 0, nullptr);
      addstr(std::string(room, ' ').c_str());
    }
    attr_set(A_NORMAL, 0, nullptr);
  }

  SCREEN* screen_;
  bool colours_ = false;
};

}  // namespace

result<std::unique_ptr<screen>> open_terminal(const std::string& terminal_type, bool colours) {
  // ncurses writes the characters of the locale; this program writes UTF-8 under any.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  auto* opened = newterm(terminal_type.c_str(), stdout, stdin);
  if (opened == nullptr)
    return fail(ec::unavailable, "the terminal of type TERM='" + terminal_type +
                                     "' is not known here; --once prints the list once");
  return std::make_unique<curses_screen>(opened, colours);
}

}  // namespace argosy::ctl
