// SPDX-License-Identifier: Apache-2.0
// Messages that are packed with gzip: those of callers, and our own for callers who take them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/rpc/status.hpp"

namespace argosy::rpc {

/// Returns how many bytes these are when they are unpacked, as they say themselves at their end.
[[nodiscard]] std::size_t unpacked_size(std::string_view packed) noexcept;

/// Sets `out` to what is packed. The status is RESOURCE_EXHAUSTED if that is more than `size_max`
/// bytes, and INVALID_ARGUMENT if it is damaged. No more is ever made than unpacked_size().
[[nodiscard]] status unpack(std::string_view packed, std::size_t size_max, std::string& out);

/// The bytes packed; nothing if they would not become fewer, as with few bytes.
[[nodiscard]] std::optional<std::string> pack(std::string_view bytes);

/// The status for a request of more than `size_max` bytes.
[[nodiscard]] status too_large(std::size_t size_max);
/// The status for a request whose caller has too much waiting already.
[[nodiscard]] status too_much_waits();

}  // namespace argosy::rpc
