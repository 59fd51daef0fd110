// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/top/top_state.hpp"

#include <algorithm>
#include <limits>

namespace argosy::ctl {

namespace {

constexpr auto very_far = std::numeric_limits<std::ptrdiff_t>::max() / 2;

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

}  // namespace argosy::ctl
