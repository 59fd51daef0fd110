// SPDX-License-Identifier: Apache-2.0
// A compressed archive (tar.gz) that is put together in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::ctl {

struct archived_file {
  std::string path;  ///< At most 99 characters.
  std::string content;
};

/// An archive of the POSIX format (ustar), not compressed. The files can be read by their owner.
[[nodiscard]] std::string tar_of(const std::vector<archived_file>& files,
                                 std::int64_t unix_seconds);

/// The bytes as gzip compresses them.
[[nodiscard]] result<std::string> gzip(std::string_view bytes);

}  // namespace argosy::ctl
