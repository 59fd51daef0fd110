// SPDX-License-Identifier: Apache-2.0
// Decides what `top` shows and what its keys do. This pure core takes keys and what was read, and
// gives the lines of the terminal. Screens lie on each other as the user went into things; Escape
// goes back to the one below.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bins/argosyctl/verbs/top/list_screen.hpp"
#include "bins/argosyctl/verbs/top/screen.hpp"
#include "bins/argosyctl/verbs/top/screen_content.hpp"
#include "bins/argosyctl/verbs/top/screen_source.hpp"
#include "bins/argosyctl/verbs/top/text_screen.hpp"

namespace argosy::ctl {

class top_state {
 public:
  /// `sort_by` is what the user asked for; empty: the view's own order.
  explicit top_state(const top_view& first, const std::string& sort_by = {});

  void press(const key_press& pressed);
  /// Takes what was read from a source, if that is what the screen shows and it is not frozen.
  void take(const screen_source& from, screen_content content);

  /// The source of what the screen shows, which is to be read again and again.
  [[nodiscard]] const screen_source& source() const noexcept { return stack_.back().source; }
  /// Whether the user wants to leave.
  [[nodiscard]] bool is_over() const noexcept { return over_; }

  /// The lines of a terminal of this size, from the top.
  [[nodiscard]] std::vector<screen_line> draw(screen_size size);

 private:
  struct layer {
    screen_source source;
    list_screen list;
    text_screen text{};
    std::string trouble{};
    std::int64_t read_ns = 0;  ///< 0: nothing was read yet.
  };

  void open(screen_source source);
  void open_view(std::size_t index);
  void open_if(std::optional<screen_source> source);
  void press_in_search(const key_press& pressed);
  void press_letter(char letter);
  void press_in_list(char letter);
  void move(std::ptrdiff_t rows);
  void go_back();
  [[nodiscard]] layer& now() noexcept { return stack_.back(); }
  [[nodiscard]] bool shows_list() const noexcept {
    return stack_.back().source.gives == screen_source::kind::list;
  }
  [[nodiscard]] screen_line title_line() const;
  [[nodiscard]] std::string about_line() const;
  [[nodiscard]] screen_line bottom_line() const;

  std::vector<layer> stack_;  ///< Never empty; the last one is shown.
  std::size_t view_ = 0;      ///< The place in top_views of the lowest one.
  std::size_t page_ = 10;     ///< The rows that the screen had when it was last drawn.
  bool searching_ = false;    ///< Letters go into the text that is searched for.
  bool frozen_ = false;
  bool helps_ = false;  ///< The list of keys is shown; the next key removes it.
  bool over_ = false;
};

}  // namespace argosy::ctl
