// SPDX-License-Identifier: Apache-2.0
// A bar of characters.
#pragma once

#include <cstddef>
#include <string>

namespace argosy::ctl {

/// "[######....]" with `cells` cells; empty when there is nothing to do. Full only when all is
/// done.
[[nodiscard]] std::string progress_bar(std::size_t done, std::size_t all, std::size_t cells);

}  // namespace argosy::ctl
