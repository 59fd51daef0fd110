// SPDX-License-Identifier: Apache-2.0
// What an image says of itself, read from the files of an OCI layout and kept beside its unpacked
// files. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::backends {

struct image_facts {
  std::string digest;  ///< By which it was pulled.
  std::string os;
  std::string architecture;
  std::vector<std::string> entrypoint;
  std::vector<std::string> command;
  std::vector<std::string> env;  ///< "NAME=value"
  std::string working_dir;
  std::string user;  ///< As the image has it: "", "1000", "nobody:users".
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int64_t size = 0;  ///< The bytes that its files take.

  friend bool operator==(const image_facts&, const image_facts&) = default;
};

/// The digest of the first manifest of a layout, from its index.json.
[[nodiscard]] result<std::string> manifest_in_index(std::string_view json);
/// The digest of the configuration that a manifest names.
[[nodiscard]] result<std::string> config_in_manifest(std::string_view json);
/// What an image's configuration says. Fails with ec::invalid_argument if it makes no sense.
[[nodiscard]] result<image_facts> read_image_config(std::string_view json);

/// Which user and group "USER[:GROUP]" is, by the files /etc/passwd and /etc/group of the image.
[[nodiscard]] result<std::pair<std::uint32_t, std::uint32_t>> user_of_image(std::string_view user,
                                                                            std::string_view passwd,
                                                                            std::string_view group);

[[nodiscard]] result<std::string> encode(const image_facts& value);
[[nodiscard]] result<image_facts> decode_facts(std::string_view bytes);

}  // namespace argosy::backends
