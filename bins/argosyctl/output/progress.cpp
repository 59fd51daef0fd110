// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/progress.hpp"

#include <algorithm>

namespace argosy::ctl {

std::string progress_bar(std::size_t done, std::size_t all, std::size_t cells) {
  const auto filled = all == 0 ? 0 : std::min(done, all) * cells / all;
  return "[" + std::string(filled, '#') + std::string(cells - filled, '.') + "]";
}

}  // namespace argosy::ctl
