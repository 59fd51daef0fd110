// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/top/text_screen.hpp"

#include <algorithm>

#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

void text_screen::take(std::string_view text) {
  lines_.clear();
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines_.push_back(escaped(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void text_screen::move(std::ptrdiff_t lines) {
  const auto last = static_cast<std::ptrdiff_t>(lines_.size());
  first_ = static_cast<std::size_t>(
      std::clamp(static_cast<std::ptrdiff_t>(first_) + std::clamp(lines, -last, last),
                 std::ptrdiff_t{0}, std::max(last - 1, std::ptrdiff_t{0})));
}

std::vector<screen_line> text_screen::draw(std::size_t height) {
  // What was scrolled too far for the last line to stand at the bottom goes back.
  first_ = std::min(first_, lines_.size() > height ? lines_.size() - height : 0);
  std::vector<screen_line> out;
  for (auto i = first_; i < std::min(first_ + height, lines_.size()); ++i)
    out.push_back({{{lines_[i], look::plain}}});
  return out;
}

}  // namespace argosy::ctl
