// SPDX-License-Identifier: Apache-2.0
// This file declares how output is packed on its way to whoever can unpack it: as one frame of
// Zstandard (RFC 8878) that names its size.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::codec {

/// The largest output that one answer holds, in bytes.
inline constexpr std::size_t output_bytes_max = std::size_t{1} << 20;

/// Packs the data of the chunk if that makes it smaller by a quarter at least.
void pack(model::log_chunk& chunk);

/// The data that was packed. Fails with ec::corrupt if it is no such frame or has more than
/// `output_bytes_max` bytes.
[[nodiscard]] result<std::string> unpack_output(std::string_view packed);

}  // namespace argosy::codec
