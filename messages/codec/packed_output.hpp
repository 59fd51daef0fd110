// SPDX-License-Identifier: Apache-2.0
// This file declares how output is packed on its way to whoever can unpack it: as one frame of
// Zstandard (RFC 8878) that names its size.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::codec {

/// The packed output; nothing if packing would not make it smaller by a quarter at least.
[[nodiscard]] std::optional<std::string> pack_output(std::string_view data);

/// The data that was packed. Fails with ec::corrupt if it is no such frame or has more than
/// model::log_chunk_bytes_max bytes.
[[nodiscard]] result<std::string> unpack_output(std::string_view packed);

}  // namespace argosy::codec
