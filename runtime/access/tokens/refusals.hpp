// SPDX-License-Identifier: Apache-2.0
// What those who check tokens have in common: which names may be those of users, and what callers
// hear who cannot wait. It is private to this folder.
#pragma once

#include <algorithm>
#include <string_view>

#include "runtime/access/principal.hpp"
#include "runtime/base/error.hpp"

namespace argosy::access {

inline constexpr std::size_t user_name_bytes_max = 256;

/// Whether others may give a user this name. `anonymous` is somebody else, and a line break could
/// make two names of one.
inline bool is_user_name(std::string_view name) {
  return !name.empty() && name.size() <= user_name_bytes_max && name != anonymous &&
         std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

inline error too_many_wait() {
  return {ec::overloaded, "too many tokens are being checked; try again in a second"};
}
inline error server_stops() {
  return {ec::unavailable, "the server stops"};
}

}  // namespace argosy::access
