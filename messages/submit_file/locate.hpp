// SPDX-License-Identifier: Apache-2.0
// This file declares how what a server refused is found in a job file: the server names a field of
// its request, the user wrote a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace argosy::submit_file {

struct file_place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  /// The field in the names of the file: `jobs[2].podSpec.containers[0].resources.requests["gpu"]`.
  std::string field;
};

/// Where the item of this number under `jobs:` has the field that `path` begins with, for example
/// `.pod_spec.containers[0].resources.requests["gpu"]: unknown resource`. What the file does not
/// have is placed at the innermost part that it has. Nothing when there is no such item.
/// `path_size` is set to the size of the field in `path`.
[[nodiscard]] std::optional<file_place> locate(std::string_view text, std::size_t number,
                                               std::string_view path, std::size_t& path_size);

}  // namespace argosy::submit_file
