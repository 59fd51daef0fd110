// SPDX-License-Identifier: Apache-2.0
// Text on a screen of `top`, which is scrolled.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/verbs/top/screen.hpp"

namespace argosy::ctl {

class text_screen {
 public:
  void take(std::string_view text);
  /// Scrolls by so many lines, and no further than the text goes.
  void move(std::ptrdiff_t lines);
  /// As many lines as there is room for; longer ones are broken between words.
  [[nodiscard]] std::vector<screen_line> draw(screen_size size);

 private:
  std::vector<std::string> lines_;
  std::size_t first_ = 0;  ///< The first line that is shown, after long ones are broken.
};

}  // namespace argosy::ctl
