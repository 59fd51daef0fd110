// SPDX-License-Identifier: Apache-2.0
// This file changes the state of `top` by keys, and draws it: a line with the views, one with what
// is shown, its rows or text, and one with the keys or with what is wrong.
#include "bins/argosyctl/verbs/top/top_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

constexpr auto very_far = std::numeric_limits<std::ptrdiff_t>::max() / 2;

constexpr std::string_view keys_of_lists =
    "Enter: go into it  d: describe  Esc: back  /: search  < > r: sort  ?: all keys  q: quit";
constexpr std::string_view keys_of_text = "Up Down: scroll  Esc: back  ?: all keys  q: quit";

constexpr std::string_view help_text = R"(Keys of argosyctl top

  1 2 3 4, Tab       queues, nodes, rounds or clusters; the next of them
  Up Down, k j       the row above or below; text is scrolled
  PgUp PgDn          a page up or down
  Home End           the first or the last row
  Enter, Right       go into it: the jobs of a queue or a node, the nodes of a cluster, why a job
                     waits or runs where it runs, what a round did and what kept jobs back
  d                  describe it
  Esc, Left          back to the screen before; first of all, end the search
  < >                sort by the column to the left or to the right
  r                  reverse the order
  /                  show only rows with a text that you type; Enter keeps it, Esc ends it
  w                  show all columns, as -o wide does
  Space              freeze the screen, and go on
  q, Ctrl-C          quit

The second line has the command that shows the same outside of top.
)";

std::string clock_of(std::int64_t unix_ns) {
  return utc_clock(unix_ns).substr(0, 8) + " UTC";
}

std::string order_text(const std::string& sort_by) {
  if (sort_by.empty()) return {};
  const bool downwards = sort_by.starts_with('-');
  return fmt::format("; sorted by {}, {} first", sort_by.substr(downwards ? 1 : 0),
                     downwards ? "the highest" : "the lowest");
}

}  // namespace

top_state::top_state(const top_view& first, const std::string& sort_by) {
  auto source = source_of(first);
  if (!sort_by.empty()) source.sort_by = sort_by;
  for (std::size_t i = 0; i < top_views.size(); ++i)
    if (top_views[i].key == first.key) view_ = i;
  open(std::move(source));
}

void top_state::open(screen_source source) {
  frozen_ = false;
  auto sort_by = source.sort_by;
  stack_.push_back({std::move(source), list_screen{std::move(sort_by)}});
}

void top_state::open_if(std::optional<screen_source> source) {
  if (source && *source != now().source) open(std::move(*source));
}

void top_state::open_view(std::size_t index) {
  view_ = index;
  stack_.clear();
  open(source_of(top_views[index]));
}

void top_state::take(const screen_source& from, screen_content content) {
  if (frozen_ || from != now().source) return;
  now().trouble.clear();
  if (content.trouble) {
    // The screen keeps the last answer while the server is away.
    const auto& why = *content.trouble;
    now().trouble = why.detail.empty() ? std::string{to_string(why.code)} : why.detail;
    return;
  }
  now().read_ns = content.read_ns;
  if (content.list) now().list.take(std::move(*content.list));
  now().text.take(content.text);
}

void top_state::move(std::ptrdiff_t rows) {
  if (shows_list())
    now().list.move(rows);
  else
    now().text.move(rows);
}

void top_state::go_back() {
  if (shows_list() && !now().list.searched().empty()) return now().list.search({});
  if (stack_.size() == 1) return;
  stack_.pop_back();
  frozen_ = false;
}

void top_state::press_in_search(const key_press& pressed) {
  auto text = now().list.searched();
  if (pressed.what == key::character) {
    text += pressed.letter;
  } else if (pressed.what == key::backspace) {
    if (!text.empty()) text.pop_back();
  } else {
    searching_ = false;
    if (pressed.what == key::escape) text.clear();
  }
  now().list.search(std::move(text));
}

void top_state::press_in_list(char letter) {
  auto& list = now().list;
  if (letter == '/') searching_ = true;
  if (letter == '<') list.sort_by_neighbour(-1);
  if (letter == '>') list.sort_by_neighbour(1);
  if (letter == 'r') list.reverse_order();
  if (letter == 'w') list.show_wide(!list.wide());
  if (letter == 'd') open_if(source_about(list.chosen()));
}

void top_state::press_letter(char letter) {
  for (std::size_t i = 0; i < top_views.size(); ++i)
    if (letter == top_views[i].key) return open_view(i);
  if (letter == '\t') return open_view((view_ + 1) % top_views.size());
  if (letter == 'q') over_ = true;
  if (letter == '?') helps_ = true;
  if (letter == ' ') frozen_ = !frozen_;
  if (letter == 'j') move(1);
  if (letter == 'k') move(-1);
  if (shows_list()) press_in_list(letter);
}

void top_state::press(const key_press& pressed) {
  if (pressed.what == key::resized) return;
  if (helps_) {
    helps_ = false;
    return;
  }
  if (searching_) return press_in_search(pressed);
  const auto page = static_cast<std::ptrdiff_t>(page_);
  switch (pressed.what) {
    case key::character:
      return press_letter(pressed.letter);
    case key::up:
      return move(-1);
    case key::down:
      return move(1);
    case key::page_up:
      return move(-page);
    case key::page_down:
      return move(page);
    case key::home:
      return move(-very_far);
    case key::end:
      return move(very_far);
    case key::enter:
    case key::right:
      if (shows_list()) open_if(source_inside(now().list.chosen()));
      return;
    case key::left:
    case key::escape:
    case key::backspace:
      return go_back();
    case key::resized:
      return;
  }
}

screen_line top_state::title_line() const {
  screen_line line{{{"argosyctl top ", look::strong}}};
  for (std::size_t i = 0; i < top_views.size(); ++i)
    line.parts.push_back({fmt::format("  {} {}", top_views[i].key, top_views[i].name),
                          i == view_ ? look::strong : look::faint});
  return line;
}

std::string top_state::about_line() const {
  const auto& shown = stack_.back();
  auto text = command_line(shown.source);
  if (shown.read_ns == 0) return text + (shown.trouble.empty() ? ": reading…" : "");
  text += ": ";
  if (shows_list()) {
    const auto& list = shown.list;
    text += list.shown() == list.all() ? fmt::format("{} rows", list.all())
                                       : fmt::format("{} of {} rows", list.shown(), list.all());
    text += order_text(list.sort_by()) + "; ";
  }
  return text + (frozen_ ? "FROZEN at " : "at ") + clock_of(shown.read_ns);
}

screen_line top_state::bottom_line() const {
  const auto& shown = stack_.back();
  if (searching_)
    return {{{"search: ", look::strong}, {escaped(shown.list.searched()) + "_", look::plain}}};
  if (!shown.trouble.empty()) return {{{escaped(shown.trouble), look::bad}}};
  if (!shows_list()) return {{{std::string{keys_of_text}, look::faint}}};
  if (!shown.list.searched().empty())
    return {{{"search: " + escaped(shown.list.searched()), look::strong},
             {"  Esc: all rows  " + std::string{keys_of_lists}, look::faint}}};
  return {{{std::string{keys_of_lists}, look::faint}}};
}

std::vector<screen_line> top_state::draw(screen_size size) {
  constexpr std::size_t frame_lines = 3;
  page_ = size.height > frame_lines + 2 ? size.height - frame_lines - 1 : 1;
  std::vector<screen_line> lines{title_line()};
  std::vector<screen_line> body;
  if (helps_) {
    text_screen help;
    help.take(help_text);
    body = help.draw({size.width, page_ + 1});
  } else if (shows_list()) {
    if (now().read_ns != 0) body = now().list.draw(size.width, page_ + 1);
    if (now().read_ns != 0 && now().list.all() == 0 && !now().list.remark().empty())
      body.push_back({{{escaped(now().list.remark()), look::plain}}});
  } else {
    body = now().text.draw({size.width, page_ + 1});
  }
  lines.push_back({{{escaped(about_line()), look::plain}}});
  lines.insert(lines.end(), std::make_move_iterator(body.begin()),
               std::make_move_iterator(body.end()));
  lines.resize(frame_lines + page_);
  lines.push_back(bottom_line());
  // The terminal has no room for more than its height; the line of keys is the last to go.
  if (lines.size() > size.height)
    lines.erase(
        lines.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(size.height, 1)) - 1,
        lines.end() - 1);
  return lines;
}

}  // namespace argosy::ctl
