// SPDX-License-Identifier: Apache-2.0
// This file declares the list of contents of a backup, a file of lines. It is pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/identifiers.hpp"

namespace argosy::argosyd {

struct backup_file {
  std::string name;  ///< The path inside the backup.
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 hexadecimal digits.

  friend bool operator==(const backup_file&, const backup_file&) = default;
};

struct backup_manifest {
  std::int64_t time_ns = 0;  ///< The Unix time of the backup.
  model::log_generation generation{};
  model::epoch epoch{};
  model::log_position position{};
  std::uint64_t hash = 0;     ///< The hash of the batch at the position.
  std::string control_plane;  ///< Its id; empty: it had none yet.
  std::vector<backup_file> files;

  friend bool operator==(const backup_manifest&, const backup_manifest&) = default;
};

/// The name of the list in the folder of a backup.
inline constexpr std::string_view manifest_name = "MANIFEST";

[[nodiscard]] std::string print_manifest(const backup_manifest& manifest);

/// Fails with ec::corrupt, naming the line, for what print_manifest() did not write. A file's name
/// is one of those that a backup has, so that none leads out of its folder.
[[nodiscard]] result<backup_manifest> parse_manifest(std::string_view text);

}  // namespace argosy::argosyd
