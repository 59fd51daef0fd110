// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/progress.hpp"

#include <algorithm>

namespace argosy::ctl {

std::string progress_bar(const progress& of, std::size_t cells) {
  const auto all = std::max<std::size_t>(1, of.all);
  const auto cells_of = [&](std::size_t part) { return std::min(part, all) * cells / all; };
  const auto least = std::min<std::size_t>(of.failed, 1);
  const auto over = std::max(cells_of(of.succeeded + of.failed), least);
  const auto failed = std::clamp(cells_of(of.failed), least, over);
  const auto begun = std::max(cells_of(of.succeeded + of.failed + of.running), over);
  return "[" + std::string(over - failed, '#') + std::string(failed, 'x') +
         std::string(begun - over, '>') + std::string(cells - begun, '.') + "]";
}

}  // namespace argosy::ctl
