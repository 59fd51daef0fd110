// SPDX-License-Identifier: Apache-2.0
// How argosyd and argosy-agent take their data directory.
#pragma once

#include <filesystem>
#include <functional>

#include "runtime/base/result.hpp"
#include "runtime/store/data_dir.hpp"

namespace argosy {

/// Does what store::data_dir::open() does, but tries 20 times when another process has the
/// directory: a predecessor that was just killed may hold its lock for a moment longer. Calls
/// `pause` between two tries.
[[nodiscard]] result<store::data_dir> open_data_dir(const std::filesystem::path& path,
                                                    const std::function<void()>& pause);

/// The same with pauses of 50 ms, which is a second in all.
[[nodiscard]] result<store::data_dir> open_data_dir(const std::filesystem::path& path);

}  // namespace argosy
