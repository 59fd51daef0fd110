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
  // How far the text goes is known when it is drawn; until then it may be scrolled too far.
  constexpr std::ptrdiff_t far = 1'000'000'000;
  const auto wanted = std::min<std::size_t>(first_, far);
  first_ = static_cast<std::size_t>(std::clamp(
      static_cast<std::ptrdiff_t>(wanted) + std::clamp(lines, -far, far), std::ptrdiff_t{0}, far));
}

std::vector<screen_line> text_screen::draw(screen_size size) {
  std::vector<screen_line> all;
  for (const auto& line : lines_) {
    const auto blanks = std::min(line.find_first_not_of(' '), line.size());
    const auto text = std::string(blanks, ' ') +
                      wrapped(std::string_view{line}.substr(blanks), blanks + 2, size.width);
    for (std::size_t begin = 0; begin <= text.size();) {
      const auto end = std::min(text.find('\n', begin), text.size());
      all.push_back({{{text.substr(begin, end - begin), look::plain}}});
      begin = end + 1;
    }
  }
  // Text that was scrolled too far goes back until its last line stands at the bottom.
  first_ = std::min(first_, all.size() > size.height ? all.size() - size.height : 0);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first_));
  if (all.size() > size.height) all.resize(size.height);
  return all;
}

}  // namespace argosy::ctl
