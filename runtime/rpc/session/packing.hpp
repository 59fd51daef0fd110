// SPDX-License-Identifier: Apache-2.0
// Messages that are packed with gzip: those of callers, and our own for callers who take them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/rpc/status.hpp"

namespace argosy::rpc {

/// Sets `out` to what is packed. The status is RESOURCE_EXHAUSTED if that is more than `size_max`
/// bytes, of which no more are ever made, and INVALID_ARGUMENT if it is damaged.
[[nodiscard]] status unpack(std::string_view packed, std::size_t size_max, std::string& out);

/// The bytes packed; nothing if they would not become fewer, as with few bytes.
[[nodiscard]] std::optional<std::string> pack(std::string_view bytes);

/// The status for a request of more than `size_max` bytes.
[[nodiscard]] status too_large(std::size_t size_max);

}  // namespace argosy::rpc
