// SPDX-License-Identifier: Apache-2.0
// Packs texts by gzip, for speed rather than size: most readers are near.
#pragma once

#include <string>
#include <string_view>

namespace argosy::rest {

/// The text as a file of gzip; empty if that cannot be made.
[[nodiscard]] std::string gzip(std::string_view text);

}  // namespace argosy::rest
